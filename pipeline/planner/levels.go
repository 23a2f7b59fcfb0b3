package planner

import (
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/semantic"
)

// addHierarchy indexes a hierarchy by its name and synonyms: they name its levels together,
// and alone its coarsest one, unless the schema calls that so anyway.
func (x *lexicon) addHierarchy(h *semantic.Hierarchy) {
	if slices.ContainsFunc(h.Levels, func(l semantic.Level) bool { return x.table(l.Table) == nil }) {
		return
	}
	coarsest := x.levelGroup(h.Levels[0], 0).col.meanings[0]
	for _, s := range append([]string{h.Name}, h.Synonyms...) {
		words := splitIdentifier(s)
		x.add(words, meaning{kind: aHierarchy, table: coarsest.table, hierarchy: h, weight: 1})
		if !slices.ContainsFunc(x.byKey[strings.Join(stems(words), " ")].meanings, func(m meaning) bool { return isColumn(m) && m.column == coarsest.column }) {
			named := coarsest
			named.hierarchy = h
			x.add(words, named)
		}
	}
}

// levels reads several levels that are grouped by: by geography down to country, by all
// levels of geography.
func (p *parser) levels(s state) []state {
	all := p.oneOf(s.at, [][]string{{"all", "levels", "of"}, {"all", "the", "levels", "of"}, {"every", "level", "of"}, {"each", "level", "of"}, {"levels", "of"}})
	at := s.at + all
	if all > 0 {
		at = p.det(at)
	}
	var out []state
	for _, h := range p.find(at, isHierarchy) {
		for _, m := range h.meanings {
			k := at + h.n
			if all > 0 {
				out = append(out, p.byLevels(s, m.hierarchy, k, len(m.hierarchy.Levels)))
				continue
			}
			if n := p.allLevels(k); n > 0 {
				out = append(out, p.byLevels(s, m.hierarchy, k+n, len(m.hierarchy.Levels)))
			}
			if p.is(k, "down", "to") {
				out = append(out, p.downTo(s, m.hierarchy, p.det(k+2))...)
			}
		}
	}
	return out
}

// allLevels is the length of "all levels" behind a hierarchy.
func (p *parser) allLevels(i int) int {
	n := 0
	if p.kind(i) == comma {
		n = 1
	}
	for _, w := range []string{"at", "on", "with", "over"} {
		if p.is(i+n, w) {
			n++
			break
		}
	}
	if m := p.oneOf(i+n, [][]string{{"all", "levels"}, {"all", "its", "levels"}, {"every", "level"}, {"each", "level"}}); m > 0 {
		return n + m
	}
	return 0
}

// downTo reads the level that a hierarchy is taken down to.
func (p *parser) downTo(s state, h *semantic.Hierarchy, i int) []state {
	if p.is(i, "finest", "level") {
		return []state{p.byLevels(s, h, i+2, len(h.Levels))}
	}
	var out []state
	for _, hit := range p.find(i, isColumn) {
		for _, m := range hit.meanings {
			if n := h.At(m.table.Name, m.column.Name); n >= 0 {
				k := i + hit.n
				if p.is(k, "level") {
					k++
				}
				out = append(out, p.byLevels(s, h, k, n+1))
			}
		}
	}
	return out
}

// byLevels groups by the first levels of a hierarchy, whose words end at end.
func (p *parser) byLevels(s state, h *semantic.Hierarchy, end, levels int) state {
	n := state{at: end, f: s.f}
	for i, l := range h.Levels[:levels] {
		n.f.groups = add(n.f.groups, p.x.levelGroup(l, s.at+i)) // positions tell mentions apart
	}
	return n
}

// levelGroup is the grouping by one level.
func (x *lexicon) levelGroup(l semantic.Level, at int) group {
	t := x.table(l.Table)
	column := t.Column(l.Column)
	for _, d := range x.dimensions[t] {
		if d.Name == l.Column {
			column = d
		}
	}
	m := meaning{kind: aColumn, table: t, column: column, weight: 1}
	return group{col: &mention{at: at, n: 1, meanings: []meaning{m}, owner: t}}
}

// finer says which levels are finer than the coarsest, for which a hierarchy's name is taken.
func finer(h *semantic.Hierarchy) string {
	if h == nil || len(h.Levels) < 2 {
		return ""
	}
	names := levelNames(h)[1:]
	if len(names) > 1 {
		return "; " + listed(names) + " are finer"
	}
	return "; " + names[0] + " is finer"
}

// levelNames are a hierarchy's levels as people say them, and as questions may.
func levelNames(h *semantic.Hierarchy) []string {
	out := make([]string, len(h.Levels))
	for i, l := range h.Levels {
		out[i] = spokenName(l.Column)
		words := splitIdentifier(l.Column)
		if vagueHeads[words[len(words)-1]] || slices.ContainsFunc(h.Levels, func(o semantic.Level) bool { return o.Column == l.Column && o.Table != l.Table }) {
			out[i] = spokenName(l.Table.Table) + " " + out[i]
		}
	}
	return out
}

// listed is a list as people write it.
func listed(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}
