package plan

import (
	"fmt"
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// checker carries one block through all checks. It collects faults instead of
// stopping at the first, and builds the tree on the way: what it can't build
// it has refused.
type checker struct {
	*run
	given *Plan
	// base is the block's place in the plan.
	base string
	// outer is the block around a sub-plan, whose columns it may name as an
	// expression in outerEnv does; nil where there is none. Correlated are
	// those it named, as the outer block sees them.
	outer      *checker
	outerEnv   env
	correlated []*typed
	// rels are the block's relations in order, those of semi and anti joins
	// included.
	rels []*rel
	// groups are the block's groupings, where its condition, once they are known.
	groups []*typed
	where  *typed
	// sums are all uses of aggregates and metrics, for the measure checks.
	sums []*measureUse
	// overWindow are the aggregates over windows, windows the clauses whose order
	// must tell equal rows apart.
	overWindow []*measureUse
	windows    []*pg_query.WindowDef
	// fanned are the fan-outs among the faults.
	fanned []*Rejection
	// drill is set for a block that drills across.
	drill *drill
	// broken are the aliases of tables that could not be resolved.
	broken map[string]bool
}

// rel is one relation of the block and the join that brought it in.
type rel struct {
	alias string
	// table is the catalog's; that of a derived block, which query holds, is
	// made of its output columns.
	table *catalog.Table
	query *query
	// search is set where only the nearest rows are taken.
	search *search
	at     string // its place in the plan
	kind   string // "" for the first, else the join's
	// parent is the relation it joins to, along key; toOne tells that a row
	// of parent has at most one partner here, fromOne the reverse.
	parent         *rel
	key            *semantic.Relationship
	toOne, fromOne bool
	// parentColumns and ownColumns are what the join holds equal.
	parentColumns, ownColumns []string
	// on tells that no key says these columns.
	on bool
	// forward tells that parent is the From side of key.
	forward bool
	// host is the semi or anti joined relation in whose EXISTS it stands;
	// nil in the outer block. A semi or anti joined relation hosts itself.
	host *rel
	// nullable tells that a left join can leave it without a row.
	nullable bool
	where    *typed
	// added tells that a metric's filter brought it in.
	added bool
}

func (r *rel) exists() bool { return r.kind == "semi" || r.kind == "anti" }

// faultf adds a fault and returns it, so that nearest names, a repair or a hint
// can be set.
func (k *run) faultf(s stage, code Code, at, format string, args ...any) *Rejection {
	r := &Rejection{stage: s, Code: code, Path: at, Message: fmt.Sprintf(format, args...)}
	k.faults = append(k.faults, r)
	return r
}

// table resolves a relation's name; a bare one must be unique.
func (c *checker) table(spelled, at string) *catalog.Table {
	if spelled == "" {
		c.faultf(stageStructure, CodeMissing, at, "a table's name is missing")
		return nil
	}
	parts, ok := splitName(spelled)
	var found []*catalog.Table
	for _, t := range c.Catalog.Tables {
		switch {
		case spelled == t.Name.Table,
			ok && len(parts) == 1 && parts[0].is(t.Name.Table),
			ok && len(parts) == 2 && parts[0].is(t.Name.Schema) && parts[1].is(t.Name.Table):
			found = append(found, t)
		}
	}
	switch len(found) {
	case 1:
		return found[0]
	case 0:
		r := c.faultf(stageNames, CodeTable, at, "there is no table %s", spelled)
		r.Nearest = c.nearestTables(spelled, parts)
		if len(r.Nearest) == 1 {
			r.Repair = Repair{{"replace", at, r.Nearest[0]}}
		}
	default:
		r := c.faultf(stageNames, CodeAmbiguous, at, "table %s is in several schemas", spelled)
		for _, t := range found {
			r.Nearest = append(r.Nearest, TableName(t.Name))
		}
	}
	return nil
}

func (c *checker) nearestTables(spelled string, parts []part) []string {
	if len(parts) > 0 {
		spelled = parts[len(parts)-1].text
	}
	var bare []string
	for _, t := range c.Catalog.Tables {
		bare = append(bare, t.Name.Table)
	}
	var out []string
	for _, near := range nearest(spelled, bare) {
		for _, t := range c.Catalog.Tables {
			if t.Name.Table == near && len(out) < 5 {
				out = append(out, TableName(t.Name))
			}
		}
	}
	return out
}

// declare adds a relation under its alias.
func (c *checker) declare(r *rel, as string) {
	r.alias = as
	if as == "" {
		r.alias = r.table.Name.Table
	}
	if len(r.alias) > 63 {
		c.faultf(stageStructure, CodeWrongShape, r.at+"/as", "alias %.20s… is longer than 63 bytes", r.alias)
	}
	if c.rel(r.alias) != nil {
		f := c.faultf(stageNames, CodeAliasUsed, r.at, "alias %s is used twice; give the second table an alias of its own", r.alias)
		f.Repair = Repair{{"add", r.at + "/as", c.freshAlias(r.alias)}}
		r.alias = c.freshAlias(r.alias)
	}
	c.rels = append(c.rels, r)
}

func (c *checker) freshAlias(base string) string {
	for i := 2; ; i++ {
		if alias := base + strconv.Itoa(i); !c.taken(alias) {
			return alias
		}
	}
}

// taken tells whether the block or one around it has the alias.
func (c *checker) taken(alias string) bool {
	for ; c != nil; c = c.outer {
		if c.rel(alias) != nil {
			return true
		}
	}
	return false
}

func (c *checker) rel(alias string) *rel {
	for _, r := range c.rels {
		if r.alias == alias {
			return r
		}
	}
	return nil
}

// sees tells whether an expression that stands in the EXISTS of host (nil:
// the outer block) may name the columns of r.
func sees(host, r *rel) bool {
	for h := host; ; h = h.parent.host {
		if r.host == h {
			return true
		}
		if h == nil {
			return false
		}
	}
}
