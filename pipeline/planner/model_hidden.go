package planner

import (
	"slices"
	"strings"
	"unicode"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// hiddenNames are the columns and dimensions that semantic.yaml hides from models and that no
// shown column shares its name with, in small letters.
func hiddenNames(in Input) map[string]bool {
	hidden, shown := map[string]bool{}, map[string]bool{}
	for _, t := range in.Catalog.Tables {
		for _, c := range t.Columns {
			if in.Semantic.Exposure(t.Name, c.Name) == semantic.Hidden {
				hidden[strings.ToLower(c.Name)] = true
			} else {
				shown[strings.ToLower(c.Name)] = true
			}
		}
		for _, d := range in.Semantic.DimensionsOf(t.Name) {
			map[bool]map[string]bool{true: hidden, false: shown}[d.LLM == semantic.Hidden][strings.ToLower(d.Name)] = true
		}
	}
	for name := range shown {
		delete(hidden, name)
	}
	return hidden
}

// Mentionable are those of an answer's notes that a model may be told: they name no column
// that is hidden from models, and none of which a model may only know the name: they may
// hold a value of it.
func Mentionable(notes []string, c *catalog.Snapshot, m *semantic.Model) []string {
	in := Input{Catalog: c, Semantic: m}
	return keepShown(keepShown(notes, hiddenNames(in)), nameOnly(in))
}

// nameOnly are the columns and dimensions whose values models aren't told, in small letters.
func nameOnly(in Input) map[string]bool {
	out := map[string]bool{}
	for _, t := range in.Catalog.Tables {
		for _, c := range t.Columns {
			if in.Semantic.Exposure(t.Name, c.Name) == semantic.NameOnly {
				out[strings.ToLower(c.Name)] = true
			}
		}
		for _, d := range in.Semantic.DimensionsOf(t.Name) {
			if d.LLM == semantic.NameOnly {
				out[strings.ToLower(d.Name)] = true
			}
		}
	}
	return out
}

// tellable tells whether a model may be shown the last plan, which may be another planner's
// or the asker's own: it names no hidden column, and where it names one whose values are
// not told it holds no text but the asker's.
func tellable(in Input) bool {
	text := compact(in.Last.Plan)
	if mentions(text, hiddenNames(in)) {
		return false
	}
	return !mentions(text, nameOnly(in)) || !slices.ContainsFunc(literalTexts([]byte(text)), func(value string) bool {
		return !strings.Contains(in.Last.Question, value)
	})
}

// mentions tells whether a text holds one of the names as a word.
func mentions(text string, names map[string]bool) bool {
	if len(names) == 0 {
		return false
	}
	lower := strings.ToLower(text)
	for name := range names {
		for rest, at := lower, 0; ; {
			i := strings.Index(rest[at:], name)
			if i < 0 {
				break
			}
			i += at
			if edge(rest, i-1) && edge(rest, i+len(name)) {
				return true
			}
			at = i + len(name)
		}
	}
	return false
}

// edge tells whether the byte at i, if there is one, ends a word. Bytes of
// longer letters count as letters.
func edge(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return true
	}
	r := rune(s[i])
	return r < 0x80 && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

func withoutHidden(message string, hidden map[string]bool) string {
	if mentions(message, hidden) {
		return ""
	}
	return clip(message, messageRunes)
}

func keepShown(names []string, hidden map[string]bool) []string {
	var out []string
	for _, n := range names {
		if !mentions(n, hidden) {
			out = append(out, n)
		}
	}
	return out
}

func shownRepair(r plan.Repair, hidden map[string]bool) plan.Repair {
	for _, p := range r {
		if text, ok := p.Value.(string); ok && mentions(text, hidden) {
			return nil
		}
	}
	return r
}

// clip cuts a text to so many runes, saying so.
func clip(s string, runes int) string {
	if len(s) <= runes {
		return s
	}
	if r := []rune(s); len(r) > runes {
		return string(r[:runes]) + "…"
	}
	return s
}
