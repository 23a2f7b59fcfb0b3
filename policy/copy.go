package policy

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// copyOut allows COPY (query) TO STDOUT, and that of a table, which is one of a
// query.
func (j *judge) copyOut(n *pg_query.Node, c *pg_query.CopyStmt) (*pg_query.Node, Facts, error) {
	switch {
	case c.IsFrom:
		return nil, Facts{}, writes("COPY FROM")
	case c.IsProgram || c.Filename != "":
		return nil, Facts{}, deny(stateDenied, "permission denied: COPY to a file or program is not allowed for this role")
	case c.WhereClause != nil || (c.Query == nil) == (c.Relation == nil) || c.Query != nil && len(c.Attlist) > 0:
		return nil, Facts{}, unsupported("this COPY", copyQuery)
	}
	if c.Relation != nil {
		if err := j.copyTable(c); err != nil {
			return nil, Facts{}, err
		}
	}
	header, binary, err := copyOptions(c.Options)
	if err != nil {
		return nil, Facts{}, err
	}
	query, f, err := j.inner(c.Query)
	if err != nil {
		return nil, Facts{}, err
	}
	c.Query = query
	f.Tag, f.Rows, f.CopyHeader, f.CopyBinary = "COPY", true, header, binary
	return n, f, nil
}

// copyOptions tells whether a header line comes first, and whether the format is
// binary.
func copyOptions(options []*pg_query.Node) (header, binary bool, err error) {
	for _, o := range options {
		d := o.GetDefElem()
		value := optionText(d.GetArg())
		switch d.GetDefname() {
		case "format":
			if d.Arg.GetString_() == nil || value != "csv" && value != "text" && value != "binary" {
				return false, false, unsupported("COPY in this format", "Use FORMAT csv, text or binary.")
			}
			binary = value == "binary"
		case "header":
			if value != "" && !truth(value) && !falsehood(value) {
				return false, false, unsupported("this COPY header", "Use HEADER true or false.")
			}
			header = value == "" || truth(value)
		case "delimiter", "null", "quote", "escape":
			if d.Arg == nil {
				return false, false, deny("42601", "%s requires a parameter", d.Defname)
			}
			if d.Arg.GetString_() == nil {
				return false, false, unsupported("this value of a COPY option", "Write it as a string: "+strings.ToUpper(d.Defname)+" ','.")
			}
		case "force_quote":
			if d.Arg.GetAStar() == nil && d.Arg.GetList() == nil {
				return false, false, deny("22023", "argument to option \"force_quote\" must be a list of column names")
			}
		case "encoding":
			if d.Arg.GetString_() == nil || !utf8Name(value) {
				return false, false, unsupported("COPY in another encoding", "Use ENCODING 'UTF8'.")
			}
		default:
			return false, false, unsupported("this COPY option", "Use FORMAT, HEADER, DELIMITER, NULL, QUOTE, ESCAPE or FORCE_QUOTE.")
		}
	}
	return header, binary, nil
}

// optionText is an option's value as text, in lower case; empty without one.
func optionText(n *pg_query.Node) string {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_String_:
		return strings.ToLower(x.String_.Sval)
	case *pg_query.Node_Integer:
		if x.Integer.Ival == 1 {
			return "1"
		}
		return "0"
	case *pg_query.Node_Boolean:
		if x.Boolean.Boolval {
			return "true"
		}
		return "false"
	}
	if n.GetNode() == nil {
		return ""
	}
	return "?"
}

func truth(s string) bool     { return s == "true" || s == "on" || s == "1" }
func falsehood(s string) bool { return s == "false" || s == "off" || s == "0" }

// utf8Name tells whether Postgres takes it for UTF-8: it goes by the letters and
// digits alone, and asyncpg sends the quotes along.
func utf8Name(s string) bool {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
	return s == "utf8" || s == "unicode"
}
