package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// Validate checks a plan against schema, meaning and access. The error is a
// *Rejections that holds every fault at once.
func Validate(p *Plan, c Context) (*Checked, error) { return validate(p, c, true) }

// validate looks for the repairs that take another validation only where it is told to.
func validate(p *Plan, c Context, repair bool) (*Checked, error) {
	if c.Semantic == nil {
		c.Semantic = &semantic.Model{}
	}
	k := &run{Context: c, used: map[*rel]map[string]bool{}, newest: map[string]Period{}}
	if p.Version != Version {
		f := k.faultf(stageStructure, CodeVersion, "/version", "the plan language is version %d, not %d", Version, p.Version)
		f.Repair = Repair{{"add", "/version", Version}}
		f.Safe = true
	}
	q := k.query(p, "", nil, env{})
	if onlyLate(k.faults) {
		for _, inner := range k.queries { // nested ones come before what holds them
			inner.judge()
			if len(k.faults) == 0 {
				inner.compile()
			}
		}
	}
	if len(k.faults) > 0 {
		if repair {
			k.repairFanOuts(p)
		}
		for _, d := range slices.Backward(k.drilled) { // inner ones come behind what holds them
			for _, f := range k.faults {
				d.explain(f)
			}
		}
		return nil, newRejections(k.faults)
	}
	k.restsOnPartitions(p)
	return k.checked(q, p)
}

// onlyLate tells whether all that is wrong is of a stage that later ones
// don't build on.
func onlyLate(faults []*Rejection) bool {
	return !slices.ContainsFunc(faults, func(f *Rejection) bool { return f.stage < stageMeasures })
}

// structure checks what needs no schema.
func (c *checker) structure() {
	p := c.given
	if len(p.Select) > maxItems || len(p.GroupBy) > maxItems || len(p.OrderBy) > maxItems || len(p.Joins) > maxJoins {
		c.faultf(stageStructure, CodeTooLarge, c.base, "the plan is too large: at most %d items and %d joins", maxItems, maxJoins)
	}
	if len(p.Select) == 0 {
		c.faultf(stageStructure, CodeMissing, c.base+"/select", "select has at least one item")
	}
	c.bounds()
}

// bounds checks limit and offset.
func (c *checker) bounds() {
	p := c.given
	if p.Limit != nil && *p.Limit < 0 {
		c.faultf(stageStructure, CodeLimit, c.base+"/limit", "a limit is not negative")
	}
	if p.Offset != nil && *p.Offset < 0 {
		c.faultf(stageStructure, CodeLimit, c.base+"/offset", "an offset is not negative")
	}
	if p.Offset != nil && *p.Offset > 0 && len(p.OrderBy) == 0 {
		c.faultf(stageStructure, CodeLimit, c.base+"/offset", "rows can only be skipped in an order: add order_by")
	}
}

// tables declares all relations, so that every expression sees them.
func (c *checker) tables() {
	c.from()
	for i := range c.given.Joins {
		before := len(c.rels)
		c.join(i)
		if j := c.given.Joins[i]; len(c.rels) == before {
			c.breakAlias(j.Table, j.As)
		}
	}
}

// breakAlias remembers a table that could not be joined, so that its columns
// are not faults of their own.
func (c *checker) breakAlias(table, as string) {
	if as == "" {
		if parts, ok := splitName(table); ok {
			as = parts[len(parts)-1].text
		}
	}
	c.broken[as] = true
}

// checked is the end of a plan that has no fault.
func (k *run) checked(q *query, given *Plan) (*Checked, error) {
	annotations := k.annotate()
	if slices.ContainsFunc(k.queries, (*query).bounded) {
		annotations.Completeness = "bounded"
	}
	canonical := *q.canonical
	canonical.Version, canonical.Reasoning = Version, given.Reasoning
	done := &Checked{plan: &canonical, annotations: annotations, qualifiers: k.qualifiers, tables: k.relations(), outputs: q.outputs(), tree: q.tree, cut: k.cut, linked: annotations.Confidence}
	for _, s := range k.searches {
		done.searches = append(done.searches, s.query)
	}
	for _, col := range q.columns {
		done.columns = append(done.columns, Column{Name: col.name, Type: col.typ.sql})
		done.types, done.counts = append(done.types, col.typ), append(done.counts, col.counts)
	}
	hash, err := hashOf(done.plan)
	if err != nil {
		return nil, fmt.Errorf("hash plan: %w", err)
	}
	done.hash = hash
	return done, nil
}

func (k *run) relations() []catalog.Name {
	set := map[catalog.Name]bool{}
	for _, q := range k.queries {
		for _, r := range q.tables() {
			set[r.table.Name] = true
		}
	}
	return slices.SortedFunc(maps.Keys(set), catalog.Name.Compare)
}
