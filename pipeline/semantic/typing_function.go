package semantic

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// functions are those of pg_catalog that a dimension may call, by the type of what they
// give. None gives another value for the same row within one statement.
var functions = map[string]string{
	"text": "lower upper initcap btrim ltrim rtrim left right substr substring replace translate split_part lpad rpad repeat reverse " +
		"concat concat_ws regexp_replace regexp_substr md5 to_char overlay similar_to_escape like_escape chr format",
	"int4":        "length char_length character_length octet_length bit_length strpos position ascii width_bucket regexp_count regexp_instr",
	"bool":        "starts_with regexp_like isfinite",
	"date":        "to_date make_date",
	"timestamp":   "make_timestamp",
	"timestamptz": "now transaction_timestamp to_timestamp make_timestamptz",
	"interval":    "age justify_days justify_hours justify_interval",
	"numeric":     "to_number div",
	"float8":      "date_part",
}

// call is the type of what a function gives.
func (x *typing) call(call *pg_query.FuncCall) found {
	var args []found
	for _, a := range call.Args {
		args = append(args, x.of(a))
	}
	name := call.Funcname[len(call.Funcname)-1].GetString_().GetSval()
	own := len(call.Funcname) == 1 || call.Funcname[0].GetString_().GetSval() == "pg_catalog"
	for result, names := range functions {
		if own && strings.Contains(" "+names+" ", " "+name+" ") {
			return known(result)
		}
	}
	if own && len(args) > 0 {
		if t := x.polymorphic(name, args); t.Name != "" {
			return t
		}
	}
	return x.refuse("%s isn't among the functions that a dimension may call; make it a column of a view", name)
}

// polymorphic is the type of what a function gives that depends on what it is given.
func (x *typing) polymorphic(name string, args []found) found {
	first := found{Type: plain(args[0].Type)}
	switch name {
	case "abs":
		if first.Category == 'N' {
			return first
		}
	case "mod":
		if len(args) == 2 {
			return x.arithmetic("%", args[0], args[1])
		}
	case "round", "trunc", "ceil", "ceiling", "floor", "sign", "sqrt", "exp", "ln", "log", "power":
		other := len(args) == 2 && (name != "power" || args[1].Name == "numeric" && !strings.HasPrefix(first.Name, "float"))
		switch {
		case first.Name == "numeric" && (len(args) == 1 || !strings.HasPrefix(args[1].Name, "float")), other:
			return known("numeric")
		case first.Category == 'N':
			return known("float8")
		}
	case "extract":
		if x.snapshot.ServerVersion < 140000 {
			return known("float8")
		}
		return known("numeric")
	case "date_trunc":
		return truncated(args)
	case "timezone":
		return zoned(args)
	}
	return found{}
}

// truncated is what date_trunc gives: of a date, a moment.
func truncated(args []found) found {
	if len(args) < 2 {
		return found{}
	}
	switch args[1].Name {
	case "timestamp", "interval":
		return known(args[1].Name)
	case "timestamptz", "date":
		return known("timestamptz")
	}
	return found{}
}

// zoned is what AT TIME ZONE gives: the other kind of moment.
func zoned(args []found) found {
	if len(args) < 2 {
		return found{}
	}
	switch args[1].Name {
	case "timestamp":
		return known("timestamptz")
	case "timestamptz", "date":
		return known("timestamp")
	}
	return found{}
}
