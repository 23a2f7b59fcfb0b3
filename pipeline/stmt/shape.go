package stmt

import (
	"maps"
	"reflect"
	"strings"
	"sync/atomic"

	"google.golang.org/protobuf/proto"
)

// shape is what the fields of a message's type are. It is read from the Go
// type that was generated, once for each type: walking a tree by reflection of
// the message itself costs five times as much, most of it for asking of each
// field whether it is there.
type shape struct {
	fields []shapeField
	// unknown is the place of the fields that the type doesn't know.
	unknown int
	// needs are the places of the fields that the printer relies on, with
	// their names.
	needs []shapeField
}

type shapeField struct {
	index int
	kind  shapeKind
	name  string
}

type shapeKind byte

const (
	scalar   shapeKind = iota
	place              // where in the text something was written
	message            // one message or none
	messages           // a list of messages
	scalars            // a list of anything else
	choice             // one of several fields or none
)

// knownShapes are those of types once a tree has had such a message. The map is
// never changed: every message of a tree is looked up several times, and a new
// type is met a few hundred times in a process's life.
var knownShapes atomic.Pointer[map[reflect.Type]*shape]

// shapeOf is the shape of the struct behind a message.
func shapeOf(t reflect.Type) *shape {
	if known := knownShapes.Load(); known != nil {
		if s, ok := (*known)[t]; ok {
			return s
		}
	}
	s := newShape(t)
	for {
		old, more := knownShapes.Load(), map[reflect.Type]*shape{t: s}
		if old != nil {
			maps.Copy(more, *old)
		}
		if knownShapes.CompareAndSwap(old, &more) {
			return s
		}
	}
}

// newShape reads the shape of a type.
func newShape(t reflect.Type) *shape {
	s := &shape{unknown: -1}
	need := required()[t.Name()]
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "unknownFields" {
			s.unknown = i
		}
		if !f.IsExported() {
			continue
		}
		x := shapeField{index: i, kind: kindOf(f), name: protoName(f)}
		s.fields = append(s.fields, x)
		for _, n := range need {
			if n == x.name {
				s.needs = append(s.needs, x)
			}
		}
	}
	if s.unknown < 0 || len(s.needs) != len(need) {
		panic("stmt: " + t.Name() + " isn't the message that was expected")
	}
	return s
}

func kindOf(f reflect.StructField) shapeKind {
	switch {
	case f.Type.Kind() == reflect.Interface:
		return choice
	case f.Type.Kind() == reflect.Pointer:
		return message
	case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Pointer:
		return messages
	case f.Type.Kind() == reflect.Slice:
		return scalars
	case f.Type == reflect.TypeFor[int32]() && isPlace(protoName(f)):
		return place
	}
	return scalar
}

// isPlace tells whether a number of that name says where in the text something
// was written.
func isPlace(name string) bool {
	return name == "location" || name == "stmt_len" || strings.HasSuffix(name, "_location")
}

// protoName is a field's name as the messages' description has it, empty for a
// choice.
func protoName(f reflect.StructField) string {
	for part := range strings.SplitSeq(f.Tag.Get("protobuf"), ",") {
		if name, ok := strings.CutPrefix(part, "name="); ok {
			return name
		}
	}
	return ""
}

// chosen is the field of a choice: its value, and whether there is one.
func chosen(v reflect.Value) (reflect.Value, bool) {
	if v.IsNil() || v.Elem().IsNil() {
		return v, false
	}
	return v.Elem().Elem().Field(0), true
}

// Children calls f for each message directly below m, whatever field holds it,
// in the order of the fields, until f returns an error. A nil in a list is one.
func Children(m proto.Message, f func(proto.Message) error) error {
	p := reflect.ValueOf(m)
	if p.IsNil() {
		return nil
	}
	v := p.Elem()
	for _, x := range shapeOf(v.Type()).fields {
		var err error
		switch x.kind {
		case message:
			if c := v.Field(x.index); !c.IsNil() {
				err = f(c.Interface().(proto.Message))
			}
		case choice:
			if c, ok := chosen(v.Field(x.index)); ok && c.Kind() == reflect.Pointer {
				err = f(c.Interface().(proto.Message))
			}
		case messages:
			list := v.Field(x.index)
			for i := 0; i < list.Len() && err == nil; i++ {
				err = f(list.Index(i).Interface().(proto.Message))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
