package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/pgask/pgask/pipeline/stmt"
)

// NotBuiltin names the first function or type in an expression that isn't one of Postgres's own
// that every governed role may use; it is empty where there is none.
func NotBuiltin(n *pg_query.Node) string {
	functions, what := safeBuiltins(), ""
	_ = stmt.Walk(n, func(m protoreflect.Message, _ stmt.Path) error { // the function never fails
		switch x := m.Interface().(type) {
		case *pg_query.FuncCall:
			if schema, name := functionParts(x.Funcname); what == "" && (schema != "" && schema != builtinSchema || functions[name] == functionUnknown) {
				what = "the function " + name
			}
		case *pg_query.TypeName:
			if written, ok := builtinType(x); what == "" && !ok {
				what = "the type " + written
			}
		}
		return nil
	})
	return what
}
