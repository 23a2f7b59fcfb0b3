package redact

import (
	"bufio"
	_ "embed"
	"regexp"
	"strings"
	"sync"
)

// The lists: messages that may be shown, hints, names of SQLSTATEs (Postgres's
// errcodes, manual appendix A), and what slots may hold.
var (
	//go:embed messages.txt
	messagesText string
	//go:embed hints.txt
	hintsText string
	//go:embed conditions.txt
	conditionsText string
	//go:embed types.txt
	typesText string
	//go:embed keywords.txt
	keywordsText string
	//go:embed regexes.txt
	regexesText string
)

// pattern is a message with slots.
type pattern struct {
	expr  *regexp.Regexp
	slots []string // the slot of each group
	short string   // what is said where a slot isn't the client's; empty for the condition
}

type lists struct {
	patterns                        map[string][]pattern
	conditions                      map[string]string
	hints, types, keywords, regexes map[string]bool
}

// known are the lists, read when first needed.
var known = sync.OnceValue(func() *lists {
	l := &lists{patterns: map[string][]pattern{}, conditions: map[string]string{},
		hints: set(lines(hintsText)), types: set(lines(typesText)), regexes: set(lines(regexesText)),
		keywords: set(strings.Fields(keywordsText))}
	for _, line := range lines(messagesText) {
		code, message, _ := strings.Cut(line, "\t")
		message, short, _ := strings.Cut(message, "\t")
		l.patterns[code] = append(l.patterns[code], newPattern(message, short))
	}
	for _, line := range lines(conditionsText) {
		code, name, _ := strings.Cut(line, " ")
		l.conditions[code] = name
	}
	return l
})

var slotExpr = regexp.MustCompile(`\{[a-z]+\}`)

func newPattern(message, short string) pattern {
	p := pattern{short: short}
	var b strings.Builder
	b.WriteString(`\A`)
	at := 0
	for _, m := range slotExpr.FindAllStringIndex(message, -1) {
		slot := message[m[0]+1 : m[1]-1]
		within := `.*?`
		if slot == "op" { // types have spaces in them, operators don't
			within = operatorExpr
		}
		b.WriteString(regexp.QuoteMeta(message[at:m[0]]) + `(` + within + `)`)
		p.slots = append(p.slots, slot)
		at = m[1]
	}
	b.WriteString(regexp.QuoteMeta(message[at:]) + `\z`)
	p.expr = regexp.MustCompile(`(?s)` + b.String())
	return p
}

// condition names an SQLSTATE, in words; one that isn't known by the class it
// is in.
func condition(code string) string {
	c := known().conditions
	if name := c[code]; name != "" {
		return name
	}
	if len(code) == 5 && c[code[:2]+"000"] != "" {
		return c[code[:2]+"000"]
	}
	return "error"
}

func lines(text string) []string {
	var out []string
	s := bufio.NewScanner(strings.NewReader(text))
	for s.Scan() {
		if line := s.Text(); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}

func set(words []string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}
