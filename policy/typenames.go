package policy

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// typeName judges a type: built-in base types pass, enums of readable columns
// are written with their schema, everything else is refused.
func (j *judge) typeName(t *pg_query.TypeName, l *level) error {
	for _, m := range t.Typmods {
		if m.GetAConst() == nil {
			return j.view.deniedType("?")
		}
		j.mark(m)
	}
	written, ok := builtinType(t)
	if ok || j.cleared[t] {
		return nil
	}
	schema, name, ok := nameParts(t.Names)
	if !ok || t.Setof || t.PctType {
		return j.view.deniedType(written)
	}
	schemas := []string{schema}
	if schema == "" {
		schemas = j.view.role.SearchPath
	}
	for _, s := range schemas {
		for _, prefix := range []string{"", "_"} {
			element, cut := cutPrefix(name, prefix)
			if u, ok := j.view.userTypes[catalog.Name{Schema: s, Table: element}]; cut && ok && u.Kind == 'e' {
				t.Names = stmt.Names(s, name)
				return nil
			}
		}
	}
	return j.view.deniedType(written)
}

func cutPrefix(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || s[:len(prefix)] != prefix {
		return s, false
	}
	return s[len(prefix):], true
}

// checkParams judges the types that a Parse message gives its parameters.
func (v *View) checkParams(oids []uint32) error {
	for i, oid := range oids {
		if oid != 0 && !v.allowsType(oid) {
			return deny(stateDenied, "permission denied for the type of parameter $%d", i+1)
		}
	}
	return nil
}

func (v *View) allowsType(oid uint32) bool {
	if slices.Contains(baseArrays(), oid) || slices.ContainsFunc(baseTypes[:], func(t builtinOID) bool { return t.oid == oid }) {
		return true
	}
	for _, u := range v.userTypes {
		if u.Kind == 'e' && u.OID == oid {
			return true
		}
	}
	for _, g := range v.grants {
		for _, c := range g.columns {
			if c.column.Type.OID == oid && v.enumArray(c.column.Type) {
				return true
			}
		}
	}
	return false
}

// enumArray tells whether a column's type is an array of a readable enum.
func (v *View) enumArray(t catalog.Type) bool {
	element, ok := cutPrefix(t.Name, "_")
	return ok && t.Category == 'A' && v.userTypes[catalog.Name{Schema: t.Schema, Table: element}].Kind == 'e'
}
