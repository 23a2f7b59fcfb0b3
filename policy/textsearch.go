package policy

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/configs"
)

// takesConfiguration lists the functions whose first argument, of several, may
// be a text search configuration, which Postgres looks up by its name.
const takesConfiguration = " to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery ts_headline json_to_tsvector jsonb_to_tsvector "

// configuration lets only literals that mean a built-in configuration pass:
// any other name would tell whether it exists.
func (j *judge) configuration(n *pg_query.FuncCall, name string, l *level) error {
	if len(n.Args) < 2 || !strings.Contains(takesConfiguration, " "+name+" ") {
		return nil
	}
	first := n.Args[0]
	if c := first.GetTypeCast(); c != nil && c.Arg.GetAConst().GetSval() != nil {
		if kind, array := lookupType(c.TypeName); kind == "regconfig" && !array {
			first.Node = c.Arg.Node
		}
	}
	if first.GetParamRef() != nil {
		return unsupported("a parameter in the place of a text search configuration", "Name the configuration: "+name+"('english', …).")
	}
	always := 2 // so many arguments begin with a configuration, which a number may also be
	switch name {
	case "json_to_tsvector", "jsonb_to_tsvector":
		always = 3
	case "ts_headline":
		always = 4
	}
	if first.GetAConst().GetSval() == nil && (len(n.Args) >= always || j.isNumber(first, l)) {
		return unsupported("a text search configuration that isn't a literal", "Name the configuration: "+name+"('english', …).")
	}
	if named, err := configs.ParseName(first.GetAConst().GetSval().GetSval()); err == nil && named.Schema != builtinSchema {
		return j.view.noObject("regconfig", first.GetAConst().GetSval().GetSval())
	}
	return nil
}
