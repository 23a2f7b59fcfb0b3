package transaction

// set judges what follows SET at the beginning of a statement.
func (s *scanner) set(ahead lexer) Effects {
	t := ahead.next()
	n := t.meaning()
	peek := ahead
	next := peek.next()
	switch {
	case t.kind != word:
	case n == wordLocal && named(next):
		return 0
	case n == wordSession && named(next):
		if m := next.meaning(); m == wordCharacteristics || fold2(next.text, "authorization") {
			return Pins
		}
		t, ahead = next, peek
		n = t.meaning()
		peek = ahead
		next = peek.next()
	}
	switch {
	case t.kind != word:
	case n == wordTransaction && mode(next.meaning()), fold2(t.text, "constraints") && named(next):
		return 0
	case n == wordTime && next.meaning() == wordZone:
		return s.reports(timeZone)
	case n == wordNames && (named(next) || next.kind == str):
		return s.reports(clientEncoding)
	case n == wordSchema && next.kind == str:
		return s.reports(searchPath)
	}
	if next.kind == symbol && next.text == "=" || next.meaning() == wordTo {
		if p, ok := parameterOf(t.text); ok && t.kind != str {
			return s.reports(p)
		}
	}
	return Pins
}

// reset judges what follows RESET. It only ever takes something away.
func (s *scanner) reset(ahead lexer) Effects {
	t := ahead.next()
	switch n := t.meaning(); {
	case n == wordAll, n == wordTime && ahead.next().meaning() == wordZone:
		return Reports
	}
	if p, ok := parameterOf(t.text); ok && s.reported.Has(p) {
		return Reports
	}
	return 0
}

func (s *scanner) reports(p Parameter) Effects {
	if s.reported.Has(p) {
		return Reports
	}
	return Pins
}

// named reports whether t continues a SET whose first word was no parameter's
// name.
func named(t token) bool {
	return t.kind == quoted || t.kind == word && t.meaning() != wordTo
}

// mode reports whether a word begins a transaction's mode.
func mode(n name) bool {
	switch n {
	case wordIsolation, wordRead, wordNot, wordDeferrable, wordSnapshot:
		return true
	}
	return false
}

// fold2 is fold for strings of any length.
func fold2(s, lower string) bool { return len(s) == len(lower) && fold(s, lower) }
