package stmt

import (
	"errors"
	"fmt"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/reflect/protoreflect"
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

// printable is the list of statements that Print takes.
func printable(n *pg_query.Node) error {
	switch s := n.GetNode().(type) {
	case *pg_query.Node_SelectStmt, *pg_query.Node_FetchStmt, *pg_query.Node_ClosePortalStmt, *pg_query.Node_ExecuteStmt,
		*pg_query.Node_DeallocateStmt, *pg_query.Node_VariableSetStmt, *pg_query.Node_VariableShowStmt,
		*pg_query.Node_TransactionStmt, *pg_query.Node_DiscardStmt:
	case *pg_query.Node_ExplainStmt:
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
		return printable(c.GetQuery())
	default:
		return errors.New("print the statement: this kind isn't printed")
	}
	return wellFormed(n)
}

// required names the fields without which the printer follows a null pointer.
func required() map[protoreflect.Name][]protoreflect.Name {
	return map[protoreflect.Name][]protoreflect.Name{
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
func wellFormed(n *pg_query.Node) error {
	need := required()
	return Walk(n, func(m protoreflect.Message, p Path) error {
		if len(p) > maxPrintDepth {
			return errors.New("print the statement: it is nested too deeply")
		}
		d := m.Descriptor()
		if x, ok := m.Interface().(*pg_query.Node); ok {
			return wellFormedNode(x, p)
		}
		for _, f := range need[d.Name()] {
			if !m.Has(d.Fields().ByName(f)) {
				return fmt.Errorf("print the statement: %s without %s", d.Name(), f)
			}
		}
		if s, ok := m.Interface().(*pg_query.SelectStmt); ok {
			set := s.GetOp() != pg_query.SetOperation_SETOP_NONE && s.GetOp() != pg_query.SetOperation_SET_OPERATION_UNDEFINED
			if set != (s.GetLarg() != nil) || set != (s.GetRarg() != nil) {
				return errors.New("print the statement: a set operation without two sides")
			}
		}
		if e, ok := m.Interface().(*pg_query.A_Expr); ok && (e.GetRexpr() == nil || len(e.GetName()) == 0) {
			return errors.New("print the statement: an operator without its operand")
		}
		return nil
	})
}

// wellFormedNode allows an empty node only where the parser makes one: in
// lists of lists, such as that of a function without column definitions.
func wellFormedNode(n *pg_query.Node, p Path) error {
	if n.GetNode() != nil || len(p) == 0 {
		return nil
	}
	switch from := p[len(p)-1].From.Interface().(type) {
	case *pg_query.List, *pg_query.SelectStmt:
		return nil
	default:
		return fmt.Errorf("print the statement: an empty node in %s", from.ProtoReflect().Descriptor().Name())
	}
}
