package semantic

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// A derived metric with all that it is made of written out has so many metrics and numbers at
// most, and operators so deep inside each other, that a plan which names it holds it.
const (
	mostTerms = 100
	mostDeep  = 32
)

// written counts the metrics and numbers of an arithmetic that is written out, and how deep the
// deepest of them stands.
func written(n *pg_query.Node, parts []*Metric) (terms, deep int) {
	if ref := n.GetColumnRef(); ref != nil {
		part := partOf(ref, parts)
		if !part.Derived() {
			return 1, 1
		}
		terms, deep = written(part.Arithmetic, part.Parts)
		return terms, deep + 1
	}
	e := n.GetAExpr()
	if e == nil {
		return 1, 1
	}
	for _, side := range []*pg_query.Node{e.Lexpr, e.Rexpr} {
		if side != nil {
			t, d := written(side, parts)
			terms, deep = terms+t, max(deep, d+1)
		}
	}
	return terms, deep
}

func partOf(ref *pg_query.ColumnRef, parts []*Metric) *Metric {
	i := slices.IndexFunc(parts, func(p *Metric) bool { return p.Name == PartName(ref) })
	return parts[i]
}

// unitOf is the unit of what is calculated, where the parts' units say it; else "".
func unitOf(n *pg_query.Node, parts []*Metric) string {
	if ref := n.GetColumnRef(); ref != nil {
		return partOf(ref, parts).Unit
	}
	e := n.GetAExpr()
	if e == nil || e.Lexpr == nil {
		return ""
	}
	left, right := unitOf(e.Lexpr, parts), unitOf(e.Rexpr, parts)
	switch op := Operator(e); {
	case left == "" || right == "":
		return ""
	case left == right && (op == "+" || op == "-"):
		return left
	case left != right && op == "/":
		return left + " / " + right
	}
	return ""
}
