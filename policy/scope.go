package policy

import (
	"maps"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// maxVia bounds how far a scope may follow parents; Compile refuses circles,
// this holds whatever the schema does.
const maxVia = 16

// scopeOf binds all scopes that one role puts on a table: they hold together.
// It also returns the rule as text and whether it is only constant
// comparisons.
func (b binder) scopeOf(p *rules, t *catalog.Table, depth int) (n *pg_query.Node, text string, simple bool, d *Denied) {
	var conditions []*pg_query.Node
	var texts []string
	simple = true
	for _, s := range p.scopesOf(t.Name) {
		c, isSimple, d := b.oneScope(p, s, t, depth)
		if d != nil {
			return nil, "", false, d
		}
		conditions, texts = append(conditions, c), append(texts, s.text())
		simple = simple && isSimple
	}
	if len(conditions) == 0 {
		return nil, "", true, nil
	}
	return stmt.And(conditions...), joinRules(texts), simple, nil
}

func joinRules(texts []string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	return "(" + strings.Join(texts, ") and (") + ")"
}

func (b binder) oneScope(p *rules, s *scopeRule, t *catalog.Table, depth int) (*pg_query.Node, bool, *Denied) {
	if s.config.Via != nil {
		n, d := b.via(p, s.config.Via, t, depth)
		return n, false, d
	}
	n, d := b.bind(s.where, t)
	return n, d == nil && constantComparison(n, t), d
}

// via is EXISTS over the parent as the same role sees it.
func (b binder) via(p *rules, v *configs.Via, t *catalog.Table, depth int) (*pg_query.Node, *Denied) {
	parent := b.snapshot.Table(nameOf(v.Parent))
	if parent == nil || depth >= maxVia || !b.allows(p, parent) || matching(p.config.Tables.Deny, parent.Name) != nil {
		return nil, ruleMismatch(t.Name)
	}
	scope, _, _, d := b.scopeOf(p, parent, depth+1)
	if d != nil {
		return nil, d
	}
	alias := "parent"
	if t.Name.Table == alias {
		alias = "parent_row"
	}
	var targets, on []*pg_query.Node
	for _, own := range slices.Sorted(maps.Keys(v.Columns)) {
		theirs := v.Columns[own]
		if t.Column(own) == nil || parent.Column(theirs) == nil {
			return nil, ruleMismatch(t.Name)
		}
		targets = append(targets, stmt.Target(stmt.Column(theirs), ""))
		on = append(on, stmt.Op("=", stmt.Column(alias, theirs), stmt.Column(t.Name.Table, own)))
	}
	inner := stmt.SelectNode(&pg_query.SelectStmt{TargetList: targets, WhereClause: scope,
		FromClause: []*pg_query.Node{stmt.Table(parent.Name.Schema, parent.Name.Table, "")}})
	return stmt.Exists(stmt.SelectNode(&pg_query.SelectStmt{
		TargetList: []*pg_query.Node{stmt.Target(stmt.IntConst(1), "")},
		FromClause: []*pg_query.Node{stmt.Subselect(inner, alias)}, WhereClause: stmt.And(on...)})), nil
}
