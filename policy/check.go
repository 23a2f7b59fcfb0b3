package policy

import (
	"fmt"
	"maps"
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// Check holds the policy against a real schema: patterns and rules that match
// nothing are warnings, rules that don't fit the table they name are faults.
func (p *Policy) Check(s *catalog.Snapshot) []configs.Fault {
	var faults []configs.Fault
	for _, name := range slices.Sorted(maps.Keys(p.roles)) {
		r := p.roles[name]
		if !r.inDatabase(s.Database) || r.config.Mode != modeGoverned {
			continue
		}
		c := checker{rules: r, snapshot: s, key: "roles." + name}
		c.patterns(r.config.Tables.Allow, ".tables.allow")
		c.patterns(r.config.Tables.Deny, ".tables.deny")
		c.code = newTypeCode(&s.Objects, r.functions)
		c.routines = newRoutines(&s.Objects, r.functions, c.code)
		c.columns()
		c.scopes()
		c.typeCode()
		c.functions()
		faults = append(faults, c.faults...)
	}
	return faults
}

type checker struct {
	rules    *rules
	snapshot *catalog.Snapshot
	code     *typeCode
	routines map[catalog.Name]routines
	key      string
	faults   []configs.Fault
}

func (c *checker) add(pos configs.Pos, key string, warning bool, format string, args ...any) {
	c.faults = append(c.faults, configs.Fault{Pos: pos, Key: c.key + key, Warning: warning, Msg: fmt.Sprintf(format, args...)})
}

func (c *checker) matched(p configs.Pattern) []*catalog.Table {
	var out []*catalog.Table
	for _, t := range c.snapshot.Tables {
		if p.Match(t.Name.Schema, t.Name.Table) {
			out = append(out, t)
		}
	}
	return out
}

// patterns warns of patterns without effect, and of views and the like that a
// wildcard doesn't reach.
func (c *checker) patterns(list []configs.Pattern, key string) {
	for _, p := range list {
		tables := c.matched(p)
		if len(tables) == 0 {
			c.add(p.Pos, key, true, "%s matches no relation%s", p, c.meantTable(p.Text))
		}
		if key != ".tables.allow" {
			continue
		}
		for _, t := range tables {
			special := t.Kind != catalog.KindTable && t.Kind != catalog.KindPartitioned
			if special && !literal(c.rules.config.Tables.Allow, t.Name) && matching(c.rules.config.Tables.Deny, t.Name) == nil {
				c.add(p.Pos, key, true, "%s doesn't reach %s: views and foreign tables are allowed by their full name only", p, spell(t.Name))
			}
		}
	}
}

func (c *checker) columns() {
	for i, rule := range c.rules.config.Columns {
		key := fmt.Sprintf(".columns[%d]", i)
		t := c.snapshot.Table(nameOf(rule.Table))
		if t == nil {
			c.add(rule.Pos, key+".table", true, "%s doesn't exist%s", rule.Table, c.meantTable(rule.Table.String()))
			continue
		}
		for _, name := range rule.Deny {
			if t.Column(name) == nil {
				c.add(rule.Pos, key+".deny", true, "%s has no column %s%s", rule.Table, name, meantColumn(name, t))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(rule.Mask)) {
			if t.Column(name) == nil {
				c.add(rule.Pos, key+".mask", true, "%s has no column %s%s", rule.Table, name, meantColumn(name, t))
			}
			if m := c.rules.columns[t.Name].mask[name]; m != nil {
				c.fits(m, t, rule.Pos, key+".mask."+name)
			}
		}
	}
}

func (c *checker) scopes() {
	for i, s := range c.rules.scopes {
		key := fmt.Sprintf(".scopes[%d]", i)
		for _, p := range s.config.Tables {
			tables := c.matched(p)
			if len(tables) == 0 {
				c.add(s.config.Pos, key, true, "%s matches no relation%s", p, c.meantTable(p.Text))
			}
			for _, t := range tables {
				if s.where != nil {
					c.fits(s.where, t, s.config.Pos, key+".where")
				} else {
					c.viaFits(s, t, key+".via")
				}
			}
		}
	}
}

// fits looks for columns that the table doesn't have.
func (c *checker) fits(t *template, table *catalog.Table, pos configs.Pos, key string) {
	err := missingColumn(t, table)
	if err == nil {
		err = c.unclearCall(t)
	}
	if err != nil && c.rules.allows(table.Name) {
		c.add(pos, key, false, "%s: %v", spell(table.Name), err)
	}
}

// missingColumn names the first column that the table lacks.
func missingColumn(t *template, table *catalog.Table) error {
	return walk(t.node, func(m any) error {
		ref, ok := m.(*pg_query.ColumnRef)
		if !ok {
			return nil
		}
		if name := ref.Fields[0].GetString_().GetSval(); table.Column(name) == nil {
			return fmt.Errorf("has no column %s%s", configs.Spell(name), meantColumn(name, table))
		}
		return nil
	})
}

func (c *checker) viaFits(s *scopeRule, t *catalog.Table, key string) {
	parent := c.snapshot.Table(nameOf(s.config.Via.Parent))
	if parent == nil {
		c.add(s.config.Pos, key, false, "%s doesn't exist, so no row of %s would be visible", s.config.Via.Parent, spell(t.Name))
		return
	}
	for _, own := range slices.Sorted(maps.Keys(s.config.Via.Columns)) {
		if t.Column(own) == nil {
			c.add(s.config.Pos, key, false, "%s has no column %s%s", spell(t.Name), configs.Spell(own), meantColumn(own, t))
		}
		if theirs := s.config.Via.Columns[own]; parent.Column(theirs) == nil {
			c.add(s.config.Pos, key, false, "%s has no column %s%s", spell(parent.Name), configs.Spell(theirs), meantColumn(theirs, parent))
		}
	}
}
