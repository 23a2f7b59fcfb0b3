package plan

import (
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
)

// family groups the SQL types that the language treats alike.
type family int

const (
	// famOther can only be shown, counted and tested for null.
	famOther family = iota
	famText
	famInt
	famNumeric
	famFloat
	famBool
	famDate
	famTimestamp
	famTimestamptz
	famTime
	famInterval
	famEnum
	famUUID
	// famLiteral is a literal that takes its type from its surroundings,
	// famSymbol a symbolic date that does.
	famLiteral
	famSymbol
)

// typ is the type of an expression: its family and SQL spelling. Name is the
// enum's qualified name.
type typ struct {
	fam  family
	sql  string
	name catalog.Name
}

var (
	typeText        = typ{fam: famText, sql: "text"}
	typeInt         = typ{fam: famInt, sql: "integer"}
	typeBigint      = typ{fam: famInt, sql: "bigint"}
	typeNumeric     = typ{fam: famNumeric, sql: "numeric"}
	typeFloat       = typ{fam: famFloat, sql: "double precision"}
	typeBool        = typ{fam: famBool, sql: "boolean"}
	typeDate        = typ{fam: famDate, sql: "date"}
	typeTimestamp   = typ{fam: famTimestamp, sql: "timestamp without time zone"}
	typeTimestamptz = typ{fam: famTimestamptz, sql: "timestamp with time zone"}
	typeInterval    = typ{fam: famInterval, sql: "interval"}
)

// families are pg_catalog's types that the language knows.
var families = map[string]family{
	"text": famText, "varchar": famText, "bpchar": famText, "name": famText, "char": famText,
	"int2": famInt, "int4": famInt, "int8": famInt, "numeric": famNumeric,
	"float4": famFloat, "float8": famFloat, "bool": famBool, "date": famDate,
	"timestamp": famTimestamp, "timestamptz": famTimestamptz, "time": famTime,
	"interval": famInterval, "uuid": famUUID,
}

// typeOf is a column's type. A domain counts as what it is based on.
func typeOf(s *catalog.Snapshot, t catalog.Type) typ {
	sql := t.SQL
	for range 8 { // a domain may be over a domain
		u := s.UserType(t.OID)
		if u == nil || u.Kind != 'd' {
			break
		}
		t = u.Base
	}
	switch {
	case t.Schema == "pg_catalog":
		return typ{fam: families[t.Name], sql: sql}
	case t.Category == 'E':
		return typ{fam: famEnum, sql: sql, name: catalog.Name{Schema: t.Schema, Table: t.Name}}
	case t.Category == 'S' && t.Name == "citext":
		return typ{fam: famText, sql: sql}
	}
	return typ{sql: sql}
}

func (t typ) number() bool { return t.fam == famInt || t.fam == famNumeric || t.fam == famFloat }

func (t typ) moment() bool {
	return t.fam == famDate || t.fam == famTimestamp || t.fam == famTimestamptz
}

// comparable tells whether the language lets values be compared for equality.
func (t typ) comparable() bool { return t.fam != famOther }

// orderable tells whether min, max and sorting are defined.
func (t typ) orderable() bool { return t.fam != famOther }

// plain is the type without length or precision, as operators give it.
func (t typ) plain() typ {
	switch t.fam {
	case famText:
		return typeText
	case famNumeric:
		return typeNumeric
	case famFloat:
		return typeFloat
	case famTimestamp:
		return typeTimestamp
	case famTimestamptz:
		return typeTimestamptz
	}
	return t
}

// unsized is the type without length or precision, but of the same name: what
// Postgres gives where only some of the values have them.
func (t typ) unsized() typ {
	if i := strings.IndexByte(t.sql, '('); i >= 0 {
		j := strings.IndexByte(t.sql, ')')
		t.sql = t.sql[:i] + t.sql[j+1:]
		if t.sql == "character" { // without a length that word means character(1)
			t.sql = "bpchar"
		}
	}
	return t
}

// rank orders integers by width.
func (t typ) rank() int {
	return map[string]int{"smallint": 1, "integer": 2, "bigint": 3}[t.sql]
}

// common is the type that values of both types can be compared in, as
// Postgres's implicit casts have it.
func common(a, b typ) (typ, bool) {
	switch {
	case a.fam == famOther || b.fam == famOther:
		return typ{}, false
	case a.fam == famEnum || b.fam == famEnum:
		return a, a.fam == b.fam && a.name == b.name
	case a.fam == b.fam:
		if a.fam == famInt && b.rank() > a.rank() {
			return b, true
		}
		switch {
		case a.sql == b.sql:
			return a, true
		case a.unsized() == b.unsized():
			return a.unsized(), true
		}
		return a.plain(), true
	case a.number() && b.number(), a.moment() && b.moment():
		if a.fam > b.fam {
			return a.plain(), true
		}
		return b.plain(), true
	}
	return typ{}, false
}

// String is how a message names the type.
func (t typ) String() string {
	switch t.fam {
	case famLiteral:
		return "a literal"
	case famSymbol:
		return "a date"
	}
	return strings.TrimSuffix(t.sql, " without time zone")
}
