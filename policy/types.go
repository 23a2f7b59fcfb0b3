package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// baseType is the oid of a built-in type that a cast, a parameter or a column
// definition may name, 0 for any other. reg* types (they look names up),
// refcursor, aclitem, xml and every internal type are left out.
func baseType(name string) uint32 {
	i := slices.IndexFunc(baseTypes[:], func(t builtinOID) bool { return t.name == name })
	if i < 0 {
		return 0
	}
	return baseTypes[i].oid
}

type builtinOID struct {
	name string
	oid  uint32
}

// baseTypes is never changed.
var baseTypes = [...]builtinOID{
	{"bool", 16}, {"bytea", 17}, {"char", 18}, {"name", 19}, {"int8", 20}, {"int2", 21}, {"int4", 23}, {"text", 25}, {"oid", 26},
	{"json", 114}, {"point", 600}, {"lseg", 601}, {"path", 602}, {"box", 603}, {"polygon", 604}, {"line", 628}, {"cidr", 650},
	{"float4", 700}, {"float8", 701}, {"unknown", 705}, {"circle", 718}, {"macaddr8", 774}, {"money", 790}, {"macaddr", 829},
	{"inet", 869}, {"bpchar", 1042}, {"varchar", 1043}, {"date", 1082}, {"time", 1083}, {"timestamp", 1114}, {"timestamptz", 1184},
	{"interval", 1186}, {"timetz", 1266}, {"bit", 1560}, {"varbit", 1562}, {"numeric", 1700}, {"uuid", 2950},
	{"tsvector", 3614}, {"tsquery", 3615}, {"jsonb", 3802}, {"jsonpath", 4072},
	{"int4range", 3904}, {"numrange", 3906}, {"tsrange", 3908}, {"tstzrange", 3910}, {"daterange", 3912}, {"int8range", 3926},
	{"int4multirange", 4451}, {"nummultirange", 4532}, {"tsmultirange", 4533}, {"tstzmultirange", 4534},
	{"datemultirange", 4535}, {"int8multirange", 4536},
}

// baseArrays are the oids of the base types' arrays.
func baseArrays() []uint32 {
	return []uint32{1000, 1001, 1002, 1003, 1016, 1005, 1007, 1009, 1028, 199, 1017, 1018, 1019, 1020, 1027, 629, 651,
		1021, 1022, 719, 775, 791, 1040, 1041, 1014, 1015, 1182, 1183, 1115, 1185, 1187, 1270, 1561, 1563, 1231, 2951,
		3643, 3645, 3807, 4073, 3905, 3907, 3909, 3911, 3913, 3927, 6150, 6151, 6152, 6153, 6155, 6157}
}

// nameParts splits a (qualified) name; more than two parts give ok = false.
func nameParts(names []*pg_query.Node) (schema, name string, ok bool) {
	switch len(names) {
	case 1:
		name = names[0].GetString_().GetSval()
	case 2:
		schema, name = names[0].GetString_().GetSval(), names[1].GetString_().GetSval()
	}
	return schema, name, name != ""
}

// builtinType tells whether a type name is one of the base types, or an array
// of one; it also returns how the name was written.
func builtinType(t *pg_query.TypeName) (string, bool) {
	schema, name, ok := nameParts(t.Names)
	written := name
	if schema != "" {
		written = schema + "." + name
	}
	if !ok || schema != "" && schema != builtinSchema || t.Setof || t.PctType {
		return written, false
	}
	return written, baseType(strings.TrimPrefix(name, "_")) != 0
}

// checkOperator refuses operators of other schemas: they are backed by user
// functions.
func checkOperator(name []*pg_query.Node) error {
	schema, op, ok := nameParts(name)
	if !ok || schema != "" && schema != builtinSchema {
		return fmt.Errorf("operator %s.%s can't be used", schema, op)
	}
	return nil
}

// checkCollation lets the built-in collations pass and those that the
// operating system or ICU gives Postgres.
func checkCollation(name []*pg_query.Node) error {
	schema, c, ok := nameParts(name)
	known := regexp.MustCompile(`^(C|POSIX|default|ucs_basic|unicode|pg_c_utf8|[a-z]{2,3}(_[A-Z]{2})?(\.utf8)?|[a-z]{2,3}(-[A-Za-z0-9]+)*-x-icu)$`)
	if !ok || schema != "" && schema != builtinSchema || !known.MatchString(c) {
		return fmt.Errorf("collation %q can't be used", c)
	}
	return nil
}

// timeFunction tells whether a special value is a date or time.
func timeFunction(op pg_query.SQLValueFunctionOp) bool {
	return op >= pg_query.SQLValueFunctionOp_SVFOP_CURRENT_DATE && op <= pg_query.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N
}

func functionParts(names []*pg_query.Node) (schema, name string) {
	schema, name, ok := nameParts(names)
	if !ok {
		return "?", "?"
	}
	return schema, name
}
