package foreign

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// Parse reads an expression of another tool's SQL as one of Postgres's.
func Parse(text string) (*pg_query.Node, error) {
	if Templated(text) {
		return nil, errors.New("it holds a template")
	}
	n, names, err := stmt.ParseExpr(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q isn't an expression of Postgres's: %w", text, err)
	case len(names) > 0:
		return nil, fmt.Errorf("there is no value for :%s", names[0])
	}
	return n, nil
}

// MaxDepth is how many definitions may stand within one another.
const MaxDepth = 20

// Check finds what a definition may not hold: what is more than an expression over columns, and
// functions and types that aren't Postgres's own.
func Check(n *pg_query.Node, aggregate bool) error {
	if err := Known(n); err != nil {
		return err
	}
	if wrong := semantic.Vet(n, aggregate); len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

// Known finds functions and types that aren't Postgres's own.
func Known(n *pg_query.Node) error {
	if what := policy.NotBuiltin(n); what != "" {
		return fmt.Errorf("it uses %s, which isn't one of Postgres's own that every role may use", what)
	}
	return nil
}

// Plain is the column that an expression is; false where it is computed.
func Plain(n *pg_query.Node) (string, bool) {
	f := n.GetColumnRef().GetFields()
	if len(f) != 1 || f[0].GetString_() == nil {
		return "", false
	}
	return f[0].GetString_().GetSval(), true
}

// Parts are the names that a reference to a column is made of; nil for one that ends in *.
func Parts(ref *pg_query.ColumnRef) []string {
	var out []string
	for _, f := range ref.GetFields() {
		if f.GetString_() == nil {
			return nil
		}
		out = append(out, f.GetString_().GetSval())
	}
	return out
}

// KindOf is the additivity of an aggregate, where its expression shows it: sums and counts are additive,
// and so are their sums, differences and multiples.
func KindOf(n *pg_query.Node) Additivity {
	if additive(n) {
		return Additivity{Kind: "additive"}
	}
	return Additivity{Kind: "non"}
}

func additive(n *pg_query.Node) bool {
	if call := n.GetFuncCall(); call != nil {
		name := call.Funcname[len(call.Funcname)-1].GetString_().GetSval()
		return semantic.IsAggregate(call) && !call.AggDistinct && (name == "sum" || name == "count")
	}
	e := n.GetAExpr()
	switch {
	case e == nil || e.Lexpr == nil:
		return false
	case isOperator(e, "+", "-"):
		return additive(e.Lexpr) && additive(e.Rexpr)
	case isOperator(e, "*", "/") && e.Rexpr.GetAConst() != nil:
		return additive(e.Lexpr)
	}
	return isOperator(e, "*") && e.Lexpr.GetAConst() != nil && additive(e.Rexpr)
}

// Conditions joins the conditions on each table.
func Conditions(by map[string][]string) map[string]string {
	if len(by) == 0 {
		return nil
	}
	out := map[string]string{}
	for table, all := range by {
		if out[table] = all[0]; len(all) > 1 {
			out[table] = "(" + strings.Join(all, ") AND (") + ")"
		}
	}
	return out
}

// References are the columns that an expression names, each once, in its order.
func References(n *pg_query.Node) [][]string {
	var out [][]string
	_, err := stmt.Rewrite(stmt.Clone(n), func(x *pg_query.Node) (*pg_query.Node, error) {
		if ref := x.GetColumnRef(); ref != nil {
			if parts := Parts(ref); !slices.ContainsFunc(out, func(o []string) bool { return slices.Equal(o, parts) }) {
				out = append(out, parts)
			}
		}
		return x, nil
	})
	if err != nil {
		panic("foreign: references: " + err.Error()) // the function above never fails
	}
	return out
}
