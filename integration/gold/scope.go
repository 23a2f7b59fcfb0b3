package gold

import (
	"fmt"
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// rel is one table of FROM.
type rel struct {
	alias  string
	table  *catalog.Table
	placed bool // in the plan
	// many are the tables to which a join leads that may repeat this one's
	// rows, one those to which one leads that may not.
	many, one []*rel
}

// repeated tells whether joins may repeat the table's rows.
func (r *rel) repeated() bool {
	seen := map[*rel]bool{r: true}
	for next := []*rel{r}; len(next) > 0; next = next[1:] {
		if slices.ContainsFunc(next[0].many, func(x *rel) bool { return !seen[x] }) {
			return true
		}
		for _, x := range next[0].one {
			if !seen[x] {
				seen[x] = true
				next = append(next, x)
			}
		}
	}
	return false
}

func (r *rel) source() plan.Source {
	r.placed = true
	return plan.Source{Table: plan.TableName(r.table.Name), As: r.alias}
}

// scope is one SELECT's FROM and WHERE: what names mean inside of it.
type scope struct {
	*converter
	outer *scope
	rels  []*rel
	// conditions are those of WHERE and of all joins, which are inner ones:
	// and-ed, it makes no difference where they stand.
	conditions []*pg_query.Node
}

// scope reads FROM and WHERE.
func (k *converter) scope(s *pg_query.SelectStmt, outer *scope) (*scope, error) {
	b := &scope{converter: k, outer: outer}
	for _, n := range s.GetFromClause() {
		if err := b.from(n); err != nil {
			return nil, err
		}
	}
	if len(b.rels) == 0 {
		return nil, Unsupported("SELECT without FROM")
	}
	b.condition(s.GetWhereClause())
	return b, nil
}

func (b *scope) from(n *pg_query.Node) error {
	switch {
	case n.GetRangeVar() != nil:
		v := n.GetRangeVar()
		name := catalog.Name{Schema: v.GetSchemaname(), Table: v.GetRelname()}
		if name.Schema == "" {
			name.Schema = b.schema
		}
		t := b.catalog.Table(name)
		if t == nil {
			return fmt.Errorf("there is no table %s", plan.TableName(name))
		}
		r := &rel{alias: name.Table, table: t}
		if v.GetAlias() != nil {
			r.alias = v.GetAlias().GetAliasname()
		}
		b.rels = append(b.rels, r)
		return nil
	case n.GetJoinExpr() != nil:
		j := n.GetJoinExpr()
		if j.GetJointype() != pg_query.JoinType_JOIN_INNER || j.GetIsNatural() || len(j.GetUsingClause()) > 0 {
			return Unsupported("join that is not inner, or with USING")
		}
		if err := b.from(j.GetLarg()); err != nil {
			return err
		}
		if err := b.from(j.GetRarg()); err != nil {
			return err
		}
		b.condition(j.GetQuals())
		return nil
	}
	return Unsupported(fmt.Sprintf("%T in FROM", n.GetNode()))
}

// condition adds a condition, in its and-ed parts.
func (b *scope) condition(n *pg_query.Node) {
	switch x := n.GetBoolExpr(); {
	case n == nil:
	case x != nil && x.GetBoolop() == pg_query.BoolExprType_AND_EXPR:
		for _, a := range x.GetArgs() {
			b.condition(a)
		}
	default:
		b.conditions = append(b.conditions, n)
	}
}

// joins places the tables behind the first one, each along a relationship
// whose columns the conditions hold equal. Those conditions are then said.
func (b *scope) joins() ([]plan.Join, error) {
	b.rels[0].placed = true
	var out []plan.Join
	for range b.rels[1:] {
		j := b.next()
		if j == nil {
			j = b.sameColumn()
		}
		if j == nil {
			return nil, Unsupported("join without a relationship")
		}
		out = append(out, *j)
	}
	return out, nil
}

// sameColumn is a join of rows that have the same in one column of their
// table: of a derived block, since no relationship says it.
func (b *scope) sameColumn() *plan.Join {
	for _, n := range b.conditions {
		p := b.pair(n)
		if p == nil || p.left.placed == p.right.placed || p.left.table != p.right.table || p.column != p.column2 {
			continue
		}
		to, r := p.left, p.right
		if r.placed {
			to, r = r, to
		}
		b.equal(to, []string{p.column}, r, []string{p.column})
		block := &plan.Plan{From: r.source()}
		block.Select = r.all()
		to.many, r.many = append(to.many, r), append(r.many, to)
		return &plan.Join{Plan: block, As: r.alias, To: to.alias,
			On: [][]string{{plan.ColumnName(to.alias, p.column), plan.ColumnName(r.alias, p.column)}}}
	}
	return nil
}

// all are the table's columns.
func (r *rel) all() []plan.Item {
	var out []plan.Item
	for _, c := range r.table.Columns {
		out = append(out, plan.Item{Expr: plan.Expr{Column: plan.ColumnName(r.alias, c.Name)}})
	}
	return out
}

// next is the next join that a relationship allows; nil where none does.
func (b *scope) next() *plan.Join {
	for _, r := range b.rels {
		if r.placed {
			continue
		}
		for _, to := range b.rels {
			if !to.placed {
				continue
			}
			for _, key := range b.semantic.Relationships {
				if j := b.along(key, r, to); j != nil {
					r.placed = true
					return j
				}
			}
		}
	}
	return nil
}

// along is the join of r to a placed table by a relationship, if the
// conditions hold all its columns equal.
func (b *scope) along(key *semantic.Relationship, r, to *rel) *plan.Join {
	j := &plan.Join{Table: plan.TableName(r.table.Name), As: r.alias, To: to.alias, Key: key.Name}
	from := to // the table whose rows point
	switch {
	case key.From == to.table.Name && key.To == r.table.Name && b.equal(to, key.FromColumns, r, key.ToColumns):
		to = r
	case key.From == r.table.Name && key.To == to.table.Name && b.equal(r, key.FromColumns, to, key.ToColumns):
		j.Reverse = key.From == key.To
		from = r
	default:
		return nil
	}
	from.one = append(from.one, to)
	if key.OneToOne {
		to.one = append(to.one, from)
	} else {
		to.many = append(to.many, from)
	}
	return j
}

// equal tells whether conditions hold the columns of two tables equal, and
// takes those conditions away.
func (b *scope) equal(x *rel, xs []string, y *rel, ys []string) bool {
	var found []int
	for i := range xs {
		at := slices.IndexFunc(b.conditions, func(n *pg_query.Node) bool {
			p := b.pair(n)
			return p != nil && (*p == pair{x, xs[i], y, ys[i]} || *p == pair{y, ys[i], x, xs[i]})
		})
		if at < 0 {
			return false
		}
		found = append(found, at)
	}
	slices.Sort(found)
	for _, at := range slices.Backward(found) {
		b.conditions = slices.Delete(b.conditions, at, at+1)
	}
	return true
}

// pair is a condition that two columns of two tables are equal.
type pair struct {
	left    *rel
	column  string
	right   *rel
	column2 string
}

// pair reads a condition as such; nil where it is something else.
func (b *scope) pair(n *pg_query.Node) *pair {
	x := n.GetAExpr()
	if x.GetKind() != pg_query.A_Expr_Kind_AEXPR_OP || operator(x) != "=" {
		return nil
	}
	l, lc := b.find(x.GetLexpr())
	r, rc := b.find(x.GetRexpr())
	if l == nil || r == nil || l == r || !slices.Contains(b.rels, l) || !slices.Contains(b.rels, r) {
		return nil
	}
	return &pair{l, lc, r, rc}
}

// where is what is left of the conditions when the joins have theirs.
func (b *scope) where() (*plan.Expr, error) {
	args, err := b.exprs(b.conditions)
	if err != nil || len(args) == 0 {
		return nil, err
	}
	if len(args) == 1 {
		return &args[0], nil
	}
	return op("and", args...), nil
}

// find is the column that a reference means: of this SELECT, or of one
// around it.
func (b *scope) find(n *pg_query.Node) (*rel, string) {
	fields := n.GetColumnRef().GetFields()
	var names []string
	for _, f := range fields {
		names = append(names, f.GetString_().GetSval())
	}
	for s := b; s != nil && len(names) > 0; s = s.outer {
		for _, r := range s.rels {
			if len(names) > 1 && names[len(names)-2] != r.alias {
				continue
			}
			if name := names[len(names)-1]; r.table.Column(name) != nil {
				return r, name
			}
		}
	}
	return nil, ""
}
