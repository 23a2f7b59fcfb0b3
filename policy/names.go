package policy

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
)

// A level is the names that one SELECT adds to those of the SELECTs around it,
// as Postgres resolves them: the innermost level that knows a name wins.
type level struct {
	parent *level
	items  []*item
	ctes   *cteScope
	// windows maps the window names of the SELECT to the names they get.
	windows map[string]string
	// refs are the columns of this level that were named.
	refs []reference
	// targets are the outputs, for GROUP BY by name or, unless there may be more
	// of them, by position.
	targets     []target
	openTargets bool
}

// item is one thing in FROM that columns can come from.
type item struct {
	// name is what qualifies its columns; rename what replaces it.
	name, rename string
	columns      []column
	// denied are columns that exist but are not part of what is read.
	denied map[string]bool
	// open tells that it may have columns the judge doesn't know.
	open bool
	// byName: it can qualify a column. byColumn: its columns can be named alone.
	byName, byColumn bool
	// grant and table are set for a real relation; table only where no alias
	// hides its schema-qualified name.
	grant *grant
	table catalog.Name
}

// column is one visible column and where it comes from: the column base of
// the real relation src, if it is one unchanged.
type column struct {
	name string
	src  *item
	base string
	// fields are the parts of a column that is a row of a known function.
	fields []string
	// reg is the reg type that the column's texts stand for; empty for any other.
	reg string
	// unlisted: * leaves it out, although it has a name. So it is with what
	// SEARCH and CYCLE add to a WITH query that a sub-query reads.
	unlisted bool
}

// reference is a column that was named, and whether inside an aggregate.
type reference struct {
	column    column
	aggregate bool
}

// target is one output of a SELECT: its name, and its column where it is one.
type target struct {
	name   string
	column *column
}

func plainColumns(names []string) []column {
	out := make([]column, len(names))
	for i, n := range names {
		out[i] = column{name: n}
	}
	return out
}

func columnNames(cols []column) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.name
	}
	return out
}

// listed are the columns that * stands for.
func listed(cols []column) []column {
	return slices.DeleteFunc(slices.Clone(cols), func(c column) bool { return c.unlisted })
}

func (it *item) find(name string) *column { return columnNamed(it.columns, name) }

func columnNamed(cols []column, name string) *column {
	for i := range cols {
		if cols[i].name == name {
			return &cols[i]
		}
	}
	return nil
}

// local looks an unqualified column name up at this level only.
func (l *level) local(name string) (col *column, denied, open bool) {
	return lookup(l.items, name)
}

func lookup(items []*item, name string) (col *column, denied, open bool) {
	for _, it := range items {
		if !it.byColumn {
			continue
		}
		denied = denied || it.denied[name]
		open = open || it.open
		if c := it.find(name); c != nil && col == nil {
			col = c
		}
	}
	return col, denied, open
}

// named finds what qualifies a column: the innermost level that has the name.
// several tells that this level has it more than once.
func (l *level) named(name string) (found *item, at *level, several bool) {
	for at = l; at != nil; at = at.parent {
		for _, it := range at.items {
			if it.byName && it.name == name {
				several = several || found != nil
				found = it
			}
		}
		if found != nil {
			return found, at, several
		}
	}
	return nil, nil, false
}

// relation finds a real relation by its schema-qualified name.
func (l *level) relation(n catalog.Name) (found *item, at *level) {
	for at = l; at != nil; at = at.parent {
		for _, it := range at.items {
			if it.byName && it.table == n {
				return it, at
			}
		}
	}
	return nil, nil
}

// bare are the columns of all items that can be named alone, in order.
func bare(items []*item) (cols []column, open bool) {
	for _, it := range items {
		if it.byColumn {
			cols = append(cols, it.columns...)
			open = open || it.open
		}
	}
	return cols, open
}

func deniedIn(items []*item) map[string]bool {
	out := map[string]bool{}
	for _, it := range items {
		if it.byColumn {
			for n := range it.denied {
				out[n] = true
			}
		}
	}
	return out
}

// cteScope is one WITH name in sight; inner ones hide outer ones.
type cteScope struct {
	parent *cteScope
	cte    *cte
}

// cte is one WITH query. Its columns are known once it was judged, or, for a
// recursive one, once its first arm was.
type cte struct {
	name    string
	aliases []string
	columns []string
	// regs are the reg types of those that are texts for one, by place.
	regs map[int]string
	// added are the columns of SEARCH and CYCLE, which come last.
	added []string
	known bool
	// at is the level whose WITH it stands in.
	at   *level
	open bool
	// judge judges a later sibling of a WITH RECURSIVE on its first use.
	judge func() error
}

func (s *cteScope) find(name string) *cte {
	for ; s != nil; s = s.parent {
		if s.cte.name == name {
			return s.cte
		}
	}
	return nil
}

func (s *cteScope) with(c *cte) *cteScope { return &cteScope{parent: s, cte: c} }

// renamed puts the names of an alias list over the first columns.
func renamed(names, aliases []string) []string {
	out := slices.Clone(names)
	for i, a := range aliases {
		if i == len(out) {
			out = append(out, a)
			continue
		}
		out[i] = a
	}
	return out
}
