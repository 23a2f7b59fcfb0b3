package plan

import (
	"maps"
	"slices"
	"strings"
)

// annotate says what remains true but qualified.
func (k *run) annotate() Annotations {
	a := Annotations{Completeness: "exact", Confidence: 1, Guarantee: "full"}
	scoped, masked := map[string]bool{}, map[string]bool{}
	for _, q := range k.queries {
		for _, r := range q.tables() {
			if _, ok := k.Access.Scoped[r.table.Name]; ok {
				scoped[TableName(r.table.Name)] = true
			}
			for _, col := range k.Access.Masked[r.table.Name] {
				if k.used[r][col] {
					masked[TableName(r.table.Name)+"."+Ident(col)] = true
				}
			}
		}
	}
	a.Confidence = k.linked()
	if k.partial() {
		a.Completeness = "bounded"
	}
	if len(masked) > 0 {
		k.qualifiers = slices.Insert(k.qualifiers, 0, "masked: "+join(masked))
	}
	if len(scoped) > 0 {
		a.Guarantee = "scoped"
		k.qualifiers = slices.Insert(k.qualifiers, 0, "within what you may see: "+join(scoped))
	}
	if k.decidedByMask() {
		a.Guarantee = "none"
	}
	return a
}

// decidedByMask tells whether what a mask shows decides which rows or groups there
// are, or what is computed of them: the answer is then about masks, not about what
// they hide. Showing it, and a join by which nothing is left out, decide nothing.
func (k *run) decidedByMask() bool {
	if len(k.Access.Masked) == 0 {
		return false
	}
	var o Output
	for _, q := range k.queries {
		q.decides(&o)
	}
	return slices.ContainsFunc(o.From, func(r Read) bool { return slices.Contains(k.Access.Masked[r.Table], r.Column) })
}

// decides notes what a query's rows, groups and measures depend on.
func (q *query) decides(o *Output) {
	c := q.c
	var note func(t *typed)
	note = func(t *typed) {
		if t == nil {
			return
		}
		c.reads(t, o)
		for _, p := range t.parts {
			if !c.asksForNull(t, p) {
				note(p)
			}
		}
	}
	if q.set != nil {
		if !q.set.all || q.set.op != "union" { // equal rows are found
			for _, m := range q.set.members {
				for _, col := range m.outputs() {
					o.From = append(o.From, col.From...)
				}
			}
		}
		return
	}
	b := q.b
	note(b.where)
	note(b.having)
	for _, g := range b.groups {
		if b.grouped {
			note(g)
		}
	}
	for _, r := range c.rels {
		note(r.where)
		for _, name := range r.ownColumns {
			o.From = append(o.From, r.read(name)...)
		}
		for _, name := range r.parentColumns {
			o.From = append(o.From, r.parent.read(name)...)
		}
	}
	for _, item := range b.items {
		if b.given.Distinct {
			note(item.typed)
		}
		item.walk(func(x *typed) {
			if x.measure != nil || x.windowed {
				note(x)
			}
		})
	}
	for _, key := range b.order {
		if b.limit != nil || b.offset != nil {
			note(key.typed)
		}
	}
}

// asksForNull tells whether an expression only asks of a part whether it is null, where a mask of
// it doesn't change that: a test, or a count.
func (c *checker) asksForNull(t, part *typed) bool {
	test := t.expr.Op != nil && (t.expr.Op.Op == "is_null" || t.expr.Op.Op == "is_not_null")
	count := t.measure != nil && t.measure.name == "count" && !t.measure.distinct && t.measure.arg == part
	if part.rel == nil || !test && !count {
		return false
	}
	r, columns := origin(part.rel, []string{part.column.Name})
	return r != nil && slices.Contains(c.Access.NullsKept[r.table.Name], columns[0])
}

// read is what a column of the relation is made of.
func (r *rel) read(column string) []Read {
	if r.query == nil {
		return []Read{{r.table.Name, column}}
	}
	o, _ := r.query.outputOf(column)
	return o.From
}

func join(set map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(set)), ", ")
}
