package policy

import (
	"fmt"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// expressions compiles scopes and masks: expressions over one table's own
// columns, attributes and safe functions.
type expressions struct {
	builtins  builtins
	functions functionRules
}

// compile parses text, in which :name is an attribute.
func (x expressions) compile(text string) (*template, error) {
	node, names, err := stmt.ParseExpr(text)
	if err != nil {
		return nil, err
	}
	t := &template{text: strings.TrimSpace(text), names: names, node: node}
	if err := walk(node, x.check); err != nil {
		return nil, err
	}
	return t, nil
}

// check judges one node; unknown ones are refused.
func (x expressions) check(m any) error {
	switch n := m.(type) {
	case *pg_query.SubLink:
		return fmt.Errorf("a sub-select is not allowed here; a scope can point to a parent row by via")
	case *pg_query.ColumnRef:
		if len(n.Fields) != 1 || n.Fields[0].GetString_() == nil {
			return fmt.Errorf("only the table's own columns can be named, without the table's name")
		}
	case *pg_query.FuncCall:
		return x.checkCall(n)
	case *pg_query.A_Expr:
		return checkOperator(n.Name)
	case *pg_query.TypeName:
		if t, ok := builtinType(n); !ok {
			return fmt.Errorf("type %q can't be used here", t)
		}
	case *pg_query.CollateClause:
		return checkCollation(n.Collname)
	case *pg_query.SQLValueFunction:
		if !timeFunction(n.Op) {
			return fmt.Errorf("only CURRENT_DATE, CURRENT_TIME and their like can be used here")
		}
	case *pg_query.Node, *pg_query.List, *pg_query.String, *pg_query.Integer, *pg_query.Float, *pg_query.Boolean, *pg_query.BitString,
		*pg_query.A_Const, *pg_query.ParamRef, *pg_query.TypeCast, *pg_query.BoolExpr, *pg_query.NullTest, *pg_query.BooleanTest,
		*pg_query.CaseExpr, *pg_query.CaseWhen, *pg_query.CoalesceExpr, *pg_query.MinMaxExpr, *pg_query.A_ArrayExpr:
	default:
		return fmt.Errorf("%s can't be used here", nodeName(m))
	}
	return nil
}

func (x expressions) checkCall(n *pg_query.FuncCall) error {
	schema, name := functionParts(n.Funcname)
	if schema == "" {
		schema = builtinSchema
	}
	allowed := schema == builtinSchema && x.builtins[name] == functionScalar || anyFunction(x.functions.allow, schema, name)
	if !allowed || setReturning(name) {
		return fmt.Errorf("function %s can't be used here", name)
	}
	if n.Over != nil || n.AggFilter != nil || n.AggOrder != nil || n.AggDistinct || n.AggStar || n.AggWithinGroup || n.FuncVariadic {
		return fmt.Errorf("aggregates and window functions can't be used here")
	}
	return nil
}
