package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// View is a role bound to one schema snapshot and one principal's attributes:
// what exactly it may read. It is immutable and may be shared by sessions of
// the same principal.
type View struct {
	role      *Role
	snapshot  *catalog.Snapshot
	grants    map[catalog.Name]*grant
	catalog   *catalog.Snapshot
	builtins  builtins
	functions functionRules
	routines  map[catalog.Name]routines
	sets      map[string][]string
	partials  partiality
	userTypes map[catalog.Name]catalog.UserType
	// composites tells that some readable column is an array of rows, whose
	// unnest has columns that the judge doesn't know.
	composites bool
	digest     string

	visibleOnce    sync.Once
	visibleObjects *visible
	access         map[string]accessRule
	namesOnce      sync.Once
	namesKnown     *directory
	systemMutex    sync.Mutex
	systemGrants   map[catalog.Name]*grant
}

// View binds the role to a schema and a principal's attributes. A table whose
// scope needs an attribute that is missing or null is refused only when it is
// used. An error means that the attributes can't be written as constants.
func (r *Role) View(s *catalog.Snapshot, attributes map[string]any) (*View, error) {
	v := &View{role: r, snapshot: s, grants: map[catalog.Name]*grant{}, builtins: safeBuiltins(),
		access: accessRules(), sets: tableFunctions(), userTypes: map[catalog.Name]catalog.UserType{}}
	v.partials = newPartiality(v.builtins)
	b := binder{role: r, snapshot: s, attributes: attributes, parts: r.partsIn(s.Database), partials: v.partials}
	for _, p := range b.parts {
		v.functions.allow = append(v.functions.allow, p.functions.allow...)
		v.functions.deny = append(v.functions.deny, p.functions.deny...)
	}
	b.code = newTypeCode(&s.Objects, v.functions)
	b.routines = newRoutines(&s.Objects, v.functions, b.code)
	v.routines = b.routines
	for _, t := range s.Tables {
		if g := b.grant(t); g != nil {
			v.grants[t.Name] = g
		}
	}
	unsettle(v.grants)
	for _, name := range s.Objects.Added {
		// Its overloads aren't all Postgres's own.
		delete(v.builtins, name)
		delete(v.access, name)
	}
	v.collectTypes()
	v.catalog = v.filter()
	digest, err := v.computeDigest()
	if err != nil {
		return nil, err
	}
	v.digest = digest
	return v, nil
}

// partsIn are the rules that mean something in the database. Roles that don't
// say which database they are for count everywhere.
func (r *Role) partsIn(database string) []*rules {
	if len(r.rules) == 1 {
		return r.rules
	}
	var out []*rules
	for _, p := range r.rules {
		if p.inDatabase(database) {
			out = append(out, p)
		}
	}
	return out
}

// collectTypes keeps the user types of readable columns: only those may be
// named.
func (v *View) collectTypes() {
	known := map[catalog.Name]catalog.UserType{}
	for _, t := range v.snapshot.Types {
		known[catalog.Name{Schema: t.Schema, Table: t.Name}] = t
	}
	for _, g := range v.grants {
		for _, c := range g.columns {
			n := catalog.Name{Schema: c.column.Type.Schema, Table: c.column.Type.Name}
			element := n
			if c.column.Type.Category == 'A' && len(n.Table) > 1 && n.Table[0] == '_' {
				element.Table = n.Table[1:]
			}
			if t, ok := known[element]; ok {
				v.userTypes[element] = t
				v.composites = v.composites || element != n && t.Kind == 'c'
			} else if element != n && element.Schema != builtinSchema {
				v.composites = true // an array of something unknown, such as another table's rows
			}
		}
	}
}

// Hidden are the relations that exist in the snapshot but that the role may
// not read, sorted.
func (v *View) Hidden() []catalog.Name {
	var out []catalog.Name
	for _, t := range v.snapshot.Tables {
		if v.grants[t.Name] == nil {
			out = append(out, t.Name)
		}
	}
	return out
}

// Scoped are the relations of which the role sees only some rows.
func (v *View) Scoped() map[catalog.Name]bool {
	out := map[catalog.Name]bool{}
	for n, g := range v.grants {
		if g.scope != nil || g.broken != nil {
			out[n] = true
		}
	}
	return out
}

// Masked are the masked columns by relation.
func (v *View) Masked() map[catalog.Name][]string {
	out := map[catalog.Name][]string{}
	for n, g := range v.grants {
		if m := g.masked(); len(m) > 0 {
			out[n] = m
		}
	}
	return out
}

// Digest identifies what the view may see: views with the same digest read the
// same rows of the same columns and may do the same (only current_user differs),
// so that a plan made for one serves the other.
func (v *View) Digest() string { return v.digest }

func (v *View) computeDigest() (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %+v %v %v %v\n", v.snapshot.Version, v.role.SearchPath, v.role.Limits, v.role.Explicit, v.functions, v.role.everything)
	for _, n := range v.sortedNames() {
		g := v.grants[n]
		fmt.Fprintf(h, "%q %q %v %q\n", n, g.names(), g.broken != nil, g.masked())
		for _, c := range g.columns {
			if err := digestExpr(h, c.mask); err != nil {
				return "", err
			}
		}
		if err := digestExpr(h, g.scope); err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%q\n", v.partition(n))
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// digestExpr adds a bound expression, so that attributes count by value.
func digestExpr(h io.Writer, e *pg_query.Node) error {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(e)
	if err != nil {
		return fmt.Errorf("digest the policy: %w", err)
	}
	_, err = fmt.Fprintf(h, "%d:%s\n", len(data), data)
	return err
}

func (v *View) sortedNames() []catalog.Name {
	return slices.SortedFunc(maps.Keys(v.grants), compareNames)
}

func compareNames(a, b catalog.Name) int {
	if a.Schema != b.Schema {
		if a.Schema < b.Schema {
			return -1
		}
		return 1
	}
	if a.Table < b.Table {
		return -1
	}
	if a.Table > b.Table {
		return 1
	}
	return 0
}

// TableGrant is what a role may read of one table, for people to look at.
type TableGrant struct {
	Table   catalog.Name
	Columns []string
	Masked  []string
	// Scope is the row rule as the policy spells it, empty without one.
	Scope string
	// Partition are the columns that the policy calls partition keys.
	Partition []string
	// Rows is the row cap of a statement, 0 for none.
	Rows int64
}

// Describe lists what the view may read, sorted by name. It names nothing
// else.
func (v *View) Describe() []TableGrant {
	var out []TableGrant
	for _, n := range v.sortedNames() {
		g := v.grants[n]
		out = append(out, TableGrant{Table: n, Columns: g.names(), Masked: g.masked(), Scope: g.scopeText,
			Partition: slices.Sorted(maps.Keys(v.partition(n))), Rows: v.role.Limits.Rows})
	}
	return out
}

// Readable is the relation as which the view may know one that a plan reads:
// itself, or the table that it is a part of. ok is false where it may know none.
func (v *View) Readable(n catalog.Name) (readable catalog.Name, ok bool) {
	for range len(v.snapshot.Tables) {
		if g := v.grants[n]; g != nil && g.broken == nil {
			return n, true
		}
		t := v.snapshot.Table(n)
		if t == nil || t.Parent == (catalog.Name{}) {
			return n, false
		}
		n = t.Parent
	}
	return n, false
}

// Plain tells whether the view reads a column as it is, without a mask.
func (v *View) Plain(table catalog.Name, column string) bool {
	g := v.grants[table]
	if g == nil {
		return false
	}
	c := g.column(column)
	return c != nil && c.mask == nil
}

// Spelled is a relation's name as the role can type it.
func (v *View) Spelled(n catalog.Name) string { return v.shortest(n) }

// Shows tells whether a name is that of one of the relations, of their schema
// or of a column of theirs that the view may read.
func (v *View) Shows(tables []catalog.Name, name string) bool {
	for _, t := range tables {
		g := v.grants[t]
		if g != nil && (name == t.Table || name == t.Schema || g.column(name) != nil) {
			return true
		}
	}
	return false
}

// SQL spells the table as SQL does.
func (t TableGrant) SQL() string {
	return configs.Name{Schema: t.Table.Schema, Table: t.Table.Table}.String()
}
