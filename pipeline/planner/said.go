package planner

import (
	"slices"
	"strings"
)

// as is a meaning of words that may not be the schema's own.
func (m meaning) as(toks []token) meaning {
	if m.loose || m.kind == aColumn && m.hierarchy != nil && len(m.hierarchy.Levels) > 1 {
		words := make([]string, len(toks))
		for i, t := range toks {
			words[i] = t.text
		}
		m.word = strings.Join(words, " ")
	}
	return m
}

// asSaid are the meanings of words.
func asSaid(meanings []meaning, toks []token) []meaning {
	out := slices.Clone(meanings)
	for i := range out {
		out[i] = out[i].as(toks)
	}
	return out
}

// readAs says of each word that another of the schema was put in the place of, or a value
// that is spelled otherwise, or a level in that of a hierarchy, what it was read as: whoever asked may have meant something else.
func (b *builder) readAs() []string {
	out := b.asOfSaid()
	take := func(m meaning) {
		if m.word == "" {
			return
		}
		out = union(out, []string{`"` + m.word + `" was read as ` + m.String() + finer(m.hierarchy)})
	}
	for _, m := range b.f.named {
		take(m)
	}
	for _, m := range b.f.mentions() {
		take(b.picks[m])
	}
	for _, conds := range [][]cond{b.f.conds, b.f.both[0], b.f.both[1], b.f.except} {
		b.valuesOf(conds, take)
	}
	for _, l := range b.f.linked {
		chosen, err := b.chosen(l)
		if err != nil {
			continue // there is no plan of it then
		}
		for i, c := range l.conds {
			take(chosen[i])
			c.valuesIn(chosen[i], take)
		}
	}
	if b.f.limit > 0 && len(b.f.orders) == 1 && !b.f.orders[0].desc && slices.ContainsFunc(b.f.groups, func(g group) bool { return g.unit != "" }) {
		out = union(out, []string{"periods without any are left out"})
	}
	return out
}

// valuesOf takes what the values of conditions were read as.
func (b *builder) valuesOf(conds []cond, take func(meaning)) {
	for _, c := range conds {
		b.valuesOf(c.any, take)
		c.valuesIn(b.picks[c.col], take)
	}
}

// valuesIn takes the values of a column that a condition compares it with.
func (c cond) valuesIn(m meaning, take func(meaning)) {
	for _, v := range c.vals {
		among := v.link
		if v.of != nil && v.of.col != nil {
			among = v.of.col.meanings
		}
		for _, l := range among {
			if l.column == m.column {
				take(l)
				break
			}
		}
	}
}

// union is a list with what another has besides.
func union(list, more []string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
