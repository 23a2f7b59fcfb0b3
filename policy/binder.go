package policy

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// binder makes grants: it puts a role's rules, a schema and a principal's
// attributes together.
type binder struct {
	role       *Role
	snapshot   *catalog.Snapshot
	attributes map[string]any
	parts      []*rules
	partials   partiality
	code       *typeCode
	routines   map[catalog.Name]routines
}

// grant is what may be read of the table; nil when it may not be read at all.
func (b binder) grant(t *catalog.Table) *grant {
	if b.role.everything {
		return b.whole(t)
	}
	var allowing []*rules
	for _, p := range b.parts {
		if matching(p.config.Tables.Deny, t.Name) != nil {
			return nil
		}
		if b.allows(p, t) {
			allowing = append(allowing, p)
		}
	}
	if len(allowing) == 0 {
		return nil
	}
	g := &grant{table: t, denied: map[string]bool{}, code: map[string]bool{}}
	b.addColumns(g, allowing)
	if len(g.columns) == 0 {
		return nil
	}
	g.hazards = b.typeHazards(g.columns)
	for _, c := range g.columns {
		g.fenced = g.fenced || c.mask != nil && b.partials.risk(c.mask.GetTypeCast().GetArg()).on(g.hazards) > riskNone
	}
	b.addScope(g, allowing)
	return g
}

// allows tells whether the role allows the table. What carries other tables'
// rows (views, partitions, inheritance children) or comes from elsewhere
// (foreign tables) must be named without a wildcard: a rule for the other
// table doesn't reach it.
func (b binder) allows(p *rules, t *catalog.Table) bool {
	if t.Kind != catalog.KindTable && t.Kind != catalog.KindPartitioned || t.Partition || t.Parent != (catalog.Name{}) {
		return literal(p.config.Tables.Allow, t.Name)
	}
	return matching(p.config.Tables.Allow, t.Name) != nil
}

// whole is the grant of the seat belt: every column, every row.
func (b binder) whole(t *catalog.Table) *grant {
	g := &grant{table: t, denied: map[string]bool{}}
	for _, c := range t.Columns {
		g.columns = append(g.columns, grantColumn{column: c})
	}
	if len(g.columns) == 0 {
		return nil
	}
	return g
}

// addColumns leaves out what any role denies and what would run code, and masks
// what any role masks (roles of one user state the same rules for a table).
func (b binder) addColumns(g *grant, allowing []*rules) {
	for _, c := range g.table.Columns {
		out := grantColumn{column: c}
		denied := false
		for _, p := range allowing {
			rule := p.columns[g.table.Name]
			if rule == nil {
				continue
			}
			denied = denied || rule.deny[c.Name]
			if m := rule.mask[c.Name]; m != nil && out.mask == nil {
				out.mask = b.mask(g, c, m)
			}
		}
		code := !denied && b.code.of(c.Type.OID) != nil
		if denied || code {
			g.denied[c.Name], g.code[c.Name] = true, code
			continue
		}
		g.columns = append(g.columns, out)
	}
}

// mask binds a mask and casts it to the column's type.
func (b binder) mask(g *grant, c *catalog.Column, t *template) *pg_query.Node {
	n, d := b.bind(t, g.table)
	if d != nil {
		g.broken = d
		return stmt.Null()
	}
	typ, err := stmt.ParseType(typeSpelling(c.Type))
	if err != nil {
		g.broken = ruleMismatch(g.table.Name)
		return stmt.Null()
	}
	return stmt.Cast(n, typ)
}

// addScope ORs the scopes of the roles that allow the table; one that allows
// it without a scope makes it unscoped. Scopes of one role hold together.
func (b binder) addScope(g *grant, allowing []*rules) {
	for _, p := range allowing {
		if len(p.scopesOf(g.table.Name)) > 0 {
			continue
		}
		if b.childOfScoped(p, g.table) {
			g.broken = ruleMismatch(g.table.Name)
		}
		g.fenced = false
		return
	}
	var alternatives []*pg_query.Node
	var texts []string
	for _, p := range allowing {
		n, text, simple, d := b.scopeOf(p, g.table, 0)
		if d != nil {
			g.broken = d
			return
		}
		g.fenced = g.fenced || usesVia(p.scopesOf(g.table.Name))
		if slices.ContainsFunc(alternatives, func(a *pg_query.Node) bool { return stmt.Equal(a, n) }) {
			continue // two roles say the same
		}
		alternatives, texts = append(alternatives, n), append(texts, text)
		g.simple = simple && len(alternatives) == 1
	}
	g.scope = stmt.Or(alternatives...)
	g.scopeText = strings.Join(texts, " or ")
}

// childOfScoped tells that the table is a part of another that the role scopes:
// without a scope of its own it would show the other's hidden rows.
func (b binder) childOfScoped(p *rules, t *catalog.Table) bool {
	for seen := 0; t != nil && t.Parent != (catalog.Name{}) && seen < 64; seen++ {
		if len(p.scopesOf(t.Parent)) > 0 {
			return true
		}
		t = b.snapshot.Table(t.Parent)
	}
	return false
}

func usesVia(scopes []*scopeRule) bool {
	for _, s := range scopes {
		if s.config.Via != nil {
			return true
		}
	}
	return false
}

// ruleMismatch is a rule of the policy that doesn't fit the table as it is now.
// What exactly is told by Check, to the administrator.
func ruleMismatch(n catalog.Name) *Denied {
	return deny(stateDenied, "permission denied for relation %q", n.Table).
		withDetail("The policy's rules for it don't fit the table as it is now.")
}
