package policy

import (
	"maps"
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
)

// Restriction is how the rows of a relation are restricted, as far as it can
// be told in a form that others may reason with. The zero Restriction is a
// scope of any other form.
type Restriction struct {
	// Held is what the scope demands of single columns: that they equal a constant,
	// or one of a list. Two columns of which the same text is demanded are cut alike:
	// where they hold the same value, both rows are visible, as far as the demand goes.
	Held map[string]string
	// Whole tells that the scope demands nothing else.
	Whole bool
	// Partition names, for a column that the policy calls a partition key, the
	// attribute that it is held to. Rows that refer to each other have the same
	// values in the partition keys of one attribute: the policy says so.
	Partition map[string]string
	// Parent is set where a row is visible whenever the parent row it
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
		case g.scope != nil:
			r := Restriction{Partition: v.partition(n)}
			r.Held, r.Whole = demands(g.scope, g.table)
			r.Parent, r.On = v.follows(n)
			out[n] = r
		}
	}
	return out
}

// allowing are the rules that let the relation be read.
func (v *View) allowing(n catalog.Name) []*rules {
	t := v.snapshot.Table(n)
	return slices.DeleteFunc(slices.Clone(v.role.partsIn(v.snapshot.Database)), func(p *rules) bool { return t == nil || !(binder{}).allows(p, t) })
}

// partition are the columns that any of the relation's scopes calls its
// partition key. What one role says of the data holds for another too.
func (v *View) partition(n catalog.Name) map[string]string {
	out := map[string]string{}
	for _, p := range v.allowing(n) {
		for _, s := range p.scopesOf(n) {
			if s.config.Partition != "" {
				out[s.config.Partition] = s.partitionOf
			}
		}
	}
	return out
}

// follows is the parent of a relation whose only scope it is in every role that
// allows it. No other role may show the parent, since it would show rows of which
// the children stay hidden.
func (v *View) follows(n catalog.Name) (parent catalog.Name, on map[string]string) {
	roles := v.allowing(n)
	for i, p := range roles {
		scopes := p.scopesOf(n)
		if len(scopes) != 1 || scopes[0].config.Via == nil {
			return catalog.Name{}, nil
		}
		via := scopes[0].config.Via
		if i > 0 && (nameOf(via.Parent) != parent || !maps.Equal(via.Columns, on)) {
			return catalog.Name{}, nil
		}
		parent, on = nameOf(via.Parent), via.Columns
	}
	if slices.ContainsFunc(v.allowing(parent), func(p *rules) bool { return !slices.Contains(roles, p) }) {
		return catalog.Name{}, nil
	}
	return parent, on
}
