package policy

import (
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// matching returns the first pattern that names the relation, nil when none.
func matching(ps []configs.Pattern, n catalog.Name) *configs.Pattern {
	for i := range ps {
		if ps[i].Match(n.Schema, n.Table) {
			return &ps[i]
		}
	}
	return nil
}

// literal tells whether one of the patterns names the relation without any
// wildcard: views, foreign tables and children of other tables must be named
// that way, since the rules of other tables don't reach them.
func literal(ps []configs.Pattern, n catalog.Name) bool {
	for _, p := range ps {
		if !p.SchemaWild && !p.TableWild && p.Match(n.Schema, n.Table) {
			return true
		}
	}
	return false
}

func nameOf(n configs.Name) catalog.Name { return catalog.Name{Schema: n.Schema, Table: n.Table} }

// spell is the relation as SQL spells it, for messages.
func spell(n catalog.Name) string { return configs.Spell(n.Schema) + "." + configs.Spell(n.Table) }
