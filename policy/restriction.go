package policy

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Restriction is how the rows of a relation are restricted, as far as it can
// be told in a form that others may reason with. The zero Restriction is a
// scope of any other form.
type Restriction struct {
	// Columns are those that a scope of constant comparisons tests, sorted.
	Columns []string
	// Parent is set where a row is visible exactly when the parent row it
	// points to is; On maps the relation's own columns to the parent's.
	Parent catalog.Name
	On     map[string]string
}

// Restrictions describes the scopes of the view, by relation.
func (v *View) Restrictions() map[catalog.Name]Restriction {
	out := map[catalog.Name]Restriction{}
	for n, g := range v.grants {
		switch {
		case g.broken != nil:
			out[n] = Restriction{}
		case g.scope != nil && g.simple:
			out[n] = Restriction{Columns: testedColumns(g.scope)}
		case g.scope != nil:
			out[n] = v.follows(n)
		}
	}
	return out
}

// follows tells of a relation whose only scope is one parent's.
func (v *View) follows(n catalog.Name) Restriction {
	if len(v.role.rules) != 1 {
		return Restriction{}
	}
	scopes := v.role.rules[0].scopesOf(n)
	if len(scopes) != 1 || scopes[0].config.Via == nil {
		return Restriction{}
	}
	via := scopes[0].config.Via
	return Restriction{Parent: nameOf(via.Parent), On: via.Columns}
}

func testedColumns(scope *pg_query.Node) []string {
	var out []string
	_ = stmt.Walk(scope, func(m protoreflect.Message, _ stmt.Path) error {
		if c, ok := m.Interface().(*pg_query.ColumnRef); ok && len(c.Fields) > 0 {
			out = append(out, c.Fields[len(c.Fields)-1].GetString_().GetSval())
		}
		return nil // the walk itself can't fail: the scope was walked when it was compiled
	})
	slices.Sort(out)
	return slices.Compact(out)
}
