package planner

// impliedCondition reads "older than 30".
func (p *parser) impliedCondition(s state, neg bool) []state {
	c, ok := comparatives[p.low(s.at)]
	if !ok || !p.is(s.at+1, "than") {
		return nil
	}
	col := p.impliedColumn(s.at, 2, c.columns)
	v, n := p.scalar(s.at + 2)
	if col == nil || n == 0 {
		return nil
	}
	return []state{s.with(cond{col: col, op: negated(c.op, neg), vals: []value{v}, spoken: s.at}, s.at+2+n)}
}

// ageCondition reads "25 years old", "at least 30 years old", "aged 32 or older".
func (p *parser) ageCondition(s state, neg bool) []state {
	i := s.at
	aged := p.is(i, "aged")
	if aged {
		i++
	}
	op, n := p.comparison(i)
	if n == 0 {
		op = "="
	}
	i += n
	if p.kind(i) != number || p.toks[i].num == "" {
		return nil
	}
	v := value{num: p.toks[i].num, text: p.toks[i].text}
	i++
	if m := p.oneOf(i, [][]string{{"years", "old"}, {"years", "of", "age"}, {"year", "old"}}); m > 0 {
		i, aged = i+m, true
	}
	switch {
	case p.is(i, "or", "older"), p.is(i, "or", "above"), p.is(i, "or", "over"):
		op, i = ">=", i+2
	case p.is(i, "or", "younger"), p.is(i, "or", "below"), p.is(i, "or", "under"):
		op, i = "<=", i+2
	}
	col := p.impliedColumn(s.at, i-s.at, []string{"age"})
	if !aged || col == nil {
		return nil
	}
	return []state{s.with(cond{col: col, op: negated(op, neg), vals: []value{v}, spoken: s.at}, i)}
}

// verbCondition reads "directed by James Cameron", "opened after 2010",
// "created this year".
func (p *parser) verbCondition(s state, neg bool) []state {
	var out []state
	for _, h := range p.find(s.at, isVerb) {
		col := &mention{at: s.at, n: h.n, meanings: h.meanings}
		i := s.at + h.n
		i += p.oneOf(i, [][]string{{"by"}, {"in"}, {"on"}, {"as"}, {"during"}, {"by", "either"}, {"in", "either"}})
		out = append(out, p.compared(state{at: i, f: s.f}, col, neg)...)
		if !neg {
			out = append(out, p.periodConditions(state{at: s.at + h.n, f: s.f}, col)...)
		}
	}
	return out
}

// countCondition reads "more than 5 employees" and "100 seats" where the table
// has a column that counts them.
func (p *parser) countCondition(s state) []state {
	if p.is(s.at, "between") {
		lo, n := p.scalar(s.at + 1)
		hi, m := p.scalar(s.at + 2 + n)
		if n == 0 || m == 0 || !p.is(s.at+1+n, "and") {
			return nil
		}
		var out []state
		for _, h := range p.find(s.at+2+n+m, isMeasure) {
			col := &mention{at: s.at + 2 + n + m, n: h.n, meanings: h.meanings}
			out = append(out, s.with(cond{col: col, op: "between", vals: []value{lo, hi}, spoken: s.at}, s.at+2+n+m+h.n))
		}
		return out
	}
	op, n := p.comparison(s.at)
	if n == 0 {
		op = "="
	}
	var out []state
	for _, h := range p.find(s.at+n, isMeasure) { // above age 46
		if v, m := p.scalar(s.at + n + h.n); n > 0 && m > 0 && v.num != "" {
			col := &mention{at: s.at + n, n: h.n, meanings: h.meanings}
			out = append(out, s.with(cond{col: col, op: op, vals: []value{v}, spoken: s.at}, s.at+n+h.n+m))
		}
	}
	v, m := p.scalar(s.at + n)
	if m == 0 {
		return out
	}
	for _, h := range p.find(s.at+n+m, func(m meaning) bool { return isCount(m) || isColumn(m) && numeric(m.column) }) {
		col := &mention{at: s.at + n + m, n: h.n, meanings: h.meanings}
		out = append(out, s.with(cond{col: col, op: op, vals: []value{v}, spoken: s.at}, s.at+n+m+h.n))
	}
	return out
}
