package policy_test

import (
	"fmt"
	"slices"
	"strings"
)

// closed begins a query in brackets, which takes no ORDER BY of its own.
const closed = "\x04"

// both holds two texts: what the client writes, and what the oracle gets.
func both(client, oracle string) string { return "\x01" + client + "\x02" + oracle + "\x03" }

// side takes one of the texts out.
func side(text string, oracle bool) string {
	var b strings.Builder
	text = strings.ReplaceAll(text, closed, "")
	for {
		before, rest, ok := strings.Cut(text, "\x01")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		pair, after, _ := strings.Cut(rest, "\x03")
		client, other, _ := strings.Cut(pair, "\x02")
		if oracle {
			b.WriteString(other)
		} else {
			b.WriteString(client)
		}
		text = after
	}
}

// identifier spells a name in one of the ways that mean it.
func (g *randomQuery) identifier(name string) string {
	plain := name != ""
	ascii := true
	for _, r := range name {
		plain = plain && (r >= 'a' && r <= 'z' || r == '_' || r >= '0' && r <= '9')
		ascii = ascii && r < 128
	}
	switch {
	case plain && !slices.Contains([]string{"select", "order", "user", "group", "table", "end", "limit", "array", "when", "true", "from", "all", "whole", "window", "x"}, name) && !(name[0] >= '0' && name[0] <= '9'):
		return g.pick(name, name, name, strings.ToUpper(name), quoteName(name))
	case !ascii && !strings.Contains(name, `"`) && g.one(4):
		var b strings.Builder
		for _, r := range strings.ReplaceAll(name, `\`, `\\`) {
			if r < 128 {
				b.WriteRune(r)
			} else {
				fmt.Fprintf(&b, `\%04X`, r)
			}
		}
		return `U&"` + b.String() + `"`
	}
	return quoteName(name)
}

func (g *randomQuery) fresh() string {
	g.n++
	return fmt.Sprintf("%s%d", g.pick("t", "t", "t", "a", "T x", "sélect", `q"x`, "order"), g.n)
}
