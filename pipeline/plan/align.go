package plan

import "encoding/json"

// settle types what nothing beside it types: a text, number or boolean by
// its JSON kind, a symbolic date as a date.
func (c *checker) settle(t *typed) *typed {
	switch t.typ.fam {
	case famSymbol:
		return c.coerce(t, typeDate)
	case famLiteral:
		switch t.expr.Literal.Value.(type) {
		case bool:
			return c.coerce(t, typeBool)
		case json.Number:
			return c.coerce(t, typeInt)
		}
		return c.coerce(t, typeText)
	}
	return t
}

// align brings operands to one type: open ones take the type of the others,
// and the others must have one in common.
func (c *checker) align(ts []*typed, at, what string) (typ, bool) {
	var shared typ
	typedYet := false
	for _, t := range ts {
		if t.typ.fam == famLiteral || t.typ.fam == famSymbol {
			continue
		}
		if !typedYet {
			shared, typedYet = t.typ, true
			continue
		}
		both, ok := common(shared, t.typ)
		if !ok {
			c.faultf(stageNames, CodeType, at, "%s of %s and %s", what, shared, t.typ)
			return typ{}, false
		}
		shared = both
	}
	if !typedYet {
		shared = openType(ts)
	}
	ok := true
	iso := isoLayout(ts)
	for i, t := range ts {
		done := t
		if t.typ.fam == famSymbol && shared.fam == famText && iso != "" {
			done = c.dateText(t, iso)
		} else {
			done = c.coerce(t, shared)
		}
		if done != nil {
			*ts[i] = *done
		} else {
			ok = false
		}
	}
	if !ok {
		return typ{}, false
	}
	return resultOf(ts, shared), true
}

// resultOf is the type that operands have in common once all are typed: an
// open number beside an integer is an integer, whatever it was tried as.
func resultOf(ts []*typed, tried typ) typ {
	shared := ts[0].typ
	for _, t := range ts[1:] {
		both, ok := common(shared, t.typ)
		if !ok {
			return tried
		}
		shared = both
	}
	return shared
}

// openType is the type of operands none of which has one: a date where a
// symbolic date is among them, else what the first literal with a value is.
func openType(ts []*typed) typ {
	for _, t := range ts {
		if t.typ.fam == famSymbol {
			return typeDate
		}
	}
	for _, t := range ts {
		switch t.expr.Literal.Value.(type) {
		case bool:
			return typeBool
		case json.Number:
			return typeNumeric
		case string:
			return typeText
		}
	}
	return typeText
}
