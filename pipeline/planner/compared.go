package planner

// columnCondition reads "age is more than 30", "status completed", "the
// country 'Iceland'", "score between 3 and 5".
func (p *parser) columnCondition(s state, neg bool) []state {
	var out []state
	for _, h := range p.find(s.at, func(m meaning) bool { return isColumn(m) || isCount(m) }) {
		col := &mention{at: s.at, n: h.n, meanings: h.meanings}
		i := s.at + h.n
		if p.is(i, "value") || p.is(i, "values") {
			i++
		}
		i += p.oneOf(i, [][]string{{"is"}, {"are"}, {"was"}, {"were"}, {"of"}, {"is", "equal", "to"}, {"equal", "to"}, {"equals"}, {"="}, {"as"}, {"being"}, {"is", "either"}, {"are", "either"}, {"either"}, {"is", "in"}, {"to", "be"}, {"was", "in"}, {"is", "the"}, {"be"}, {"in"}, {"that", "is"}, {"that", "are"}})
		if at := p.keep(h, isMoment); !neg && at.meanings != nil { // signed up last month
			when := &mention{at: s.at, n: h.n, meanings: at.meanings}
			out = append(out, p.periodConditions(state{at: s.at + h.n, f: s.f}, when)...)
		}
		k, not := p.negation(i)
		out = append(out, p.compared(state{at: k, f: s.f}, col, neg != not)...)
	}
	return out
}

// compared reads the comparison and the value behind a column.
func (p *parser) compared(s state, col *mention, neg bool) []state {
	i := s.at
	var out []state
	if p.is(i, "both") && !neg && s.f.both[0] == nil && len(s.f.outs) > 0 { // both below 100 and above 500
		for _, l := range p.compared(state{at: i + 1, f: s.f}, col, false) {
			if !p.is(l.at, "and") || len(l.f.conds) == len(s.f.conds) {
				continue
			}
			for _, r := range p.compared(state{at: l.at + 1, f: s.f}, col, false) {
				r.f.both = [2][]cond{l.f.conds[len(s.f.conds):], r.f.conds[len(s.f.conds):]}
				r.f.conds = s.f.conds
				out = append(out, r)
			}
		}
		return out
	}
	if p.is(i, "between") || p.is(i, "in", "the", "range") || p.is(i, "from") {
		k := i + 1
		if p.is(i, "in") {
			k = i + 3
		}
		lo, n := p.scalar(k)
		if n > 0 && (p.is(k+n, "and") || p.is(k+n, "to")) {
			if hi, m := p.scalar(k + n + 1); m > 0 {
				return []state{s.with(cond{col: col, op: negated("between", neg), vals: []value{lo, hi}, spoken: col.at}, k+n+1+m)}
			}
		}
		return nil
	}
	if op, n := p.comparison(i); n > 0 {
		if op != "=" {
			for _, h := range p.find(p.det(i+n), isMeasure) {
				than := &mention{at: i + n, n: h.n, meanings: h.meanings, near: s.f.near}
				v := value{than: than, text: p.textOf(i+n, h.n)}
				out = append(out, s.with(cond{col: col, op: negated(op, neg), vals: []value{v}, spoken: col.at}, p.det(i+n)+h.n))
			}
		}
		if v, m := p.scalar(i + n); m > 0 {
			k := i + n + m
			out = append(out, s.with(cond{col: col, op: negated(op, neg), vals: []value{v}, spoken: col.at}, k))
		}
		return out
	}
	vals, k := p.valueList(p.det(i), neg)
	for n := range vals {
		op := "="
		if n > 0 {
			op = "in"
		}
		out = append(out, s.with(cond{col: col, op: negated(op, neg), vals: vals[:n+1], spoken: col.at}, k[n]))
	}
	if len(vals) == 1 && vals[0].num != "" && !neg {
		if n := p.oneOf(k[0], [][]string{{"or", "more"}, {"or", "higher"}, {"or", "above"}, {"or", "greater"}, {"and", "above"}}); n > 0 {
			out = append(out, s.with(cond{col: col, op: ">=", vals: vals, spoken: col.at}, k[0]+n))
		}
		if n := p.oneOf(k[0], [][]string{{"or", "less"}, {"or", "fewer"}, {"or", "lower"}, {"or", "below"}}); n > 0 {
			out = append(out, s.with(cond{col: col, op: "<=", vals: vals, spoken: col.at}, k[0]+n))
		}
	}
	return out
}

func isMoment(m meaning) bool { return isColumn(m) && temporal(m.column) }
