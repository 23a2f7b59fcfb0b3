package plan

import (
	"cmp"
	"strings"
)

// strict is a function that gives null for a null.
func strict(args []lack) lack {
	for _, a := range args {
		if a.kind == lackNull {
			return lack{kind: lackNull}
		}
	}
	return lack{}
}

func (c *checker) lackingCase(t *typed, m missing) lack {
	n := len(t.expr.Case.When)
	var out lack
	var seen []lack
	open := false // a branch before may have been taken
	for i := range n {
		cond := c.lacking(t.parts[i], m)
		seen = append(seen, cond)
		if !cond.could(true) {
			continue
		}
		out, open = branch(out, open, c.lacking(t.parts[n+i], m)), true
		if cond.kind == lackKnown {
			return out.depends(seen...)
		}
	}
	last := lack{kind: lackNull}
	if t.expr.Case.Else != nil {
		last = c.lacking(t.parts[2*n], m)
	}
	return branch(out, open, last).depends(seen...)
}

func branch(before lack, open bool, x lack) lack {
	if open {
		return before.or(x)
	}
	return x
}

func lackingOp(name string, args []lack) lack {
	switch name {
	case "and", "or":
		return connected(args, name == "or")
	case "not":
		if args[0].kind == lackKnown {
			return lackOf(nil, args[0].value != true)
		}
		return args[0]
	case "is_null", "is_not_null":
		if args[0].kind == lackAny {
			return lack{}
		}
		return lackOf(nil, (args[0].kind == lackNull) == (name == "is_null"))
	case "between", "not_between":
		low, high := compared(">=", args[0], args[1]), compared("<=", args[0], args[2])
		both := connected([]lack{low, high}, false)
		if name == "not_between" && both.kind == lackKnown {
			return lackOf(nil, both.value != true)
		}
		return both
	case "in", "not_in":
		var equal []lack
		for _, x := range args[1:] {
			equal = append(equal, compared("=", args[0], x))
		}
		one := connected(equal, true)
		if name == "not_in" && one.kind == lackKnown {
			return lackOf(nil, one.value != true)
		}
		return one
	case "=", "<>", "<", "<=", ">", ">=":
		return compared(name, args[0], args[1])
	}
	return calculated(name, args)
}

// connected is and, or or: one operand that decides is enough.
func connected(args []lack, decides bool) lack {
	out := lackOf(nil, !decides)
	for _, a := range args {
		switch {
		case a.kind == lackKnown && a.value == decides:
			return lackOf(nil, decides)
		case a.kind == lackAny:
			out = lack{}
		case a.kind == lackNull && out.kind == lackKnown:
			out = lack{kind: lackNull}
		}
	}
	return out
}

func compared(name string, a, b lack) lack {
	if a.kind != lackKnown || b.kind != lackKnown {
		return strict([]lack{a, b})
	}
	x, number := a.value.(float64)
	y, numbers := b.value.(float64)
	switch {
	case number && numbers:
		n := cmp.Compare(x, y)
		return lackOf(nil, map[string]bool{"=": n == 0, "<>": n != 0, "<": n < 0, "<=": n <= 0, ">": n > 0, ">=": n >= 0}[name])
	case name == "=":
		return lackOf(nil, a.value == b.value)
	case name == "<>":
		return lackOf(nil, a.value != b.value)
	}
	return lack{} // texts are ordered by a collation
}

// calculated is arithmetic; what else there is gives null for a null.
func calculated(name string, args []lack) lack {
	out := strict(args)
	if out.kind == lackNull {
		return out
	}
	var n []float64
	for _, a := range args {
		x, ok := a.value.(float64)
		if !ok {
			return out
		}
		n = append(n, x)
	}
	switch {
	case name == "-" && len(n) == 1:
		return lackOf(nil, -n[0])
	case name == "-":
		return lackOf(nil, n[0]-n[1])
	case name == "+":
		return lackOf(nil, n[0]+n[1])
	case name == "*":
		return lackOf(nil, n[0]*n[1])
	case name == "/" && n[1] == 0:
		return lack{kind: lackNull}
	case name == "/":
		return lackOf(nil, n[0]/n[1])
	}
	return out
}

func lackingCall(name string, args []lack) lack {
	switch name {
	case "coalesce":
		for i, a := range args {
			if a.kind == lackAny && i+1 < len(args) { // null or not
				return lack{}
			}
			if a.kind != lackNull {
				return a
			}
		}
		return lack{kind: lackNull}
	case "concat":
		var b strings.Builder
		for _, a := range args {
			text, ok := a.value.(string)
			if !ok && a.kind != lackNull {
				return lack{}
			}
			b.WriteString(text)
		}
		return lackOf(nil, b.String())
	case "greatest", "least":
		return extreme(name, args)
	case "nullif":
		switch equal := compared("=", args[0], args[1]); {
		case equal.kind == lackKnown && equal.value == true, args[0].kind == lackNull:
			return lack{kind: lackNull}
		case equal.kind == lackAny:
			return lack{}
		}
		return args[0]
	}
	return strict(args)
}

// extreme is the greatest or least; nulls don't count.
func extreme(name string, args []lack) lack {
	out := lack{kind: lackNull}
	for _, a := range args {
		switch {
		case a.kind == lackNull:
		case out.kind == lackNull:
			out = a
		default:
			before := compared(map[string]string{"greatest": ">=", "least": "<="}[name], out, a)
			if before.kind != lackKnown {
				return lack{}
			}
			if before.value == false {
				out = a
			}
		}
	}
	return out
}

// lackingCast keeps a number that the type takes as it is.
func lackingCast(args []lack, to typ) lack {
	if f, ok := args[0].value.(float64); ok && (to.fam != famInt || f == float64(int32(f))) && to.number() {
		return lackOf(nil, f)
	}
	return strict(args)
}
