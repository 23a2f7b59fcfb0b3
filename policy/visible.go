package policy

import (
	"cmp"
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
)

// visible is what of a database's objects a view may know of, by OID, sorted.
// Only objects that people made are in it: those that Postgres makes itself
// have OIDs below builtin and are no secret. A relation that is allowed but
// can't be read for want of an attribute isn't in it: tools read whatever they
// are shown.
type visible struct {
	// builtin bounds Postgres's own objects.
	builtin uint32
	// relations are tables, views and the like, and the pg_class rows of
	// composite types.
	schemas, relations, indexes, constraints, types, functions []uint32
	// onPath are the relations and indexes that an unqualified name finds on
	// the role's search_path; the other two go for types and functions.
	onPath, typesOnPath, functionsOnPath []uint32
	// hidden are the denied columns of relations that are shown.
	hidden []attribute
}

// attribute is a column by its relation's OID and its number.
type attribute struct {
	relation uint32
	number   int
}

// visible is computed when it is first needed: most statements never do.
func (v *View) visible() *visible {
	v.visibleOnce.Do(func() { v.visibleObjects = v.see() })
	return v.visibleObjects
}

func (v *View) see() *visible {
	s := &sight{view: v, out: &visible{builtin: v.snapshot.FirstUser()}, grants: map[uint32]*grant{}, numbers: map[uint32]map[int]bool{}}
	for n, g := range v.grants {
		if g.broken == nil {
			s.relation(n, g)
		}
	}
	s.schemas()
	s.indexes()
	s.constraints()
	s.types()
	s.functions()
	for _, list := range []*[]uint32{&s.out.schemas, &s.out.relations, &s.out.indexes, &s.out.constraints, &s.out.types,
		&s.out.functions, &s.out.onPath, &s.out.typesOnPath, &s.out.functionsOnPath} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	slices.SortFunc(s.out.hidden, compareAttributes)
	return s.out
}

func compareAttributes(a, b attribute) int {
	return cmp.Or(cmp.Compare(a.relation, b.relation), cmp.Compare(a.number, b.number))
}

// sight collects one visible.
type sight struct {
	view   *View
	out    *visible
	grants map[uint32]*grant
	// numbers are the permitted attnums by relation.
	numbers map[uint32]map[int]bool
	// wanted are the types of permitted columns.
	wanted []uint32
}

func (s *sight) relation(n catalog.Name, g *grant) {
	oid := g.table.OID
	s.grants[oid] = g
	s.out.relations = append(s.out.relations, oid)
	numbers := map[int]bool{}
	for _, c := range g.columns {
		numbers[c.column.Attnum] = true
		s.wanted = append(s.wanted, c.column.Type.OID)
	}
	s.numbers[oid] = numbers
	for _, c := range g.table.Columns {
		if !numbers[c.Attnum] {
			s.out.hidden = append(s.out.hidden, attribute{oid, c.Attnum})
		}
	}
	if s.view.firstOnPath(n) == n.Schema {
		s.out.onPath = append(s.out.onPath, oid)
	}
}

// firstOnPath is the schema in which an unqualified relation name is found.
func (v *View) firstOnPath(n catalog.Name) string {
	for _, schema := range v.role.SearchPath {
		if v.snapshot.Table(catalog.Name{Schema: schema, Table: n.Table}) != nil {
			return schema
		}
	}
	return ""
}

// schemas are those with something permitted in them.
func (s *sight) schemas() {
	for _, x := range s.view.snapshot.Objects.Schemas {
		for n, g := range s.view.grants {
			if n.Schema == x.Name && g.broken == nil {
				s.out.schemas = append(s.out.schemas, x.OID)
				break
			}
		}
	}
}

// all tells whether all columns of a relation are permitted.
func (s *sight) all(relation uint32, columns []int) bool {
	numbers, ok := s.numbers[relation]
	for _, n := range columns {
		ok = ok && numbers[n]
	}
	return ok
}

// indexes over permitted columns alone, by operators and collations of permitted
// schemas. An expression or a predicate may name anything; attnum 0 stands for one.
func (s *sight) indexes() {
	hidden := map[string]bool{}
	for _, x := range s.view.snapshot.Objects.Schemas {
		hidden[x.Name] = !slices.Contains(s.out.schemas, x.OID)
	}
	for _, x := range s.view.snapshot.Objects.Indexes {
		if x.Expression || !s.all(x.Table, x.Columns) || slices.ContainsFunc(x.Schemas, func(n string) bool { return hidden[n] }) {
			continue
		}
		s.out.indexes = append(s.out.indexes, x.OID)
		n := catalog.Name{Schema: s.grants[x.Table].table.Name.Schema, Table: x.Name}
		if slices.Contains(s.view.role.SearchPath, n.Schema) && s.view.firstOnPath(n) == "" {
			s.out.onPath = append(s.out.onPath, x.OID)
		}
	}
}

// constraints that say something of permitted columns only. Those with an
// expression aren't shown, nor are triggers.
func (s *sight) constraints() {
	for _, k := range s.view.snapshot.Objects.Constraints {
		shown := false
		switch k.Kind {
		case 'p', 'u', 'x':
			_, shown = slices.BinarySearch(s.out.indexes, k.Index)
		case 'f':
			shown = s.all(k.Ref, k.RefColumns)
		case 'n':
			shown = true
		}
		if shown && s.all(k.Table, k.Columns) {
			s.out.constraints = append(s.out.constraints, k.OID)
		}
	}
}

// types are those of permitted columns with what they are made of, and the
// row types of permitted relations. No other relation's row type is shown,
// even where a column has it: its name is the relation's.
func (s *sight) types() {
	objects := &s.view.snapshot.Objects
	shown := map[uint32]bool{}
	var add func(oid uint32)
	add = func(oid uint32) {
		t := objects.TypeObject(oid)
		if t == nil || shown[oid] || t.Table && s.grants[t.Relation] == nil || t.Element != 0 && s.hiddenRow(t.Element) {
			return
		}
		shown[oid] = true
		if t.Kind == 'c' && !t.Table {
			s.out.relations = append(s.out.relations, t.Relation)
		}
		if t.Kind == 'c' && t.Table {
			return // its columns are in wanted, as far as they are permitted
		}
		add(t.Element)
		add(t.Base)
		for _, p := range t.Parts {
			add(p)
		}
	}
	for _, oid := range s.wanted {
		add(oid)
	}
	for _, t := range objects.Types {
		if t.Table {
			add(t.OID)
		}
	}
	for _, t := range objects.Types {
		if t.Element != 0 && shown[t.Element] {
			add(t.OID)
		}
	}
	path := map[string]string{}
	for _, schema := range s.view.role.SearchPath {
		for _, t := range objects.Types {
			if t.Schema == schema && path[t.Name] == "" {
				path[t.Name] = schema
			}
		}
	}
	for oid := range shown {
		t := objects.TypeObject(oid)
		s.out.types = append(s.out.types, oid)
		if path[t.Name] == t.Schema {
			s.out.typesOnPath = append(s.out.typesOnPath, oid)
		}
	}
}

// hiddenRow tells whether a type is the row type of a relation that isn't shown.
func (s *sight) hiddenRow(oid uint32) bool {
	t := s.view.snapshot.Objects.TypeObject(oid)
	return t != nil && t.Table && s.grants[t.Relation] == nil
}

// functions are those that the policy adds. A built-in of the same name hides
// them from unqualified calls.
func (s *sight) functions() {
	v := s.view
	path := map[string]string{}
	for _, schema := range v.role.SearchPath {
		for _, f := range v.snapshot.Objects.Functions {
			if f.Schema == schema && path[f.Name] == "" {
				path[f.Name] = schema
			}
		}
	}
	for _, f := range v.snapshot.Objects.Functions {
		if !v.callable(&f) {
			continue
		}
		s.out.functions = append(s.out.functions, f.OID)
		if path[f.Name] == f.Schema && v.builtins[f.Name] == functionUnknown {
			s.out.functionsOnPath = append(s.out.functionsOnPath, f.OID)
		}
	}
}
