package catalog

import "slices"

// Objects are what the system catalogs tell of besides tables: who decides
// what of the catalogs a role may read needs to know what belongs to what.
// Objects that Postgres made itself are left out, but for System.
type Objects struct {
	// System are the relations of pg_catalog and information_schema, with the
	// columns that they have on this server, sorted by schema and name.
	System []*Table
	// Schemas are those outside the system's.
	Schemas []Schema
	// Indexes, Constraints, Functions and Types are those in such schemas,
	// sorted by OID.
	Indexes     []Index
	Constraints []Constraint
	Functions   []Function
	Types       []TypeObject
	// Added are the names of functions and operators that people put into
	// pg_catalog, sorted.
	Added []string
	// Code are the functions that Postgres calls by itself for values of types.
	Code []TypeCode
}

// Schema is a pg_namespace row.
type Schema struct {
	OID  uint32
	Name string
}

// Index is a pg_index row. Table is the OID of its relation.
type Index struct {
	OID   uint32
	Name  string
	Table uint32
	// Columns are the attnums of its columns, included ones too.
	Columns []int
	// Expression tells that it has expressions or a predicate.
	Expression bool
	// Schemas are those, but for the system's, of operator classes, collations
	// and operators that its definition names, sorted.
	Schemas []string
}

// Constraint is a pg_constraint row of a relation. Ref is 0 but for foreign keys.
type Constraint struct {
	OID  uint32
	Name string
	// Kind is pg_constraint.contype: c check, f foreign key, n not null, p
	// primary key, u unique, x exclusion, t trigger.
	Kind  byte
	Table uint32
	// Index is the OID of the index behind it, or of the referenced table's.
	Index      uint32
	Columns    []int
	Ref        uint32
	RefColumns []int
}

// Function is a pg_proc row.
type Function struct {
	OID          uint32
	Schema, Name string
	// Args are the OIDs of its arguments' types, those of OUT arguments and result
	// columns too; Result is that of its own type.
	Args   []uint32
	Result uint32
	// Takes are the types of its arguments, as pg_type names them: its signature.
	// Least is how many of them a call must give, the others have defaults.
	// Variadic tells that it may give more.
	Takes    []Name
	Least    int
	Variadic bool
}

// TypeObject is a pg_type row, with the types that it is made of.
type TypeObject struct {
	OID          uint32
	Schema, Name string
	// Kind is pg_type.typtype: b base, c composite, d domain, e enum, m
	// multirange, p pseudo, r range.
	Kind byte
	// Relation is the OID of a composite type's pg_class row; Table tells
	// that it is the row type of a table, view or the like.
	Relation uint32
	Table    bool
	// Element is an array's, Base a domain's type, Parts are the types of a
	// composite's columns, of a range's bound or a multirange's range.
	Element, Base uint32
	Parts         []uint32
}

// TypeCode is a function that people made and that Postgres calls by itself for
// values of a type: that of a cast or of a domain's CHECK. Functions in C are left
// out, since only superusers make those.
type TypeCode struct {
	// Types are the OIDs of the domain, or of the cast's two types.
	Types []uint32
	// What is for people: the cast of a as b, the check of a.
	What         string
	Function     uint32 // its OID
	Schema, Name string
}

// With is the snapshot with the objects, which count for its version. The old
// one stays as it is.
func (s *Snapshot) With(o Objects) *Snapshot {
	out := *s
	out.Objects = o
	out.Version = version(s.Tables, s.Types, &o)
	out.system = make(map[Name]*Table, len(o.System))
	for _, t := range o.System {
		out.system[t.Name] = t
	}
	return &out
}

// SystemTable finds a relation of pg_catalog or information_schema by its
// exact name; nil when there is none.
func (s *Snapshot) SystemTable(n Name) *Table { return s.system[n] }

// FirstUser bounds the objects that Postgres made itself: their OIDs are
// smaller, and so is that of the schema public. It is 16384 unless somebody made
// objects in single-user mode.
func (s *Snapshot) FirstUser() uint32 {
	first := uint32(16384)
	for _, t := range s.Tables {
		first = least(first, t.OID)
	}
	for _, x := range s.Objects.Indexes {
		first = least(first, x.OID)
	}
	for _, x := range s.Objects.Constraints {
		first = least(first, x.OID)
	}
	for _, x := range s.Objects.Functions {
		first = least(first, x.OID)
	}
	for _, x := range s.Objects.Types {
		first = least(first, x.OID)
	}
	return first
}

// least takes an OID of 0 for unknown.
func least(first, oid uint32) uint32 {
	if oid == 0 {
		return first
	}
	return min(first, oid)
}

// TypeObject finds a type outside the system schemas by its OID; nil when
// there is none.
func (o *Objects) TypeObject(oid uint32) *TypeObject {
	i, ok := slices.BinarySearchFunc(o.Types, oid, func(t TypeObject, oid uint32) int { return int(int64(t.OID) - int64(oid)) })
	if !ok {
		return nil
	}
	return &o.Types[i]
}
