package catalog

import (
	"cmp"
	"strings"
)

// Snapshot is the schema of one database as it stood at one moment. It is
// immutable: everyone may share it.
type Snapshot struct {
	// Database is the name of the database it was read from.
	Database string
	// Version identifies the schema: equal for equal schemas (samples and
	// row estimates don't count), so that plans and verdicts can be keyed by it.
	Version string
	// ServerVersion is server_version_num, such as 150018.
	ServerVersion int
	// Tables are all relations outside the system schemas, sorted by schema
	// and name.
	Tables []*Table
	// Types are the enum, domain and composite types outside pg_catalog.
	Types []UserType
	// Objects are what the system catalogs tell of besides tables.
	Objects Objects

	byName, system map[Name]*Table
}

// Name is a schema-qualified relation name, exactly as in pg_class.
type Name struct {
	Schema, Table string
}

// Compare orders names by schema, then table.
func (n Name) Compare(m Name) int {
	return cmp.Or(strings.Compare(n.Schema, m.Schema), strings.Compare(n.Table, m.Table))
}

// Kind is pg_class.relkind, with a partition of a partitioned table apart.
type Kind byte

// The kinds of relation.
const (
	KindTable       Kind = 'r'
	KindPartitioned Kind = 'p'
	KindView        Kind = 'v'
	KindMatview     Kind = 'm'
	KindForeign     Kind = 'f'
)

// Table is one relation.
type Table struct {
	OID     uint32
	Name    Name
	Kind    Kind
	Comment string
	// Columns are in attnum order, dropped ones left out.
	Columns []*Column
	// PrimaryKey holds column names in key order; empty without one.
	PrimaryKey []string
	// Unique are the other unique keys (immediate, not partial, no
	// expressions), each in key order.
	Unique [][]string
	// ForeignKeys are the keys this table declares, sorted by name.
	ForeignKeys []*ForeignKey
	// Rows is the planner's estimate (pg_class.reltuples), -1 where unknown.
	Rows float64
	// Partition tells that it is a partition of another table, Parent which;
	// Parent is also set for an inheritance child.
	Partition bool
	Parent    Name
}

// Column is one column of a table.
type Column struct {
	Name    string
	Type    Type
	NotNull bool
	// Generated columns are computed from others (pg_attribute.attgenerated).
	Generated bool
	Comment   string
	// Attnum is pg_attribute.attnum.
	Attnum int
	// Collation is that of a column that has another than the database's.
	Collation string
	// Values are sampled values in text form: all of them when AllValues,
	// else the most frequent. Empty where sampling is off or not allowed.
	Values    []string
	AllValues bool
	// Min and Max are the range in text form of a date, time or numeric
	// column, empty where unknown.
	Min, Max string
	// Distinct is the estimated number of distinct values, 0 where unknown.
	Distinct float64
}

// Type is a column's type.
type Type struct {
	OID uint32
	// Schema and Name are those of pg_type, such as pg_catalog and int4;
	// an array is named _int4.
	Schema, Name string
	// SQL is format_type's spelling, such as character varying(20).
	SQL string
	// Category is pg_type.typcategory: N numeric, S string, D date or time,
	// B boolean, E enum, A array, U user-defined …
	Category byte
}

// UserType is a type outside pg_catalog: Kind is pg_type.typtype (e enum, d
// domain, c composite, r range).
type UserType struct {
	OID          uint32
	Schema, Name string
	Kind         byte
	Labels       []string // an enum's, in order
	Base         Type     // a domain's
}

// ForeignKey says that Columns of its table point to RefColumns of Ref.
type ForeignKey struct {
	Name       string
	Columns    []string
	Ref        Name
	RefColumns []string
}

// NewSnapshot indexes tables, which must be sorted by schema and name, and
// computes the version.
func NewSnapshot(database string, serverVersion int, tables []*Table, types []UserType) *Snapshot {
	s := &Snapshot{Database: database, ServerVersion: serverVersion, Tables: tables, Types: types,
		byName: make(map[Name]*Table, len(tables))}
	for _, t := range tables {
		s.byName[t.Name] = t
	}
	s.Version = version(tables, types, &Objects{})
	return s
}

// Table finds a relation by its exact name; nil when there is none.
func (s *Snapshot) Table(n Name) *Table { return s.byName[n] }

// Column finds a column by its exact name; nil when there is none.
func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// UserType finds a type outside pg_catalog by its OID; nil when there is none.
func (s *Snapshot) UserType(oid uint32) *UserType {
	for i := range s.Types {
		if s.Types[i].OID == oid {
			return &s.Types[i]
		}
	}
	return nil
}
