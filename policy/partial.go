package policy

import (
	"encoding/json"
	"regexp"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
)

// An operation is partial when it can raise an error on some values. Postgres
// may evaluate it before a row rule, so that whether a statement fails would
// tell about rows that the role may not see. Operations are total only where
// listed here.

// riskLevel says how much an operation needs a fence.
type riskLevel byte

const (
	// riskNone: it is total.
	riskNone riskLevel = iota
	// riskPartial: it can fail, but as a part of a condition that costs more than a
	// comparison, which Postgres therefore evaluates first.
	riskPartial
	// riskCheap: it can fail in a condition that costs no more than a comparison:
	// Postgres takes an equality of a column and a constant last of those that
	// cost the same.
	riskCheap
)

// hazard is a set of reasons for which an operation can fail.
type hazard byte

const (
	// always: on whatever it works.
	always hazard = 1 << iota
	// onJSON: on json, whose texts may hold what text can't.
	onJSON
	// onTimes: on times of day and intervals, which don't have every unit.
	onTimes
	// onBig: on bigint, which isn't always an OID.
	onBig
)

// risk is that of a statement, for each hazard. arrays tells that it compares
// arrays that it makes, which fails where their elements can't be compared.
type risk struct {
	always, onJSON, onTimes, onBig riskLevel
	arrays                         bool
}

func (r *risk) raise(h hazard, l riskLevel) {
	if h&always != 0 {
		r.always = max(r.always, l)
	}
	if h&onJSON != 0 {
		r.onJSON = max(r.onJSON, l)
	}
	if h&onTimes != 0 {
		r.onTimes = max(r.onTimes, l)
	}
	if h&onBig != 0 {
		r.onBig = max(r.onBig, l)
	}
}

// on is the level for a relation with such columns.
func (r risk) on(t typeHazards) riskLevel {
	l := r.always
	if t.unsettled {
		return riskCheap
	}
	if t.json {
		l = max(l, r.onJSON)
	}
	if t.times {
		l = max(l, r.onTimes)
	}
	if t.big {
		l = max(l, r.onBig)
	}
	if t.incomparable && r.arrays {
		l = riskCheap
	}
	return l
}

func totalOperators() string {
	return `= <> < > <= >= @> <@ ? ?| ?& &&`
}

func totalFunctions() string {
	return `lower upper length char_length character_length octet_length btrim ltrim rtrim concat concat_ws left right
initcap reverse replace strpos position starts_with md5 quote_ident quote_literal quote_nullable
now clock_timestamp statement_timestamp transaction_timestamp isfinite json_typeof jsonb_typeof
array_length cardinality array_to_string num_nulls num_nonnulls pg_typeof unnest generate_subscripts
isempty lower_inc upper_inc lower_inf upper_inf`
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
	// rowFunctions return rows of several columns.
	rowFunctions map[string]bool
	// plain matches the regular expressions that are surely well-formed.
	plain *regexp.Regexp
}

func newPartiality(b builtins) partiality {
	p := partiality{operators: map[string]bool{}, functions: map[string]bool{}, notConditions: map[string]bool{}, builtins: b,
		rowFunctions: map[string]bool{}, plain: plainRegexps()}
	for name, columns := range tableFunctions() {
		p.rowFunctions[name] = columns == nil || len(columns) > 1
	}
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

// of is the risk of the node itself.
func (p partiality) of(m any) (hazard, riskLevel) {
	switch n := m.(type) {
	case *pg_query.A_Expr:
		return p.operator(n)
	case *pg_query.FuncCall:
		return p.call(n)
	case *pg_query.TypeCast:
		_, name, _ := nameParts(n.TypeName.Names)
		switch {
		case n.Arg.GetAConst() != nil || toText(n.TypeName):
			return 0, riskNone
		case name == "bool":
			return always, riskCheap
		}
		return always, riskPartial
	}
	return 0, riskNone
}

// call is the risk of a function.
func (p partiality) call(n *pg_query.FuncCall) (hazard, riskLevel) {
	_, name := functionParts(n.Funcname)
	unit, last := "", len(n.Args)-1
	if last > 0 {
		unit = n.Args[0].GetAConst().GetSval().GetSval()
	}
	switch kind := p.builtins[name]; {
	case name == "length" && len(n.Args) > 1:
		return always, riskPartial // of bytes in an encoding
	case p.functions[name] || kind == functionAggregate || kind == functionWindow:
		return 0, riskNone
	case name == "to_json" || name == "to_jsonb" || name == "row_to_json":
		return onJSON, riskPartial
	case unit != "" && (name == "date_trunc" || name == "extract" || name == "date_part") && strings.Contains(" year quarter month week day ", " "+unit+" "):
		return onTimes, riskPartial
	case name == "split_part" && last == 2 && n.Args[last].GetAConst().GetIval().GetIval() > 0:
		return 0, riskNone
	case p.notConditions[name]:
		return always, riskPartial
	}
	return always, riskCheap
}

// operator: those of arithmetic make no condition by themselves, and with a
// comparison around them they cost more than one.
func (p partiality) operator(e *pg_query.A_Expr) (hazard, riskLevel) {
	_, op, _ := nameParts(e.Name)
	switch e.Kind {
	case pg_query.A_Expr_Kind_AEXPR_LIKE, pg_query.A_Expr_Kind_AEXPR_ILIKE:
		return always, matchRisk(e, plainLike)
	case pg_query.A_Expr_Kind_AEXPR_SIMILAR:
		return always, riskCheap
	case pg_query.A_Expr_Kind_AEXPR_BETWEEN, pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN,
		pg_query.A_Expr_Kind_AEXPR_BETWEEN_SYM, pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		return 0, riskNone
	}
	switch {
	case p.operators[op] || op == "||" && joinsText(e):
		return 0, riskNone
	case strings.Contains(" -> ->> #> #>> ", " "+op+" "):
		return onJSON, riskPartial
	case strings.Contains(" + - * / % ^ & | # << >> || ", " "+op+" "):
		return always, riskPartial
	case strings.Contains(" ~ ~* !~ !~* ", " "+op+" "):
		return always, matchRisk(e, p.plain.MatchString)
	case strings.Contains(" ~~ ~~* !~~ !~~* ", " "+op+" "):
		return always, matchRisk(e, plainLike)
	}
	return always, riskCheap
}

// joinsText tells that a chain of || holds a text that can't be a literal of an
// array or of JSON, so that it joins no arrays, which have to fit.
func joinsText(e *pg_query.A_Expr) bool {
	for _, n := range []*pg_query.Node{e.Lexpr, e.Rexpr} {
		c := n.GetAConst()
		if s := c.GetSval(); s != nil && plainText(s.Sval) {
			return true
		}
		if x := n.GetAExpr(); x != nil && joinsText(x) {
			if _, op, _ := nameParts(x.Name); op == "||" {
				return true
			}
		}
		if x := n.GetTypeCast(); x != nil && toText(x.TypeName) {
			return true
		}
	}
	return false
}

func plainText(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || !strings.Contains("{[", s[:1]) && !json.Valid([]byte(s))
}

// matchRisk: a pattern that is a constant and well-formed can't fail.
func matchRisk(e *pg_query.A_Expr, plain func(string) bool) riskLevel {
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
