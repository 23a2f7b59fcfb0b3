package policy

import (
	"reflect"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// walk calls visit for every message of the tree, parents first: the generic
// walk that no list of places can fall behind.
func walk(m proto.Message, visit func(any) error) error {
	if m == nil || !m.ProtoReflect().IsValid() {
		return nil
	}
	if err := visit(m); err != nil {
		return err
	}
	return children(m, func(c proto.Message) error { return walk(c, visit) })
}

// children calls f for each message directly below m, whatever field holds it.
func children(m proto.Message, f func(proto.Message) error) error {
	var err error
	m.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if fd.Message() == nil {
			return true
		}
		if fd.IsList() {
			list := v.List()
			for i := 0; i < list.Len() && err == nil; i++ {
				err = f(list.Get(i).Message().Interface())
			}
			return err == nil
		}
		err = f(v.Message().Interface())
		return err == nil
	})
	return err
}

// nodeName names a node type for a message.
func nodeName(m any) string {
	return strings.TrimPrefix(reflect.TypeOf(m).String(), "*pg_query.")
}
