package stmt

import (
	"reflect"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// Equal tells whether two trees are the same, constants included; only where
// in a text they were written doesn't count.
func Equal(a, b *pg_query.Node) bool {
	return equalMessage(reflect.ValueOf(a), reflect.ValueOf(b))
}

// equalMessage compares pointers to messages of one type.
func equalMessage(a, b reflect.Value) bool {
	if a.IsNil() || b.IsNil() {
		return a.IsNil() == b.IsNil()
	}
	a, b = a.Elem(), b.Elem()
	s := shapeOf(a.Type())
	if a.Field(s.unknown).Len() > 0 || b.Field(s.unknown).Len() > 0 {
		return false
	}
	for _, x := range s.fields {
		if !equalField(x.kind, a.Field(x.index), b.Field(x.index)) {
			return false
		}
	}
	return true
}

func equalField(kind shapeKind, a, b reflect.Value) bool {
	switch kind {
	case place:
		return true
	case message:
		return equalMessage(a, b)
	case choice:
		return equalChoice(a, b)
	case messages, scalars:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if kind == messages && !equalMessage(a.Index(i), b.Index(i)) || kind == scalars && !a.Index(i).Equal(b.Index(i)) {
				return false
			}
		}
		return true
	}
	return equalScalar(a, b)
}

func equalChoice(a, b reflect.Value) bool {
	x, some := chosen(a)
	y, other := chosen(b)
	if !some || !other {
		return some == other
	}
	if a.Elem().Type() != b.Elem().Type() {
		return false
	}
	if x.Kind() == reflect.Pointer {
		return equalMessage(x, y)
	}
	return equalScalar(x, y)
}

// equalScalar compares values of one type. One that can't be compared isn't
// equal to anything.
func equalScalar(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.String:
		return a.String() == b.String()
	case reflect.Bool:
		return a.Bool() == b.Bool()
	case reflect.Int32, reflect.Int64:
		return a.Int() == b.Int()
	case reflect.Uint32, reflect.Uint64:
		return a.Uint() == b.Uint()
	case reflect.Float64:
		return a.Float() == b.Float()
	}
	return false
}
