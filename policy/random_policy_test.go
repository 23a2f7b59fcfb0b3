package policy_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/pgask/pgask/configs"
)

// makePolicy draws the roles, and works out on its own what they add up to.
func (w *randomWorld) makePolicy() {
	rules := w.columnRules()
	for i := range w.weighted(0, 5, 3, 1) {
		w.roles = append(w.roles, w.makeRole(fmt.Sprintf("role%d", i+1)))
	}
	for _, r := range w.roles {
		r.config.Columns = rules
	}
	for _, t := range w.tables {
		w.decide(t)
	}
}

// columnRules hide and mask; all roles state the same.
func (w *randomWorld) columnRules() []configs.ColumnRule {
	var out []configs.ColumnRule
	for _, t := range w.tables {
		rule := configs.ColumnRule{Table: configs.Name{Schema: t.schema, Table: t.name}, Mask: map[string]string{}}
		for i := range t.cols {
			c := &t.cols[i]
			switch {
			case c.poison || len(t.cols) < 3:
			case w.one(7) && len(rule.Deny) < len(t.cols)-2:
				c.hidden = true
				rule.Deny = append(rule.Deny, c.name)
			case w.one(12):
				c.mask = w.maskOf(t, c)
				rule.Mask[c.name] = c.mask
			}
		}
		if len(rule.Deny)+len(rule.Mask) > 0 {
			out = append(out, rule)
		}
	}
	return out
}

func (w *randomWorld) maskOf(t *randomTable, c *randomColumn) string {
	n := quoteName(c.name)
	switch c.kind {
	case integer:
		return w.pick("0", "NULL", n+" / 10 * 10", n+" % 3", "CASE WHEN "+n+" > 3 THEN 1 END", "length('masked')")
	case decimal:
		return w.pick("round("+n+", -1)", "NULL", "0")
	case word:
		return w.pick("'***'", "NULL", "left("+n+", 1) || '*'", "md5("+n+")", "coalesce("+n+", '?')", "''")
	case day, moment:
		return w.pick("date_trunc('month', "+n+")", "NULL")
	case truth:
		return w.pick("NULL", "true", "NOT "+n)
	case mood:
		return w.pick("NULL", "'low'")
	case integers, words:
		return w.pick("NULL", "'{}'", "array_append("+n+", NULL)")
	}
	return w.pick("NULL", "'{}'")
}

func (w *randomWorld) makeRole(name string) *randomRole {
	r := &randomRole{name: name, allows: map[*randomTable]bool{}, denies: map[*randomTable]bool{}, scopes: map[*randomTable][]randomScope{}}
	r.config = &configs.Role{Name: name, Mode: "governed", SearchPath: w.path, Refusals: "generic", Limits: configs.RoleLimits{Rows: 1_000_000, StatementTimeout: 20 * time.Second}}
	wild := ""
	if w.one(3) {
		wild = oneOf(w.dice, w.schemas)
		r.config.Tables.Allow = append(r.config.Tables.Allow, configs.Pattern{Schema: wild, Table: "*", TableWild: true})
	}
	for _, t := range w.tables {
		pattern := configs.Pattern{Schema: t.schema, Table: t.name}
		plain := t.kind == "table" || t.kind == "partitioned" || t.kind == "inherited"
		r.allows[t] = plain && t.schema == wild
		if w.chance(plain) {
			r.allows[t] = true
			r.config.Tables.Allow = append(r.config.Tables.Allow, pattern)
		}
		if w.one(25) {
			r.denies[t] = true
			r.config.Tables.Deny = append(r.config.Tables.Deny, pattern)
		}
	}
	for _, t := range w.tables {
		for range w.weighted(2, 6, 2) {
			s := w.makeScope(r, t)
			r.scopes[t] = append(r.scopes[t], s)
			c := configs.Scope{Tables: []configs.Pattern{{Schema: t.schema, Table: t.name}}, Where: s.where}
			if s.parent != nil {
				c.Via = &configs.Via{Parent: configs.Name{Schema: s.parent.schema, Table: s.parent.name}, Columns: s.on}
			}
			r.config.Scopes = append(r.config.Scopes, c)
		}
	}
	return r
}

func (w *randomWorld) chance(plain bool) bool {
	if plain {
		return !w.one(5)
	}
	return w.one(2)
}

// makeScope draws a rule: by a column of any kind, or by a parent that the
// role may read.
func (w *randomWorld) makeScope(r *randomRole, t *randomTable) randomScope {
	if w.one(4) {
		if s, ok := w.viaScope(r, t); ok {
			return s
		}
	}
	var candidates []randomColumn
	for _, c := range t.cols {
		if !c.poison && c.kind != rawJSON {
			candidates = append(candidates, c)
		}
	}
	if len(candidates) == 0 {
		return randomScope{where: "true", sql: "true"}
	}
	if c := w.anyColumn(t, integer); c != nil && w.one(3) {
		// What most scopes are, and what Postgres evaluates last.
		where := quoteName(c.name) + " = :tenant"
		return randomScope{where: where, sql: w.literally(where)}
	}
	c := oneOf(w.dice, candidates)
	n := quoteName(c.name)
	both := func(where string) randomScope { return randomScope{where: where, sql: w.literally(where)} }
	if w.one(40) {
		return randomScope{where: n + " = " + w.pick(":nobody", ":ghost"), sql: "false", lacking: true}
	}
	switch c.kind {
	case integer:
		return both(w.pick(n+" = :tenant", n+" = :tenants", n+" IN (:tenants, 5)", n+" > :least", n+" <> :tenant", n+" % 3 = :tenant", n+" IS NOT NULL",
			"("+n+" = :tenant OR "+n+" IS NULL)", "coalesce("+n+", 1) = :tenant", "NOT ("+n+" = :tenant)", ":least < "+n, n+" BETWEEN 1 AND :least", "12 / ("+n+" + 1) > 1"))
	case word:
		return both(w.pick(n+" = :region", n+" = :regions", "lower("+n+") = :region", n+" = ANY (:regions)", n+" LIKE 'e%'", n+" IS NULL OR "+n+" = 'us'", n+" > :region"))
	case decimal:
		return both(w.pick(n+" > :least", n+" < 20", n+" / 2 > 3"))
	case truth:
		return both(w.pick(n, "NOT "+n, n+" IS NOT TRUE"))
	case day:
		return both(n + " >= '2024-02-05'")
	case moment:
		return both("extract(day FROM " + n + ") > 20")
	case mood:
		return both(w.pick(n+" = 'low'", n+" IN ('low', 'é')", n+" > 'low'"))
	case integers:
		return both(n + " @> '{1}'")
	case words:
		return both("'t1' = ANY (" + n + ")")
	}
	return both(n + " ->> 'r' = :region")
}

// literally spells the attributes.
func (w *randomWorld) literally(where string) string {
	return strings.NewReplacer("= :tenants", "= ANY (ARRAY[1, 3])", ":tenants", "1, 3", "= :regions", "= ANY (ARRAY['eu', 'it''s'])", "ANY (:regions)", "ANY (ARRAY['eu', 'it''s'])",
		":tenant", "1", ":region", "'eu'", ":least", "4").Replace(where)
}

func (w *randomWorld) viaScope(r *randomRole, t *randomTable) (randomScope, bool) {
	at := slices.Index(w.tables, t)
	var parents []*randomTable
	for _, p := range w.tables[:at] {
		if r.allows[p] && !r.denies[p] && p.kind != "part" && p.kind != "child" {
			parents = append(parents, p)
		}
	}
	if len(parents) == 0 {
		return randomScope{}, false
	}
	p := oneOf(w.dice, parents)
	own, theirs := w.anyColumn(t, integer), w.anyColumn(p, integer)
	if own == nil || theirs == nil {
		return randomScope{}, false
	}
	s := randomScope{parent: p, on: map[string]string{own.name: theirs.name}}
	if a, b := w.anyColumn(t, word), w.anyColumn(p, word); a != nil && b != nil && w.one(4) {
		s.on[a.name] = b.name
	}
	var conditions []string
	for own, theirs := range s.on {
		conditions = append(conditions, fmt.Sprintf("p.%s = me.%s", quoteName(theirs), quoteName(own)))
	}
	sort.Strings(conditions)
	s.sql = fmt.Sprintf("EXISTS (SELECT 1 FROM %s p WHERE %s)", parentView(r, p), strings.Join(conditions, " AND "))
	for _, parents := range r.scopes[p] {
		s.lacking = s.lacking || parents.lacking
	}
	return s, true
}

func (w *randomWorld) anyColumn(t *randomTable, k kind) *randomColumn {
	var found []*randomColumn
	for i := range t.cols {
		if t.cols[i].kind == k && !t.cols[i].poison {
			found = append(found, &t.cols[i])
		}
	}
	if len(found) == 0 {
		return nil
	}
	return oneOf(w.dice, found)
}

// parentView is a view, in a schema that only the oracle uses, of what one role
// alone sees of a table.
func parentView(r *randomRole, t *randomTable) string {
	return "oracle." + quoteName(r.name+" "+t.schema+" "+t.name)
}

// decide adds the roles up for one relation.
func (w *randomWorld) decide(t *randomTable) {
	var allowing []*randomRole
	for _, r := range w.roles {
		if r.denies[t] {
			return
		}
		if r.allows[t] {
			allowing = append(allowing, r)
		}
	}
	if len(allowing) == 0 || len(t.visible()) == 0 {
		return
	}
	t.readable = true
	var alternatives []string
	unscoped := false
	for _, r := range allowing {
		if len(r.scopes[t]) == 0 {
			unscoped = true
			t.readable = t.readable && (t.parent == nil || len(r.scopes[t.parent]) == 0)
			break
		}
	}
	for _, r := range allowing {
		for _, s := range r.scopes[t] {
			if s.lacking && !unscoped {
				t.readable = false
			}
		}
		alternatives = append(alternatives, "("+ruleOf(r, t)+")")
	}
	if !unscoped {
		t.predicate = strings.Join(alternatives, " OR ")
	}
	masked := slices.ContainsFunc(t.cols, func(c randomColumn) bool { return c.mask != "" })
	hidden := slices.ContainsFunc(t.cols, func(c randomColumn) bool { return c.hidden })
	view := t.kind == "view" || t.kind == "materialized"
	t.standIn = masked || view && (t.predicate != "" || hidden) || hidden && w.one(3)
}

// ruleOf is what one role's scopes say, with the row called me.
func ruleOf(r *randomRole, t *randomTable) string {
	var all []string
	for _, s := range r.scopes[t] {
		all = append(all, "("+s.sql+")")
	}
	if len(all) == 0 {
		return "true"
	}
	return strings.Join(all, " AND ")
}

// parents are the views that via rules look into.
func (w *randomWorld) parents() []string {
	out := []string{"CREATE SCHEMA oracle"}
	for _, t := range w.tables {
		for _, r := range w.roles {
			out = append(out, fmt.Sprintf("CREATE VIEW %s AS SELECT * FROM %s me WHERE %s", parentView(r, t), t.sql(), ruleOf(r, t)))
		}
	}
	return out
}

// poison spoils the rows that may not be seen.
func (w *randomWorld) poison() []string {
	var out []string
	for _, t := range w.tables {
		if !t.readable || t.predicate == "" {
			continue
		}
		for _, c := range t.cols {
			if c.poison {
				bad := map[kind]string{integer: "0", word: `'(\'`, document: "'{}'"}[c.kind]
				out = append(out, fmt.Sprintf("UPDATE %s me SET %s = %s WHERE (%s) IS NOT TRUE", t.sql(), quoteName(c.name), bad, t.predicate))
			}
		}
	}
	return out
}

// oracle is the policy in Postgres's own means, for the login analyst.
func (w *randomWorld) oracle(analyst string) []string {
	out := []string{"CREATE SCHEMA hidden"}
	for _, s := range append([]string{"oracle"}, w.schemas...) {
		out = append(out, fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s", quoteName(s), analyst))
	}
	out = append(out, "GRANT SELECT ON ALL TABLES IN SCHEMA oracle TO "+analyst)
	for i, t := range w.tables {
		if !t.readable {
			continue
		}
		var cols, shown []string
		for _, c := range t.visible() {
			cols = append(cols, c.name)
			if c.mask != "" {
				shown = append(shown, fmt.Sprintf("(%s)::%s AS %s", c.mask, c.sql, quoteName(c.name)))
			} else {
				shown = append(shown, quoteName(c.name))
			}
		}
		where := t.predicate
		if where == "" {
			where = "true"
		}
		switch {
		case t.standIn:
			what, old := "TABLE", fmt.Sprintf("r%d", i)
			out = append(out, fmt.Sprintf("ALTER %s %s RENAME TO %s", what, t.sql(), old),
				fmt.Sprintf("ALTER %s %s.%s SET SCHEMA hidden", what, quoteName(t.schema), old),
				fmt.Sprintf("CREATE VIEW %s WITH (security_barrier) AS SELECT %s FROM hidden.%s me WHERE %s", t.sql(), strings.Join(shown, ", "), old, where),
				fmt.Sprintf("GRANT SELECT ON %s TO %s", t.sql(), analyst))
			continue
		case t.predicate != "":
			out = append(out, fmt.Sprintf("ALTER TABLE %s ENABLE ROW LEVEL SECURITY", t.sql()),
				fmt.Sprintf("CREATE POLICY p ON %s USING (%s)", t.sql(), strings.ReplaceAll(where, "me.", quoteName(t.name)+".")))
		}
		if len(cols) == len(t.cols) {
			out = append(out, fmt.Sprintf("GRANT SELECT ON %s TO %s", t.sql(), analyst))
		} else {
			out = append(out, fmt.Sprintf("GRANT SELECT (%s) ON %s TO %s", names(cols), t.sql(), analyst))
		}
	}
	return out
}
