package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
)

// excluded says "orders not from EMEA accounts" as a condition on the account that each order has:
// what that says of nulls is what "orders not in EMEA" says, and no absence has to be proven. It tells
// whether it did: where a row may lack a partner, it is among those without such a one.
func (b *builder) excluded(t tree, conds map[*catalog.Table][]plan.Expr) (bool, error) {
	if len(conds) == 0 || b.semi[b.subject] || slices.ContainsFunc(t.steps, func(s step) bool { return !s.certain() }) {
		return false, nil
	}
	var all []plan.Expr
	for _, s := range t.steps {
		if !b.joined(s) {
			if b.tree.has(s.to) {
				return false, unfit("%s is asked about twice", s.to.Name.Table)
			}
			b.tree.steps = add(b.tree.steps, s)
			b.plan.Joins = append(b.plan.Joins, plan.Join{Table: plan.TableName(s.to.Name), To: plan.Ident(alias(s.from)), Key: s.rel.Name, Kind: "inner"})
		}
		all = append(all, conds[s.to]...)
	}
	b.plan.Where = conjoin(b.plan.Where, opposite(*conjoin(nil, all...)))
	return true, nil
}

// joined tells whether the answer's rows are joined so already.
func (b *builder) joined(s step) bool {
	return !b.semi[s.to] && slices.ContainsFunc(b.tree.steps, func(o step) bool { return o.from == s.from && o.to == s.to && o.rel == s.rel })
}

// certain tells whether each row has a partner along a step: by a foreign key that is never null.
func (s step) certain() bool {
	return s.up && slices.ContainsFunc(s.from.ForeignKeys, func(f *catalog.ForeignKey) bool {
		return f.Name == s.rel.Name && f.Ref == s.to.Name && !slices.ContainsFunc(f.Columns, func(c string) bool {
			return s.from.Column(c) == nil || !s.from.Column(c).NotNull
		})
	})
}

// opposite is what holds where a condition doesn't.
func opposite(e plan.Expr) plan.Expr {
	if e.Op != nil {
		if op := map[string]string{"=": "<>", "in": "not_in"}[e.Op.Op]; op != "" {
			return apply(op, e.Op.Args...)
		}
	}
	return apply("not", e)
}
