package stmt

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Equal tells whether two trees are the same, constants included; only where
// in a text they were written doesn't count.
func Equal(a, b *pg_query.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return equalMessage(a.ProtoReflect(), b.ProtoReflect())
}

func equalMessage(a, b protoreflect.Message) bool {
	if a.Descriptor() != b.Descriptor() || a.IsValid() != b.IsValid() {
		return false
	}
	if o := wrapper(a.Descriptor()); o != nil {
		fd := a.WhichOneof(o)
		return fd == b.WhichOneof(o) && (fd == nil || equalField(fd, a.Get(fd), b.Get(fd)))
	}
	fields := a.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if place(fd) {
			continue
		}
		has := a.Has(fd)
		if has != b.Has(fd) || has && !equalField(fd, a.Get(fd), b.Get(fd)) {
			return false
		}
	}
	return len(a.GetUnknown()) == 0 && len(b.GetUnknown()) == 0
}

func equalField(fd protoreflect.FieldDescriptor, a, b protoreflect.Value) bool {
	if !fd.IsList() {
		return equalValue(fd, a, b)
	}
	x, y := a.List(), b.List()
	if x.Len() != y.Len() {
		return false
	}
	for i := range x.Len() {
		if !equalValue(fd, x.Get(i), y.Get(i)) {
			return false
		}
	}
	return true
}

func equalValue(fd protoreflect.FieldDescriptor, a, b protoreflect.Value) bool {
	if fd.Message() != nil {
		return equalMessage(a.Message(), b.Message())
	}
	return a.Equal(b)
}

// place tells whether a field says where in the text something was written.
// CREATE TABLESPACE's location is a string, and meant.
func place(fd protoreflect.FieldDescriptor) bool {
	if fd.Kind() != protoreflect.Int32Kind || fd.IsList() {
		return false
	}
	name := string(fd.Name())
	return name == "location" || name == "stmt_len" || strings.HasSuffix(name, "_location")
}

// wrapper is the oneof of a message that holds exactly one of its fields, as
// Node does of some 260: asking each of them would cost more than all else.
func wrapper(d protoreflect.MessageDescriptor) protoreflect.OneofDescriptor {
	if o := d.Oneofs(); o.Len() == 1 && o.Get(0).Fields().Len() == d.Fields().Len() {
		return o.Get(0)
	}
	return nil
}
