package planner

import (
	"sort"
	"strings"
	"unicode"

	"github.com/pgask/pgask/pipeline/plans"
)

// template is a question with {holes}: literals[0] hole[0] literals[1] …
type template struct {
	literals []string // lower case
	holes    []string
	words    []templateWord
}

// templateWord is one content word of a template, or a hole.
type templateWord struct {
	stem string
	hole string
}

// match is a query whose question was asked, and the texts of its holes.
type match struct {
	query *verified
	texts map[string]string
	rank  int // characters that were matched literally
}

// lower folds case rune by rune, so that positions stay the same.
func lower(s string) []rune {
	rs := []rune(s)
	for i, r := range rs {
		rs[i] = unicode.ToLower(r)
	}
	return rs
}

// parseTemplate reads a question of the file; ok is false when a brace
// doesn't close or a hole stands beside another.
func parseTemplate(question string) (t template, ok bool) {
	rest := plans.Normalize(question)
	for {
		before, after, found := strings.Cut(rest, "{")
		t.literals = append(t.literals, string(lower(before)))
		if !found {
			break
		}
		name, tail, closed := strings.Cut(after, "}")
		if !closed || name == "" || len(t.holes) > 0 && strings.TrimSpace(before) == "" {
			return t, false
		}
		t.holes = append(t.holes, name)
		rest = tail
	}
	for i, l := range t.literals {
		for _, w := range contentWords(tokenize(l)) {
			t.words = append(t.words, templateWord{stem: w.stem})
		}
		if i < len(t.holes) {
			t.words = append(t.words, templateWord{hole: t.holes[i]})
		}
	}
	return t, true
}

// key is what two questions share when they are the same.
func (t template) key() string {
	parts := make([]string, len(t.words))
	for i, w := range t.words {
		parts[i] = w.stem
		if w.hole != "" {
			parts[i] = "{}"
		}
	}
	return strings.Join(parts, " ")
}

// matches are all queries whose question this is, the most literal first,
// then in the file's order.
func matches(queries []*verified, question string) []match {
	norm := plans.Normalize(question)
	toks := contentWords(tokenize(norm))
	var out []match
	for _, q := range queries {
		best := match{rank: -1}
		for _, t := range q.forms {
			texts, ok := t.exact(norm)
			rank := 2 * len(strings.Join(t.literals, ""))
			if !ok {
				if texts, ok = t.loose(toks); !ok {
					continue
				}
				rank--
			}
			if rank > best.rank {
				best = match{query: q, texts: texts, rank: rank}
			}
		}
		if best.query != nil {
			out = append(out, best)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].rank > out[j].rank })
	return out
}

// exact matches the question word for word, holes taking any text.
func (t template) exact(norm string) (map[string]string, bool) {
	rs, low := []rune(norm), lower(norm)
	texts := map[string]string{}
	var fill func(i, at int) bool
	fill = func(i, at int) bool {
		lit := []rune(t.literals[i])
		if at+len(lit) > len(low) || string(low[at:at+len(lit)]) != t.literals[i] {
			return false
		}
		at += len(lit)
		if i == len(t.holes) {
			return at == len(low)
		}
		for end := at + 1; end <= len(low); end++ {
			if fill(i+1, end) {
				texts[t.holes[i]] = unquote(string(rs[at:end]))
				return true
			}
		}
		return false
	}
	return texts, fill(0, 0)
}

// loose matches the same content words in the same order; a hole takes one
// number, date or quoted text, or up to four words.
func (t template) loose(toks []token) (map[string]string, bool) {
	texts := map[string]string{}
	var fill func(i, at int) bool
	fill = func(i, at int) bool {
		if i == len(t.words) {
			return at == len(toks)
		}
		w := t.words[i]
		if w.hole == "" {
			return at < len(toks) && toks[at].stem == w.stem && toks[at].kind != quoted && fill(i+1, at+1)
		}
		for n := 1; n <= 4 && at+n <= len(toks); n++ {
			if n > 1 && (toks[at].kind != word || toks[at+n-1].kind != word) {
				return false
			}
			if fill(i+1, at+n) {
				texts[w.hole] = joinTokens(toks[at : at+n])
				return true
			}
		}
		return false
	}
	return texts, len(t.words) > 0 && fill(0, 0)
}

func joinTokens(toks []token) string {
	parts := make([]string, len(toks))
	for i, t := range toks {
		parts[i] = t.text
	}
	return strings.Join(parts, " ")
}

// unquote drops quotes around a value.
func unquote(s string) string {
	rs := []rune(strings.TrimSpace(s))
	if len(rs) >= 2 && closing(rs[0]) == rs[len(rs)-1] && closing(rs[0]) != 0 {
		return string(rs[1 : len(rs)-1])
	}
	return string(rs)
}

// silentWords only ask: a question means the same without them.
var silentWords = set("please", "show", "list", "find", "give", "display", "get", "tell", "return", "me", "us", "the", "a", "an", "what", "is", "are", "were", "was", "can", "could", "you")

// contentWords leaves out what only asks.
func contentWords(toks []token) []token {
	var out []token
	for _, t := range toks {
		if t.kind == word && silentWords[t.low] {
			continue
		}
		out = append(out, t)
	}
	return out
}
