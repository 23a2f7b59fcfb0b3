package policy

import (
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
)

// typeHazards says of a relation's columns what may make operations fail that
// don't fail on others.
type typeHazards struct {
	// json: some may be json, whose texts may hold what text can't.
	json bool
	// times: some may be times of day or intervals.
	times bool
	// big: some may be bigint.
	big bool
	// incomparable: some have values that can't be compared, which arrays and rows
	// of them show at run time.
	incomparable bool
	// unsettled: some may be arrays or rows of such values, shapes, or texts with a
	// collation other than the others', so that any comparison may fail.
	unsettled bool
}

// typeHazards are those of permitted columns.
func (b binder) typeHazards(columns []grantColumn) typeHazards {
	var out typeHazards
	for _, c := range columns {
		t := b.undomained(c.column.Type)
		element := strings.TrimPrefix(t.Name, "_")
		object := b.snapshot.Objects.TypeObject(t.OID)
		switch {
		case t.Schema == builtinSchema && comparableType(element):
			out.times = out.times || contains([]string{"time", "timetz", "interval"}, element)
			out.big = out.big || element == "int8"
		case t.Schema == builtinSchema:
			out.json, out.incomparable, out.unsettled = true, true, out.unsettled || element != t.Name || shape(element)
		case t.Category == 'E' || object != nil && b.enum(object.Element):
		default:
			out.json, out.times, out.big, out.incomparable = true, true, true, true
			out.unsettled = out.unsettled || object == nil || object.Kind != 'b' || object.Element != 0
		}
	}
	return out
}

// undomained is what a domain is made of.
func (b binder) undomained(t catalog.Type) catalog.Type {
	for range len(b.snapshot.Types) {
		if t.Schema == builtinSchema {
			break
		}
		i := slices.IndexFunc(b.snapshot.Types, func(u catalog.UserType) bool { return u.OID == t.OID && u.Kind == 'd' })
		if i < 0 {
			break
		}
		t = b.snapshot.Types[i].Base
	}
	return t
}

func (b binder) enum(oid uint32) bool {
	o := b.snapshot.Objects.TypeObject(oid)
	return o != nil && o.Kind == 'e'
}

// unsettle marks the relations that have columns of several collations between
// them, the database's aside. C counts as one, since name has it.
func unsettle(grants map[catalog.Name]*grant) {
	collations := map[string]bool{"C": true}
	var with []*grant
	for _, g := range grants {
		for _, c := range g.columns {
			if n := c.column.Collation; n != "" {
				collations[n], with = true, append(with, g)
			}
		}
	}
	for _, g := range with {
		g.hazards.unsettled = g.hazards.unsettled || len(collations) > 1
	}
}
