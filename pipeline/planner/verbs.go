package planner

import (
	"slices"
	"strings"
)

// relationVerbs say that two things have to do with each other and nothing
// more: which, the keys between their tables tell. Verbs that choose among what
// happened (cancel, win, fail, approve) are not among them, since a plan that
// passed over them would choose nothing.
var relationVerbs = verbStems(relationWords,
	`brought built bought came chose chosen dealt drove driven flew flown gave given got gotten had has held kept led lent lended made met paid payed ran sold
	sent sang sung spoke spoken spent stood taught took taken undertook wore worn wrote written`)

const relationWords = `achieve acquire affiliate appear ascend assign associate attend author award base belong book borrow bring
	broadcast build buy carry cause center choose climb coach collect come compete compose conduct confer connect construct consume contain contribute correspond cover create
	deal deliver design develop drive earn employ enroll enrol exhibit feature file fly gain get give govern grant guide handle happen have incur head hire
	hold host house include inhabit interact involve join keep lead learn lend live loan need locate maintain make manage manufacture
	meet obtain occupy occur offer operate organize originate own paint participate perform place play possess post prescribe present produce
	provide process publish purchase raise rate receive require review register relate rent repair report represent reside run score sell send serve share sing speak spend
	star stay stock store study submit supply supervise take teach train treat undergo use visit watch wear work write`

// datedVerbs say when something came to be: they need a time behind them.
var datedVerbs = verbStems(datedWords, `began begun born built`)

const datedWords = ` begin bear build complete create debut end establish expire finish found happen hire introduce join issue launch occur open
	produce publish raise record register release start`

// verbBases are the verbs as dictionaries list them: what is called open_year is the
// opening year, too.
var verbBases = set(strings.Fields(relationWords + datedWords)...)

// verbStems are the stems of verbs and their irregular forms.
func verbStems(regular, irregular string) map[string]bool {
	out := map[string]bool{}
	for _, w := range append(strings.Fields(regular), strings.Fields(irregular)...) {
		out[stem(w)] = true
	}
	return out
}

// relates tells whether the word at i is a verb that only relates. Where the
// schema names who does it (teacher, manufacturer) and the question doesn't, it
// says more: who teaches a class isn't who sits in it.
func (p *parser) relates(i int) bool {
	return p.kind(i) == word && relationVerbs[p.toks[i].stem] && len(p.find(i, ofItsOwn)) == 0 && !p.others(i) && !p.noun(i)
}

// noun tells whether the verb at i is a noun here: what stands behind a number's name
// (revenue raise), and the words for a ratio (order share), unless "that",
// "did" and the like make it a verb.
func (p *parser) noun(i int) bool {
	w, before := p.low(i), p.low(i-1)
	if !verbBases[w] || relatives[before] || auxiliaries[before] || pronouns[before] || before == "to" || negations[before] {
		return false
	}
	if w == "share" || w == "rate" {
		return true
	}
	number := false
	for k := max(0, i-maxNameWords); k < i; k++ {
		for _, h := range p.hits[k] {
			for _, m := range h.meanings {
				if k+h.n == i && isTable(m) {
					return false // orders include: rows do something
				}
				number = number || k+h.n == i && isMetric(m)
			}
		}
	}
	return number
}

// ofItsOwn tells whether a word is surely a column's name that isn't a key.
func ofItsOwn(m meaning) bool {
	return m.kind == aColumn && !m.count && m.weight >= 0.85 && !isKey(m.table, m.column)
}

// acts are the tables whose rows a verb tells of: loans for "loaned".
func (p *parser) acts(i int) []meaning {
	var out []meaning
	if ph := p.x.byKey[p.toks[i].stem]; ph != nil && p.kind(i) == word {
		for _, m := range ph.meanings {
			if m.kind == aTable {
				out = append(out, m.as(p.toks[i:i+1]))
			}
		}
	}
	return out
}

// others tells whether the verb at i is what somebody else does: the schema names those who
// do it and the question doesn't, unless it goes on to say by whom.
func (p *parser) others(i int) bool {
	doer := p.x.doers[p.toks[i].stem]
	if doer == "" || p.is(i+1, "by") && len(p.find(p.det(i+2), isTable)) == 0 {
		return false
	}
	return !slices.ContainsFunc(p.toks, func(t token) bool { return t.low == doer || t.low == doer+"s" })
}

// doers are the words of a name for who does something, such as teacher, by the
// stem of what they do.
func doers(words []string) map[string]string {
	out := map[string]string{}
	for _, w := range words {
		w = strings.TrimSuffix(w, "s")
		for _, suffix := range []string{"er", "or"} {
			if does, ok := strings.CutSuffix(w, suffix); ok {
				out[stem(does)] = w
			}
		}
	}
	return out
}

// dated tells whether the word at i is a verb that says when, with a time
// behind it.
func (p *parser) dated(i int) bool {
	if p.kind(i) != word || !datedVerbs[p.toks[i].stem] || len(p.find(i, isMoment)) > 0 {
		return false // hired since 2021: the column of that name is meant, not another date
	}
	k := i + 1
	if _, n := p.comparison(k); n > 0 {
		k += n
	} else {
		k += p.oneOf(k, timePrepositions)
	}
	if p.is(k, "between") || p.is(k, "from") {
		k++
	}
	_, n := p.periodAt(p.det(k))
	return n > 0
}

var timePrepositions = [][]string{{"in"}, {"on"}, {"during"}, {"in", "the"}, {"between"}, {"from"}}

// placeClauses lead to how many there are: "in which there are more than one festivals".
var placeClauses = [][]string{{"where"}, {"in", "which"}, {"for", "which"}, {"where", "there", "are"}, {"in", "which", "there", "are"}, {"for", "which", "there", "are"}, {"that"}, {"which"}}

var (
	// What will, would or may be is in no row, so the words for it aren't among these.
	auxiliaries = set("is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "do", "does", "did", "can", "could", "also", "ever", "already", "currently")
	pronouns    = set("they", "he", "she", "it")
	relatives   = set("that", "who", "which", "whom", "where")
	negations   = set("not", "never", "don't", "doesn't", "didn't", "hasn't", "haven't", "hadn't", "isn't", "aren't", "wasn't", "weren't", "cannot", "can't", "couldn't")
	preposition = set("in", "at", "on", "to", "from", "by", "with", "for", "of", "under", "out", "through", "as", "into", "within", "up", "over")
)

// clause is the head of a relative clause or of a predicate: what its verb
// relates to stands at at.
type clause struct {
	at   int
	neg  bool // not, never
	verb bool // there is a verb with a meaning, not only is and has
	have bool // has, with, contains
	at0  int  // the verb's place
	pron bool // they, it: what was said before
}

// clauses are the ways to read the head of a clause at i: "who have never
// filed", "that they are assigned to repair", "taught by", "with".
func (p *parser) clauses(i int) []clause {
	var c clause
	k := i
	if p.is(k, "with") || p.is(k, "having") || p.is(k, "without") || p.is(k, "whose") {
		return []clause{{at: k + 1, neg: p.is(k, "without"), have: true}}
	}
	if n := p.oneOf(k, placeClauses); n > 0 {
		_, m := p.comparison(k + n)
		_, most := superlatives[p.low(p.det(k+n))]
		if m > 0 || most {
			return []clause{{at: k + n, have: true}}
		}
	}
	if p.is(k, "in", "which") {
		k++
	}
	if relatives[p.low(k)] {
		k++
	}
	if pronouns[p.low(k)] {
		c.pron = true
		k++
	}
	for {
		w := p.low(k)
		switch {
		case negations[w] && !c.neg:
			c.neg = true
		case auxiliaries[w]:
			c.have = c.have || w == "has" || w == "have" || w == "had"
		default:
			w = ""
		}
		if w == "" || k >= len(p.toks) {
			break
		}
		k++
	}
	if p.relates(k) || verbForm(p.token(k)) && len(p.acts(k)) > 0 || lightVerbs[p.low(k)] || p.dated(k) {
		c.verb, c.at0 = true, k
		if p.is(k+1, "by") && verbBases[p.low(k)] && !p.is(k, "run") {
			return nil // product use by region: a noun; what is done by somebody is used
		}
		c.have = c.have || p.is(k, "contain") || p.is(k, "contains") || p.is(k, "containing")
		k++
		if p.is(k, "to") && p.relates(k+1) { // assigned to repair
			k += 2
		}
	}
	if !c.verb && c.neg && preposition[p.low(k)] { // not on any market
		return []clause{{at: k + 1, neg: true}}
	}
	if !c.verb && !c.have {
		return nil
	}
	c.at = k
	out := []clause{c}
	for n := 0; n < 2 && c.verb && preposition[p.low(c.at)] && !p.is(c.at+1, "by"); n++ { // operated on by: not who operates
		c.at++
		out = append(out, c)
	}
	return out
}

// named tells whether the word at i is part of something's name.
func (p *parser) named(i int) bool {
	for k := max(0, i-3); k <= i; k++ {
		for _, h := range p.find(k, func(m meaning) bool { return isTable(m) || isColumn(m) || isMetric(m) }) {
			if k+h.n > i {
				return true
			}
		}
	}
	return false
}
