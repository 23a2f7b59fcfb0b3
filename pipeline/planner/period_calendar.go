package planner

import (
	"slices"
	"strconv"
)

// season is a part of a year: so many months from the first of one.
type season struct{ month, count int }

// season reads March, Q2, the first quarter, H1, the second half.
func (p *parser) season(i int) (season, int) {
	w := p.low(i)
	if m := months[w]; m > 0 {
		return season{m, 1}, 1
	}
	if len(w) == 2 && w[0] == 'q' && w[1] >= '1' && w[1] <= '4' {
		return season{3*int(w[1]-'1') + 1, 3}, 1
	}
	if len(w) == 2 && w[0] == 'h' && w[1] >= '1' && w[1] <= '2' {
		return season{6*int(w[1]-'1') + 1, 6}, 1
	}
	k := slices.Index(ordinals, w)
	switch {
	case k >= 0 && p.is(i+1, "quarter"):
		return season{3*k + 1, 3}, 2
	case k >= 0 && k < 2 && p.is(i+1, "half"):
		return season{6*k + 1, 6}, 2
	}
	return season{}, 0
}

var ordinals = []string{"first", "second", "third", "fourth"}

// calendar reads 2025, March 2026, Q2 of this year, the first half of 2026, March
// 15, 2026 and an ISO date.
func (p *parser) calendar(i int) (*period, int) {
	if part, n := p.season(i); n > 0 {
		if per, m := p.dayOf(i); m > 0 {
			return per, m
		}
		if year, m := p.yearOf(i + n); m > 0 {
			return span(year, part.month, part.count), n + m
		}
	}
	if p.kind(i) == date {
		return &period{lo: dateLiteral(p.toks[i].num), hi: dayAfter(p.toks[i].num)}, 1
	}
	at, n := i, 1
	if p.low(i) == "year" {
		at, n = i+1, 2
	}
	if p.low(i) == "year" && p.low(i+1) == "of" {
		at, n = i+2, 3
	}
	if p.kind(at) == number && isYear(p.toks[at].num) {
		per := span(p.toks[at].num, 1, 12)
		per.year, per.op = p.toks[at].num, "="
		return per, n
	}
	return nil, 0
}

// yearOf reads the year behind a part of it: 2026, of 2026, this year, of last year.
func (p *parser) yearOf(i int) (string, int) {
	k := i
	if p.is(k, "of") || p.is(k, "in") || p.kind(k) == comma {
		k++
	}
	if p.kind(k) == number && isYear(p.toks[k].num) {
		return p.toks[k].num, k + 1 - i
	}
	now, err := strconv.Atoi(p.today[:min(4, len(p.today))])
	if n := p.oneOf(k, [][]string{{"this", "year"}, {"last", "year"}}); n > 0 && err == nil {
		if p.is(k, "last") {
			now--
		}
		return strconv.Itoa(now), k + n - i
	}
	return "", 0
}

// dayOf reads a day with its month and year: March 15, 2026.
func (p *parser) dayOf(i int) (*period, int) {
	month := months[p.low(i)]
	if month == 0 || p.kind(i+1) != number || len(p.toks[i+1].num) > 2 {
		return nil, 0
	}
	year, n := p.yearOf(i + 2)
	day, err := strconv.Atoi(p.toks[i+1].num)
	if n == 0 || err != nil {
		return nil, 0
	}
	y, _ := strconv.Atoi(year)
	iso := pad(y, 4) + "-" + pad(month, 2) + "-" + pad(day, 2)
	if next := dayAfter(iso); next != nil {
		return &period{lo: dateLiteral(iso), hi: next}, 2 + n
	}
	return nil, 0
}

// toDate reads year to date, YTD: what of the current period is over, today included.
func (p *parser) toDate(i int) (*period, int) {
	unit, n := map[string]string{"ytd": "year", "qtd": "quarter", "mtd": "month"}[p.low(i)], 1
	if unit == "" && p.is(i+1, "to", "date") {
		unit, n = timeUnits[p.low(i)], 3
		if unit != p.low(i) || unit == "day" {
			return nil, 0
		}
	}
	if unit == "" {
		return nil, 0
	}
	return &period{lo: symbolic(unit, 0), hi: symbolic("day", 1)}, n
}

// ranged reads between … and …, from … to …. The year of what lies in one year need only be
// said once: between January and March 2026.
func (p *parser) ranged(i int) (*period, int) {
	to := "and"
	switch {
	case p.is(i, "between"):
		i++
	case p.is(i-1, "from"):
		to = "to"
	default:
		return nil, 0
	}
	start := i
	if p.is(i-1, "between") {
		start--
	}
	lo, n := p.periodAt(i)
	part, m := p.season(i)
	if n == 0 && m > 0 {
		end, k := p.season(i + m + 1)
		year, l := p.yearOf(i + m + 1 + k)
		if k == 0 || l == 0 || end.month < part.month {
			return nil, 0
		}
		lo, n = span(year, part.month, part.count), m
	}
	if n == 0 || !p.is(i+n, to) {
		return nil, 0
	}
	hi, m := p.periodAt(i + n + 1)
	if m == 0 {
		return nil, 0
	}
	return &period{lo: lo.lo, hi: hi.hi}, i + n + 1 + m - start
}

// yearless reads a part of a year without its year, at i: "in March" is the last one that has
// begun, or that of every year, and "since March" only the former. Weekends come again.
func (p *parser) yearless(s state, i int, op string, col *mention) []state {
	if i == s.at || op != "" && op != ">=" || len(p.find(i, func(m meaning) bool { return m.kind != aTable })) > 0 {
		return nil
	}
	if days := weekdays(p.low(i)); days != nil && op == "" {
		return p.spanned(s, &period{unit: weekday, parts: days}, i+1, col)
	}
	part, n := p.season(i)
	if n == 0 || p.kind(i+n) == number {
		return nil
	}
	out := p.spanned(s, p.begun(part, op), i+n, col)
	if op == "" {
		out = append(out, p.spanned(s, part.everyYear(), i+n, col)...)
	}
	return out
}

// begun is the part of the last year in which it has begun.
func (p *parser) begun(part season, op string) *period {
	per := span(p.begins(part), part.month, part.count)
	if op != "" {
		per = bounded(per, op)
	}
	return per
}

// begins is the last year in which a part of it has begun.
func (p *parser) begins(part season) string {
	year, month := p.today[:4], p.today[5:7]
	if pad(part.month, 2) > month {
		y, _ := strconv.Atoi(year)
		year = pad(y-1, 4)
	}
	return year
}

// everyYear is the part of whichever year.
func (s season) everyYear() *period {
	switch s.count {
	case 1:
		return &period{unit: "month", parts: []int{s.month}}
	case 3:
		return &period{unit: "quarter", parts: []int{s.month/3 + 1}}
	}
	out := &period{unit: "month"}
	for m := range s.count {
		out.parts = append(out.parts, s.month+m)
	}
	return out
}
