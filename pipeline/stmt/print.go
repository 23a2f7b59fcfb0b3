package stmt

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"
)

// maxPrintDepth is the most messages within messages that are printed. The
// printer takes about 1 KiB of stack for each, and a text within the default
// limits makes about 1,000.
const maxPrintDepth = 1500

// Print turns one statement back into text. Only reading statements, cursors,
// prepared statements, settings and transaction control are printed, and only
// when no part that the printer relies on is missing: it is C code that ends
// the process where a tree isn't one that the parser could have made. The
// printer has known faults, so whoever sends the text parses it again and
// compares.
func Print(n *pg_query.Node) (string, error) {
	if err := printable(n); err != nil {
		return "", err
	}
	text, err := pg_query.Deparse(&pg_query.ParseResult{Stmts: []*pg_query.RawStmt{{Stmt: n}}})
	if err != nil {
		return "", fmt.Errorf("print the statement: %w", err)
	}
	return text, nil
}

// PrintExpr turns one expression back into text that is read as the same.
func PrintExpr(n *pg_query.Node) (string, error) {
	text, err := Print(selectOnly(n))
	if err != nil {
		return "", err
	}
	text = strings.TrimPrefix(text, "SELECT ")
	if again, _, err := ParseExpr(text); err != nil || !Equal(again, n) {
		return "", fmt.Errorf("print the expression: %q isn't what was to be printed", text)
	}
	return text, nil
}

// printable is the list of statements that Print takes.
func printable(n *pg_query.Node) error {
	switch s := n.GetNode().(type) {
	case *pg_query.Node_SelectStmt, *pg_query.Node_FetchStmt, *pg_query.Node_ClosePortalStmt, *pg_query.Node_ExecuteStmt,
		*pg_query.Node_DeallocateStmt, *pg_query.Node_VariableShowStmt, *pg_query.Node_DiscardStmt:
	case *pg_query.Node_TransactionStmt:
		if err := options(s.TransactionStmt.GetOptions(), transactionMode); err != nil {
			return err
		}
	case *pg_query.Node_VariableSetStmt:
		if err := settingModes(s.VariableSetStmt); err != nil {
			return err
		}
	case *pg_query.Node_ExplainStmt:
		if err := options(s.ExplainStmt.GetOptions(), explainOption); err != nil {
			return err
		}
		return printable(s.ExplainStmt.GetQuery())
	case *pg_query.Node_DeclareCursorStmt:
		return printable(s.DeclareCursorStmt.GetQuery())
	case *pg_query.Node_PrepareStmt:
		return printable(s.PrepareStmt.GetQuery())
	case *pg_query.Node_CopyStmt:
		c := s.CopyStmt
		if c.GetQuery() == nil || c.GetRelation() != nil || c.GetIsFrom() || c.GetIsProgram() || c.GetFilename() != "" {
			return errors.New("print the statement: only COPY (query) TO STDOUT is printed")
		}
		if err := options(c.GetOptions(), copyOption); err != nil {
			return err
		}
		return printable(c.GetQuery())
	default:
		return errors.New("print the statement: this kind isn't printed")
	}
	return wellFormed(n)
}

// required names the fields without which the printer follows a null pointer.
func required() map[string][]string {
	return map[string][]string{
		"TypeCast":          {"arg", "type_name"},
		"CollateClause":     {"collname"},
		"SubLink":           {"subselect"},
		"BoolExpr":          {"args"},
		"NullTest":          {"arg"},
		"BooleanTest":       {"arg"},
		"A_Indirection":     {"arg", "indirection"},
		"CaseExpr":          {"args"},
		"CaseWhen":          {"expr", "result"},
		"FuncCall":          {"funcname"},
		"ColumnRef":         {"fields"},
		"NamedArgExpr":      {"arg"},
		"SortBy":            {"node"},
		"RangeSubselect":    {"subquery"},
		"RangeFunction":     {"functions"},
		"RangeTableSample":  {"relation", "method"},
		"JoinExpr":          {"larg", "rarg"},
		"CommonTableExpr":   {"ctequery"},
		"WithClause":        {"ctes"},
		"TypeName":          {"names"},
		"ColumnDef":         {"type_name"},
		"ExplainStmt":       {"query"},
		"PrepareStmt":       {"query"},
		"DeclareCursorStmt": {"query"},
		"MinMaxExpr":        {"args"},
		"CoalesceExpr":      {"args"},
	}
}

// wellFormed refuses trees that the parser could not have made.
func wellFormed(n *pg_query.Node) error { return wellFormedIn(n, nil, 0) }

// wellFormedIn looks at a message in another, and at what is in it.
func wellFormedIn(m, from proto.Message, depth int) error {
	if depth > maxPrintDepth {
		return errors.New("print the statement: it is nested too deeply")
	}
	var err error
	switch x := m.(type) {
	case *pg_query.Node:
		err = wellFormedNode(x, from)
	case *pg_query.SelectStmt:
		if x == nil {
			return errors.New("print the statement: nothing in place of a query")
		}
		set := x.GetOp() != pg_query.SetOperation_SETOP_NONE && x.GetOp() != pg_query.SetOperation_SET_OPERATION_UNDEFINED
		if set != (x.GetLarg() != nil) || set != (x.GetRarg() != nil) {
			err = errors.New("print the statement: a set operation without two sides")
		}
	case *pg_query.A_Expr:
		if x.GetRexpr() == nil || len(x.GetName()) == 0 {
			err = errors.New("print the statement: an operator without its operand")
		}
	default:
		err = complete(m)
	}
	if err != nil {
		return err
	}
	return Children(m, func(c proto.Message) error { return wellFormedIn(c, m, depth+1) })
}

// complete demands the fields that the printer relies on.
func complete(m proto.Message) error {
	p := reflect.ValueOf(m)
	if p.IsNil() {
		return fmt.Errorf("print the statement: nothing in place of a %s", p.Type().Elem().Name())
	}
	v := p.Elem()
	for _, f := range shapeOf(v.Type()).needs {
		if v.Field(f.index).IsZero() || f.kind == messages && v.Field(f.index).Len() == 0 {
			return fmt.Errorf("print the statement: %s without %s", v.Type().Name(), f.name)
		}
	}
	return nil
}

// wellFormedNode allows an empty node only where the parser makes one: in
// lists of lists, such as that of a function without column definitions.
func wellFormedNode(n *pg_query.Node, from proto.Message) error {
	if n.GetNode() != nil || from == nil {
		return nil
	}
	switch from.(type) {
	case *pg_query.List, *pg_query.SelectStmt:
		return nil
	}
	return fmt.Errorf("print the statement: an empty node in %s", reflect.TypeOf(from).Elem().Name())
}
