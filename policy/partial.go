package policy

import (
	"regexp"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"

	"github.com/pgask/pgask/pipeline/catalog"
)

// An operation is partial when it can raise an error on some values. Postgres
// may evaluate it before a row rule, so that whether a statement fails would
// tell about rows that the role may not see. Operations are total only where
// listed here.

// risk says how much the operations of a statement need a fence.
type risk byte

const (
	// riskNone: all operations are total.
	riskNone risk = iota
	// riskPartial: some can fail, but cost more than a comparison, which
	// Postgres therefore evaluates first.
	riskPartial
	// riskCheap: some condition can fail and costs no more than a comparison:
	// Postgres takes an equality of a column and a constant last of those that
	// cost the same.
	riskCheap
)

func totalOperators() string {
	return `= <> < > <= >= || -> ->> #> #>> @> <@ ? ?| ?& &&`
}

func totalFunctions() string {
	return `lower upper length char_length character_length octet_length btrim ltrim rtrim concat concat_ws left right
initcap reverse replace strpos position starts_with md5 quote_ident quote_literal quote_nullable split_part
now date_trunc date_part extract age to_char clock_timestamp statement_timestamp transaction_timestamp isfinite
to_json to_jsonb row_to_json json_typeof jsonb_typeof array_length cardinality array_to_string array_position
num_nulls num_nonnulls pg_typeof unnest generate_subscripts isempty lower_inc upper_inc lower_inf upper_inf timezone`
}

// conditionFunctions are those of the lists for numbers, text and time that have
// an overload with a boolean result.
func conditionFunctions() string {
	return `is_normalized regexp_like starts_with like notlike isfinite overlaps`
}

// partiality knows the lists.
type partiality struct {
	operators, functions map[string]bool
	// notConditions are functions of which no overload returns a boolean.
	notConditions map[string]bool
	builtins      builtins
	// plain matches the regular expressions that are surely well-formed.
	plain *regexp.Regexp
}

func newPartiality(b builtins) partiality {
	p := partiality{operators: map[string]bool{}, functions: map[string]bool{}, notConditions: map[string]bool{}, builtins: b, plain: plainRegexps()}
	for _, o := range strings.Fields(totalOperators()) {
		p.operators[o] = true
	}
	for _, f := range strings.Fields(totalFunctions()) {
		p.functions[f] = true
	}
	for _, list := range []string{mathFunctions(), stringFunctions(), timeFunctions()} {
		for _, f := range strings.Fields(list) {
			p.notConditions[f] = true
		}
	}
	for _, f := range strings.Fields(conditionFunctions()) {
		delete(p.notConditions, f)
	}
	return p
}

// in tells whether the tree holds any partial operation.
func (p partiality) in(m proto.Message) bool { return p.risk(m) > riskNone }

// risk is the largest of the tree's operations.
func (p partiality) risk(m proto.Message) risk {
	most := riskNone
	_ = walk(m, func(n any) error {
		most = max(most, p.of(n))
		return nil
	})
	return most
}

// of is the risk of the node itself.
func (p partiality) of(m any) risk {
	switch n := m.(type) {
	case *pg_query.A_Expr:
		return p.operator(n)
	case *pg_query.FuncCall:
		_, name := functionParts(n.Funcname)
		kind := p.builtins[name]
		switch {
		case p.functions[name] || kind == functionAggregate || kind == functionWindow:
			return riskNone
		case p.notConditions[name]:
			return riskPartial
		}
		return riskCheap
	case *pg_query.TypeCast:
		_, name, _ := nameParts(n.TypeName.Names)
		switch {
		case n.Arg.GetAConst() != nil || toText(n.TypeName):
			return riskNone
		case name == "bool":
			return riskCheap
		}
		return riskPartial
	}
	return riskNone
}

// operator: those of arithmetic make no condition by themselves, and with a
// comparison around them they cost more than one.
func (p partiality) operator(e *pg_query.A_Expr) risk {
	_, op, _ := nameParts(e.Name)
	switch e.Kind {
	case pg_query.A_Expr_Kind_AEXPR_LIKE, pg_query.A_Expr_Kind_AEXPR_ILIKE:
		return matchRisk(e, plainLike)
	case pg_query.A_Expr_Kind_AEXPR_SIMILAR:
		return riskCheap
	case pg_query.A_Expr_Kind_AEXPR_BETWEEN, pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN,
		pg_query.A_Expr_Kind_AEXPR_BETWEEN_SYM, pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		return riskNone
	}
	switch {
	case p.operators[op]:
		return riskNone
	case strings.Contains(" + - * / % ^ & | # << >> ", " "+op+" "):
		return riskPartial
	case strings.Contains(" ~ ~* !~ !~* ", " "+op+" "):
		return matchRisk(e, p.plain.MatchString)
	case strings.Contains(" ~~ ~~* !~~ !~~* ", " "+op+" "):
		return matchRisk(e, plainLike)
	}
	return riskCheap
}

// matchRisk: a pattern that is a constant and well-formed can't fail.
func matchRisk(e *pg_query.A_Expr, plain func(string) bool) risk {
	c := e.Rexpr.GetAConst()
	if c == nil || !c.Isnull && !plain(c.GetSval().GetSval()) {
		return riskCheap
	}
	return riskNone
}

// plainLike: a pattern may not end with the escape character.
func plainLike(pattern string) bool { return !strings.HasSuffix(pattern, `\`) }

// plainRegexps are words, dots and .*, between anchors and one pair of brackets.
func plainRegexps() *regexp.Regexp {
	const words = `(\.\*|[\pL\pN _.@%:/,-])*`
	return regexp.MustCompile(`^\^?(` + words + `|\(` + words + `\))\$?$`)
}

func toText(t *pg_query.TypeName) bool {
	_, name, _ := nameParts(t.Names)
	return name == "text" && len(t.ArrayBounds) == 0
}

// constantComparison tells whether a bound row rule is nothing but comparisons
// of built-in columns with constants, joined by AND. Each costs Postgres one
// operator, so that these go before all conditions that cost more.
func constantComparison(n *pg_query.Node, t *catalog.Table) bool {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_BoolExpr:
		if x.BoolExpr.Boolop != pg_query.BoolExprType_AND_EXPR {
			return false
		}
		for _, a := range x.BoolExpr.Args {
			if !constantComparison(a, t) {
				return false
			}
		}
		return true
	case *pg_query.Node_NullTest:
		return x.NullTest.Arg.GetColumnRef() != nil
	case *pg_query.Node_AExpr:
		_, op, _ := nameParts(x.AExpr.Name)
		name, ok := bareName(x.AExpr.Lexpr)
		return ok && x.AExpr.Kind == pg_query.A_Expr_Kind_AEXPR_OP && strings.Contains(" = <> < > <= >= ", " "+op+" ") &&
			t.Column(name) != nil && fitsColumn(x.AExpr.Rexpr, t.Column(name).Type.Name)
	}
	return false
}

// fitsColumn tells whether the node is a literal that is compared with a column
// of that type without a conversion of the column.
func fitsColumn(n *pg_query.Node, column string) bool {
	if c := n.GetAConst(); c != nil {
		return c.GetSval() != nil || c.GetIval() != nil && integerType(column) || c.GetIval() != nil && column == "numeric" ||
			c.GetFval() != nil && column == "numeric" || c.GetBoolval() != nil
	}
	c := n.GetTypeCast()
	if c == nil || c.Arg.GetAConst() == nil || len(c.TypeName.Typmods) > 0 || len(c.TypeName.ArrayBounds) > 0 {
		return false
	}
	_, name, _ := nameParts(c.TypeName.Names)
	_, ok := builtinType(c.TypeName)
	return ok && (name == column || integerType(name) && integerType(column) || name == "text" && column == "varchar")
}

func integerType(name string) bool { return name == "int2" || name == "int4" || name == "int8" }
