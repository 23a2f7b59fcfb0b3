package policy

import (
	"maps"
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// Needs are the columns that the login behind the view has to be able to read, by
// relation in table order: the permitted ones, and what row rules and masks are
// made of, permitted or not. What only stands behind a mask that doesn't read it
// isn't among them. Attributes make no difference.
func (v *View) Needs() map[catalog.Name][]string {
	found := needs{}
	for n, g := range v.grants {
		masks := map[string][]*template{}
		for _, p := range v.role.rules {
			if c := p.columns[n]; c != nil {
				for name, m := range c.mask {
					masks[name] = append(masks[name], m)
				}
			}
			found.rules(v.snapshot, p, n, 0)
		}
		for _, name := range g.names() {
			if len(masks[name]) == 0 {
				found.add(n, name)
			}
			for _, m := range masks[name] {
				found.template(n, m)
			}
		}
	}
	out := map[catalog.Name][]string{}
	for n, columns := range found {
		for _, c := range v.snapshot.Table(n).Columns {
			if columns[c.Name] {
				out[n] = append(out[n], c.Name)
			}
		}
	}
	return out
}

// needs are names by relation, some of which may be no columns.
type needs map[catalog.Name]map[string]bool

func (f needs) add(n catalog.Name, names ...string) {
	if f[n] == nil {
		f[n] = map[string]bool{}
	}
	for _, name := range names {
		f[n][name] = true
	}
}

// rules adds what a role's row rules on a relation read, there and in its parents.
func (f needs) rules(s *catalog.Snapshot, p *rules, n catalog.Name, depth int) {
	for _, r := range p.scopesOf(n) {
		if r.where != nil {
			f.template(n, r.where)
		}
		if via := r.config.Via; via != nil {
			f.via(s, p, n, via, depth)
		}
	}
}

func (f needs) via(s *catalog.Snapshot, p *rules, n catalog.Name, via *configs.Via, depth int) {
	parent := nameOf(via.Parent)
	if s.Table(parent) == nil || depth >= maxVia {
		return // such a rule fits nothing, and refuses
	}
	f.add(n, slices.Collect(maps.Keys(via.Columns))...)
	f.add(parent, slices.Collect(maps.Values(via.Columns))...)
	f.rules(s, p, parent, depth+1)
}

// template adds the columns of an expression, which are all the relation's own.
func (f needs) template(n catalog.Name, t *template) {
	_ = walk(t.node, func(m any) error {
		if c, ok := m.(*pg_query.ColumnRef); ok {
			for _, field := range c.Fields {
				f.add(n, field.GetString_().GetSval())
			}
		}
		return nil
	})
}
