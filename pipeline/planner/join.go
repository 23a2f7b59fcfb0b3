package planner

import (
	"slices"
	"sort"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// maxJoins bounds the joins of one answer.
const maxJoins = 4

// step is one join seen from a table: along rel to another table, up when it goes
// from the many rows to the one they point to.
type step struct {
	from, to *catalog.Table
	rel      *semantic.Relationship
	up       bool
}

// graph is the relationships between tables, in both directions.
type graph struct {
	next map[*catalog.Table][]step
	// declared is the graph without inferred relationships, nil where there are none.
	declared *graph
}

// newGraph takes the declared relationships, and of the inferred ones those between tables
// that no declared ones connect.
func newGraph(c *catalog.Snapshot, m *semantic.Model) *graph {
	g := graphOf(c, m.Relationships)
	var bridges []*semantic.Relationship
	for _, r := range m.Inferred {
		if from, to := c.Table(r.From), c.Table(r.To); from != nil && to != nil && !g.connected(from, to) {
			bridges = append(bridges, r)
		}
	}
	if len(bridges) == 0 {
		return g
	}
	wide := graphOf(c, slices.Concat(m.Relationships, bridges))
	wide.declared = g
	return wide
}

// connected tells whether relationships lead from one table to another, however many.
func (g *graph) connected(from, to *catalog.Table) bool {
	seen := map[*catalog.Table]bool{from: true}
	for queue := []*catalog.Table{from}; len(queue) > 0; queue = queue[1:] {
		for _, s := range g.next[queue[0]] {
			if !seen[s.to] {
				seen[s.to] = true
				queue = append(queue, s.to)
			}
		}
	}
	return seen[to]
}

func graphOf(c *catalog.Snapshot, relationships []*semantic.Relationship) *graph {
	g := &graph{next: map[*catalog.Table][]step{}}
	for _, r := range relationships {
		from, to := c.Table(r.From), c.Table(r.To)
		if from == nil || to == nil || from == to || !allColumns(from, r.FromColumns) || !allColumns(to, r.ToColumns) {
			continue
		}
		g.next[from] = append(g.next[from], step{from: from, to: to, rel: r, up: true})
		g.next[to] = append(g.next[to], step{from: to, to: from, rel: r, up: r.OneToOne})
	}
	return g
}

// allColumns tells whether the asker may read every column of a key.
func allColumns(t *catalog.Table, names []string) bool {
	for _, n := range names {
		if t.Column(n) == nil {
			return false
		}
	}
	return true
}

// distances are the number of joins from a table to every other one that it reaches by
// as many as an answer may have.
func (g *graph) distances(from *catalog.Table) map[*catalog.Table]int {
	dist := map[*catalog.Table]int{from: 0}
	for queue := []*catalog.Table{from}; len(queue) > 0 && dist[queue[0]] < maxJoins; queue = queue[1:] {
		for _, s := range g.next[queue[0]] {
			if _, seen := dist[s.to]; !seen {
				dist[s.to] = dist[queue[0]] + 1
				queue = append(queue, s.to)
			}
		}
	}
	return dist
}

// tree is a set of joins that starts at root. Every step's from table is the
// root or an earlier step's to.
type tree struct {
	root  *catalog.Table
	steps []step
}

func (t tree) has(table *catalog.Table) bool {
	if t.root == table {
		return true
	}
	for _, s := range t.steps {
		if s.to == table {
			return true
		}
	}
	return false
}

// fanOut tells whether a join on the way from the root to the table can
// multiply the root's rows.
func (t tree) fanOut(table *catalog.Table) bool {
	for table != t.root {
		for _, s := range t.steps {
			if s.to == table {
				if !s.up {
					return true
				}
				table = s.from
				break
			}
		}
	}
	return false
}

// many is the last table of which there may be several rows for one of the root's; nil where there
// is none.
func (t tree) many() (out *catalog.Table) {
	for _, s := range t.steps {
		if !s.up {
			out = s.to
		}
	}
	return out
}

// trees are the cheapest ways to join all wanted tables to the root, along declared
// relationships where those do. Several of them are an ambiguity; none means that the tables
// don't connect.
func (g *graph) trees(root *catalog.Table, wanted []*catalog.Table) []tree {
	if g.declared != nil {
		if found := g.declared.trees(root, wanted); len(found) > 0 {
			return found
		}
	}
	dist := g.distances(root)
	order := make([]*catalog.Table, 0, len(wanted))
	for _, w := range wanted {
		if _, ok := dist[w]; !ok {
			return nil
		}
		order = append(order, w)
	}
	sort.SliceStable(order, func(i, j int) bool { return dist[order[i]] < dist[order[j]] })
	grown := []tree{{root: root}}
	for _, w := range order {
		var next []tree
		for _, t := range grown {
			next = append(next, g.grow(t, w)...)
		}
		grown = cheapest(next)
	}
	return grown
}

// grow adds a table to a tree by each of its shortest ways.
func (g *graph) grow(t tree, w *catalog.Table) []tree {
	if t.has(w) {
		return []tree{t}
	}
	// Breadth first, keeping every path of the shortest length.
	type path []step
	var found []path
	level := []path{}
	for _, at := range append([]*catalog.Table{t.root}, ends(t)...) {
		for _, s := range g.next[at] {
			if !t.has(s.to) {
				level = append(level, path{s})
			}
		}
	}
	for len(level) > 0 && len(found) == 0 && len(level[0])+len(t.steps) <= maxJoins && len(level) < 10000 {
		var next []path
		for _, p := range level {
			last := p[len(p)-1].to
			if last == w {
				found = append(found, p)
				continue
			}
			for _, s := range g.next[last] {
				if !t.has(s.to) && !visits(p, s.to) {
					next = append(next, append(p[:len(p):len(p)], s))
				}
			}
		}
		level = next
	}
	out := make([]tree, len(found))
	for i, p := range found {
		out[i] = tree{root: t.root, steps: append(t.steps[:len(t.steps):len(t.steps)], p...)}
	}
	return out
}

func ends(t tree) []*catalog.Table {
	out := make([]*catalog.Table, len(t.steps))
	for i, s := range t.steps {
		out[i] = s.to
	}
	return out
}

func visits(p []step, table *catalog.Table) bool {
	for _, s := range p {
		if s.to == table || s.from == table {
			return true
		}
	}
	return false
}

// cheapest keeps the trees with the fewest joins.
func cheapest(trees []tree) []tree {
	best := maxJoins + 1
	for _, t := range trees {
		best = min(best, len(t.steps))
	}
	var out []tree
	for _, t := range trees {
		if len(t.steps) == best {
			out = append(out, t)
		}
	}
	return out
}

// adjacent tells whether each row of a table has to do with another table's:
// by a key, or by a table between that only joins them.
func (g *graph) adjacent(from, to *catalog.Table) bool {
	for _, s := range g.next[from] {
		if s.to == to {
			return true
		}
		for _, t := range g.next[s.to] {
			if t.to == to && g.junction(s.to) {
				return true
			}
		}
	}
	return false
}

// oneWay tells whether just one way leads from a table to another over one between them.
func (g *graph) oneWay(from, to *catalog.Table) bool {
	found := g.trees(from, []*catalog.Table{to})
	return len(found) == 1 && len(found[0].steps) == 2 && !found[0].sideways()
}

// junction tells whether a table does little but join two others.
func (g *graph) junction(t *catalog.Table) bool {
	return len(t.Columns) <= 4 && len(g.joined(t)) == 2
}

// joined are the relationships by which a table's rows point to others.
func (g *graph) joined(t *catalog.Table) []*semantic.Relationship {
	var out []*semantic.Relationship
	for _, s := range g.next[t] {
		if s.rel.From == t.Name {
			out = append(out, s.rel)
		}
	}
	return out
}

// above are the tables that a table's rows point to, near and far, with how many
// joins lead there.
func (g *graph) above(from *catalog.Table) map[*catalog.Table]int {
	dist := map[*catalog.Table]int{from: 0}
	for queue := []*catalog.Table{from}; len(queue) > 0; queue = queue[1:] {
		for _, s := range g.next[queue[0]] {
			if _, seen := dist[s.to]; s.up && !seen {
				dist[s.to] = dist[queue[0]] + 1
				queue = append(queue, s.to)
			}
		}
	}
	return dist
}
