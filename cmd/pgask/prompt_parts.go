package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/tabwriter"

	"github.com/pgask/pgask/pipeline/llm"
)

// promptPart is a part of what a model is sent.
type promptPart struct {
	name  string
	bytes int
}

// tokens are about as many as budgets count before a provider has counted.
func (p promptPart) tokens() int { return (p.bytes + 3) / 4 }

// marker begins a part of a prompt. Data is JSON, so that no line of it looks like one.
var marker = regexp.MustCompile(`^(\[[A-Z_]+\]|EXAMPLES, .*)$`)

// partsOf takes a request apart: instructions and examples, the blocks of both messages
// by their markers, and the JSON schema of the reply.
func partsOf(r llm.Request) []promptPart {
	parts := []promptPart{{name: "instructions"}}
	for i, message := range []string{r.System, r.User} {
		if i > 0 {
			parts = append(parts, promptPart{name: "other"})
		}
		for line := range strings.Lines(message) {
			if name := strings.TrimSuffix(line, "\n"); marker.MatchString(name) {
				if name[0] == 'E' {
					name = "examples"
				}
				parts = append(parts, promptPart{name: strings.ToLower(strings.Trim(name, "[]"))})
			}
			parts[len(parts)-1].bytes += len(line)
		}
	}
	parts = append(parts, promptPart{"reply schema", len(r.Schema)})
	out := parts[:0]
	for _, p := range parts {
		if p.bytes > 0 {
			out = append(out, p)
		}
	}
	return out
}

// printParts writes how large the parts are, the total last.
func printParts(w io.Writer, parts []promptPart) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "bytes\ttokens\t part")
	total := promptPart{name: "total"}
	for _, p := range parts {
		total.bytes += p.bytes
		fmt.Fprintf(t, "%d\t%d\t %s\n", p.bytes, p.tokens(), p.name)
	}
	fmt.Fprintf(t, "%d\t%d\t %s\n", total.bytes, total.tokens(), total.name)
	_ = t.Flush() // standard output, or a test's buffer
}
