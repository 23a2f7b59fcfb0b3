package semantic

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// mostTerms bounds a derived metric with all that it is made of written out.
const mostTerms = 100

// terms counts the metrics of an arithmetic that is written out.
func terms(n *pg_query.Node, parts []*Metric) int {
	size := 0
	for _, ref := range columnRefs(n) {
		if part := partOf(ref, parts); part.Derived() {
			size += terms(part.Arithmetic, part.Parts)
		} else {
			size++
		}
	}
	return size
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
