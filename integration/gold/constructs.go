package gold

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/pgask/pgask/pipeline/stmt"
)

// Constructs are what the golden statement is made of, sorted, such as join,
// group or nested; "plain" where it has none of them. A question that no
// statement answers has the reason.
func (q Question) Constructs() ([]string, error) {
	if q.Unanswerable() {
		return []string{q.Refused}, nil
	}
	tree, err := parse(q.SQL)
	if err != nil {
		return nil, err
	}
	var out []string
	err = stmt.Walk(stmt.SelectNode(tree), func(m protoreflect.Message, _ stmt.Path) error {
		switch n := m.Interface().(type) {
		case *pg_query.SelectStmt:
			out = append(out, clauses(n)...)
		case *pg_query.SubLink, *pg_query.RangeSubselect:
			out = append(out, "nested")
		case *pg_query.FuncCall:
			out = append(out, "aggregate")
		case *pg_query.A_Expr:
			out = append(out, operators[n.GetKind()]...)
		case *pg_query.BoolExpr:
			out = append(out, connectives[n.GetBoolop()]...)
		}
		return nil
	})
	if len(out) == 0 {
		out = []string{"plain"}
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

var operators = map[pg_query.A_Expr_Kind][]string{
	pg_query.A_Expr_Kind_AEXPR_LIKE: {"like"}, pg_query.A_Expr_Kind_AEXPR_ILIKE: {"like"}, pg_query.A_Expr_Kind_AEXPR_BETWEEN: {"between"},
}

var connectives = map[pg_query.BoolExprType][]string{pg_query.BoolExprType_OR_EXPR: {"or"}, pg_query.BoolExprType_NOT_EXPR: {"not"}}

// clauses are the constructs of one SELECT without what stands inside of it.
func clauses(s *pg_query.SelectStmt) []string {
	var out []string
	for _, c := range []struct {
		name  string
		there bool
	}{
		{"set operation", s.GetOp() != pg_query.SetOperation_SETOP_NONE},
		{"join", len(s.GetFromClause()) > 1 || len(s.GetFromClause()) == 1 && s.GetFromClause()[0].GetJoinExpr() != nil},
		{"where", s.GetWhereClause() != nil},
		{"group", len(s.GetGroupClause()) > 0},
		{"having", s.GetHavingClause() != nil},
		{"distinct", len(s.GetDistinctClause()) > 0},
		{"order", len(s.GetSortClause()) > 0 && s.GetLimitCount() == nil},
		{"order+limit", len(s.GetSortClause()) > 0 && s.GetLimitCount() != nil},
	} {
		if c.there {
			out = append(out, c.name)
		}
	}
	return out
}
