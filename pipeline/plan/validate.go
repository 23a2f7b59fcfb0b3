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
func Validate(p *Plan, c Context) (*Checked, error) {
	if c.Semantic == nil {
		c.Semantic = &semantic.Model{}
	}
	k := &checker{Context: c, given: p, used: map[*rel]map[string]bool{}, broken: map[string]bool{}}
	k.structure()
	if k.given.Set != nil || k.given.From.Plan != nil {
		k.faultf(stageStructure, CodeUnsupported, "", "derived blocks and set operations can't be compiled yet")
		return nil, newRejections(k.faults)
	}
	if len(k.faults) > 0 && k.faults[0].Code == CodeTooLarge {
		return nil, newRejections(k.faults)
	}
	k.tables()
	b := k.block()
	if len(k.faults) == 0 || onlyLate(k.faults) {
		k.measures(b)
		k.guarantee(b)
	}
	if len(k.faults) > 0 {
		return nil, newRejections(k.faults)
	}
	return k.checked(b)
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
		c.faultf(stageStructure, CodeTooLarge, "", "the plan is too large: at most %d items and %d joins", maxItems, maxJoins)
	}
	if p.Version != Version {
		f := c.faultf(stageStructure, CodeVersion, "/version", "the plan language is version %d, not %d", Version, p.Version)
		f.Repair = Repair{{"add", "/version", Version}}
	}
	if len(p.Select) == 0 {
		c.faultf(stageStructure, CodeMissing, "/select", "select has at least one item")
	}
	if p.Limit != nil && *p.Limit < 0 {
		c.faultf(stageStructure, CodeLimit, "/limit", "a limit is not negative")
	}
	if p.Offset != nil && *p.Offset < 0 {
		c.faultf(stageStructure, CodeLimit, "/offset", "an offset is not negative")
	}
	if p.Offset != nil && *p.Offset > 0 && len(p.OrderBy) == 0 {
		c.faultf(stageStructure, CodeLimit, "/offset", "rows can only be skipped in an order: add order_by")
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
func (c *checker) checked(b *block) (*Checked, error) {
	tree := c.compile(b)
	annotations := c.annotate()
	if b.bounded() {
		annotations.Completeness = "bounded"
	}
	done := &Checked{plan: c.canonical(b), annotations: annotations, qualifiers: c.qualifiers,
		columns: b.columns(), tables: c.relations(), tree: tree}
	hash, err := hashOf(done.plan)
	if err != nil {
		return nil, fmt.Errorf("hash plan: %w", err)
	}
	done.hash = hash
	return done, nil
}

func (c *checker) relations() []catalog.Name {
	set := map[catalog.Name]bool{}
	for _, r := range c.rels {
		set[r.table.Name] = true
	}
	return slices.SortedFunc(maps.Keys(set), catalog.Name.Compare)
}
