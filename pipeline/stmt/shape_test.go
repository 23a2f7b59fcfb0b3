package stmt

import (
	"reflect"
	"testing"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// everyType calls f with each message type that may be in a tree.
func everyType(f func(m proto.Message)) {
	all := (&pg_query.Node{}).ProtoReflect().Descriptor().ParentFile().Messages()
	for i := range all.Len() {
		if all.Get(i).IsMapEntry() {
			continue
		}
		mt, err := protoregistry.GlobalTypes.FindMessageByName(all.Get(i).FullName())
		if err != nil {
			panic(err)
		}
		f(mt.New().Interface())
	}
}

// TestShapes: a type's shape has every field that its description has, and what
// the printer needs is there.
func TestShapes(t *testing.T) {
	needed := map[string]bool{}
	everyType(func(m proto.Message) {
		d := m.ProtoReflect().Descriptor()
		s := shapeOf(reflect.TypeOf(m).Elem())
		known := map[string]shapeKind{}
		choices := 0
		for _, f := range s.fields {
			known[f.name] = f.kind
			if f.kind == choice {
				choices++
			}
		}
		for i := range d.Fields().Len() {
			f := d.Fields().Get(i)
			kind, ok := known[string(f.Name())]
			switch {
			case f.ContainingOneof() != nil:
				if choices != 1 {
					t.Errorf("%s: %d choices", f.FullName(), choices)
				}
			case !ok:
				t.Errorf("%s is missing", f.FullName())
			case (f.Message() != nil) != (kind == message || kind == messages), f.IsList() != (kind == messages || kind == scalars):
				t.Errorf("%s is of kind %d", f.FullName(), kind)
			case kind == place && f.Kind() != protoreflect.Int32Kind:
				t.Errorf("%s is no place", f.FullName())
			}
		}
		if len(s.needs) > 0 {
			needed[string(d.Name())] = true
		}
	})
	for name := range required() {
		if !needed[name] {
			t.Errorf("there is no message %s", name)
		}
	}
}

// TestEveryFieldCounts: trees that differ in any one field aren't equal, places
// aside, and every message in one is a child.
func TestEveryFieldCounts(t *testing.T) {
	everyType(func(m proto.Message) {
		empty := m.ProtoReflect().New().Interface()
		d := m.ProtoReflect().Descriptor()
		for i := range d.Fields().Len() {
			f := d.Fields().Get(i)
			one := m.ProtoReflect().New()
			one.Set(f, sample(f, one))
			same := !f.IsList() && f.Kind() == protoreflect.Int32Kind && isPlace(string(f.Name()))
			if equalMessage(reflect.ValueOf(one.Interface()), reflect.ValueOf(empty)) != same {
				t.Errorf("%s set: equal must be %t", f.FullName(), same)
			}
			if !equalMessage(reflect.ValueOf(one.Interface()), reflect.ValueOf(proto.Clone(one.Interface()))) {
				t.Errorf("%s isn't equal to its copy", f.FullName())
			}
			children := 0
			if err := Children(one.Interface(), func(proto.Message) error { children++; return nil }); err != nil {
				t.Error(err)
			}
			if (children == 1) != (f.Message() != nil) {
				t.Errorf("%s: %d children", f.FullName(), children)
			}
		}
	})
}

// sample is a value that isn't the field's default.
func sample(f protoreflect.FieldDescriptor, m protoreflect.Message) protoreflect.Value {
	if f.IsList() {
		list := m.NewField(f)
		if f.Message() != nil {
			list.List().Append(list.List().NewElement())
		} else {
			list.List().Append(scalarSample(f))
		}
		return list
	}
	if f.Message() != nil {
		return m.NewField(f)
	}
	return scalarSample(f)
}

func scalarSample(f protoreflect.FieldDescriptor) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString("x")
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(1)
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(1)
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(1)
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(1)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(1)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(1)
	}
	panic("no sample of " + f.Kind().String())
}
