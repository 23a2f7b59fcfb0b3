package plan

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/pgask/pgask/pipeline/catalog"
)

// Ident spells one name as the plan language reads it: bare where it is lower
// case, else in double quotes.
func Ident(name string) string {
	plain := name != ""
	for i, r := range name {
		if !(r == '_' || r >= 'a' && r <= 'z' || i > 0 && (r >= '0' && r <= '9' || r == '$')) {
			plain = false
		}
	}
	if plain {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// TableName spells a relation for [Table] and [Join].
func TableName(n catalog.Name) string { return Ident(n.Schema) + "." + Ident(n.Table) }

// ColumnName spells a column for [Expr].
func ColumnName(alias, column string) string { return Ident(alias) + "." + Ident(column) }

// part is one part of a dotted name; a quoted one is literal.
type part struct {
	text   string
	quoted bool
}

// is tells whether the part means name: exactly, or folded to lower case as
// SQL folds what isn't quoted.
func (p part) is(name string) bool {
	return p.text == name || !p.quoted && strings.ToLower(p.text) == name
}

// splitName reads a dotted name. What is not in quotes may hold anything but
// a dot, so that a model's sloppy "Order Lines" still finds its table.
func splitName(s string) ([]part, bool) {
	var parts []part
	for {
		p, rest, ok := nextPart(s)
		if !ok || p.text == "" {
			return nil, false
		}
		parts = append(parts, p)
		if rest == "" {
			return parts, true
		}
		s = rest[1:]
		if s == "" {
			return nil, false
		}
	}
}

// nextPart reads up to a dot; rest is empty or starts with it.
func nextPart(s string) (p part, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		if i := strings.IndexByte(s, '.'); i >= 0 {
			return part{text: s[:i]}, s[i:], true
		}
		return part{text: s}, "", true
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != '"' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '"' {
			b.WriteByte('"')
			i++
			continue
		}
		rest = s[i+1:]
		return part{b.String(), true}, rest, rest == "" || rest[0] == '.'
	}
	return part{}, "", false
}

// nearest lists up to three of the names that look most like want. A name
// more than half different is no help.
func nearest(want string, names []string) []string {
	type scored struct {
		name string
		cost int
	}
	want = strings.ToLower(want[:min(len(want), 64)]) // no name is longer, but a plan may hold anything
	var found []scored
	for _, n := range names {
		low := strings.ToLower(n)
		cost := levenshtein.ComputeDistance(want, low)
		if strings.Contains(low, want) || strings.Contains(want, low) {
			cost = min(cost, 2)
		}
		if cost <= max(2, len(want)/3) {
			found = append(found, scored{n, cost})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return a.cost - b.cost })
	var out []string
	for _, f := range found {
		if len(out) < 3 && !slices.Contains(out, f.name) {
			out = append(out, f.name)
		}
	}
	return out
}
