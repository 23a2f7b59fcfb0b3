package policy

import (
	"reflect"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/pgask/pgask/pipeline/stmt"
)

// walk calls visit for every message of the tree, parents first: the generic
// walk that no list of places can fall behind.
func walk(m proto.Message, visit func(any) error) error {
	if m == nil || reflect.ValueOf(m).IsNil() {
		return nil
	}
	if err := visit(m); err != nil {
		return err
	}
	return stmt.Children(m, func(c proto.Message) error { return walk(c, visit) })
}

// nodeName names a node type for a message.
func nodeName(m any) string {
	return strings.TrimPrefix(reflect.TypeOf(m).String(), "*pg_query.")
}
