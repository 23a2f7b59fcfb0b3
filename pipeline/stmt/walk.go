package stmt

import (
	"errors"
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Step is one step from a message to one inside it.
type Step struct {
	// From is the message that is left.
	From protoreflect.Message
	// Field is the field that is followed, Index the place in its list, -1
	// for a single value.
	Field protoreflect.FieldDescriptor
	Index int
}

// Path leads from the root of a walk to a message.
type Path []Step

// String spells the path, such as select_stmt.from_clause[0].range_var.
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(string(s.Field.Name()))
		if s.Index >= 0 {
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		}
	}
	return b.String()
}

// ErrSkip, returned by a walk's function, leaves out what is inside the message.
var ErrSkip = errors.New("skip this message")

// Walk calls f for every message of the tree, outer before inner, in the order
// of the fields' numbers, the [pg_query.Node] wrappers included. It follows
// the tree's own description, not a list of places, so nothing can be missed.
// The path is only valid during the call. An error of f ends the walk and is
// returned, save ErrSkip.
func Walk(n *pg_query.Node, f func(m protoreflect.Message, p Path) error) error {
	if n == nil {
		return nil
	}
	return walk(n.ProtoReflect(), nil, f)
}

func walk(m protoreflect.Message, p Path, f func(protoreflect.Message, Path) error) error {
	switch err := f(m, p); {
	case errors.Is(err, ErrSkip):
		return nil
	case err != nil:
		return err
	}
	if o := wrapper(m.Descriptor()); o != nil {
		fd := m.WhichOneof(o)
		if fd == nil || fd.Message() == nil {
			return nil
		}
		return walk(m.Get(fd).Message(), append(p, Step{m, fd, -1}), f)
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if fd.Message() == nil || !m.Has(fd) {
			continue
		}
		if !fd.IsList() {
			if err := walk(m.Get(fd).Message(), append(p, Step{m, fd, -1}), f); err != nil {
				return err
			}
			continue
		}
		list := m.Get(fd).List()
		for j := range list.Len() {
			if err := walk(list.Get(j).Message(), append(p, Step{m, fd, j}), f); err != nil {
				return err
			}
		}
	}
	return nil
}

// Rewrite changes a tree in place, inner nodes before outer ones: f gets every
// node with what is inside it already rewritten and returns what shall stand
// there, the node itself to keep it. What f puts in is not visited again. It
// returns the root's replacement.
func Rewrite(n *pg_query.Node, f func(n *pg_query.Node) (*pg_query.Node, error)) (*pg_query.Node, error) {
	if n == nil {
		return nil, nil
	}
	if err := rewriteInside(n.ProtoReflect(), f); err != nil {
		return nil, err
	}
	return f(n)
}

func rewriteInside(m protoreflect.Message, f func(*pg_query.Node) (*pg_query.Node, error)) error {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if fd.Message() == nil || !m.Has(fd) {
			continue
		}
		if fd.IsList() {
			list := m.Get(fd).List()
			for j := range list.Len() {
				v, err := rewriteMessage(list.Get(j).Message(), f)
				if err != nil {
					return err
				}
				list.Set(j, protoreflect.ValueOfMessage(v))
			}
			continue
		}
		v, err := rewriteMessage(m.Get(fd).Message(), f)
		if err != nil {
			return err
		}
		m.Set(fd, protoreflect.ValueOfMessage(v))
	}
	return nil
}

func rewriteMessage(m protoreflect.Message, f func(*pg_query.Node) (*pg_query.Node, error)) (protoreflect.Message, error) {
	n, ok := m.Interface().(*pg_query.Node)
	if !ok {
		return m, rewriteInside(m, f)
	}
	out, err := Rewrite(n, f)
	if err != nil {
		return nil, err
	}
	if out == nil {
		return nil, errors.New("a node can't be rewritten to nothing")
	}
	return out.ProtoReflect(), nil
}

// Clone copies a tree.
func Clone(n *pg_query.Node) *pg_query.Node {
	if n == nil {
		return nil
	}
	return proto.Clone(n).(*pg_query.Node)
}

// wrapper is the oneof of a message that holds exactly one of its fields, as
// Node does of some 260: asking each of them would cost more than all else.
func wrapper(d protoreflect.MessageDescriptor) protoreflect.OneofDescriptor {
	if o := d.Oneofs(); o.Len() == 1 && o.Get(0).Fields().Len() == d.Fields().Len() {
		return o.Get(0)
	}
	return nil
}
