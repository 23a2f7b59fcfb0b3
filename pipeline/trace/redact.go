package trace

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// redacted stands in the place of a secret.
const redacted = "(hidden)"

// patterns are the forms of secrets that nobody told us of: passwords of URLs
// and of connection strings, keys, tokens and verifiers.
var patterns = []*regexp.Regexp{
	regexp.MustCompile(`(://[^\s/:@"']*:)[^\s/@"']+(@)`),
	regexp.MustCompile(`(?i)(\bpassword\s*=\s*)(?:'(?:[^'\\]|\\.)*'|[^\s&"']+)()`),
	regexp.MustCompile(`(?i)(\bbearer\s+)[a-z0-9._~+/-]{8,}()`),
	regexp.MustCompile(`()\bsk-[A-Za-z0-9_-]{12,}()`),
	regexp.MustCompile(`(SCRAM-SHA-256\$)[0-9]+:[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=:]+()`),
	regexp.MustCompile(`(-----BEGIN [A-Z ]*PRIVATE KEY-----)[^-]*()`),
}

// shortestSecret is in bytes: hiding a shorter one would hide ordinary words.
const shortestSecret = 4

// Redactor takes secrets out of texts. The same text always becomes the same.
type Redactor struct{ known *strings.Replacer }

// NewRedactor knows secrets by their values.
func NewRedactor(secrets []string) *Redactor {
	secrets = slices.Clone(secrets)
	for _, s := range secrets { // as replies and plans spell them
		if text, err := json.Marshal(s); err == nil {
			secrets = append(secrets, string(text[1:len(text)-1]))
		}
	}
	// Of two secrets that begin alike the longer one is found.
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var pairs []string
	for _, s := range slices.Compact(secrets) {
		if len(s) >= shortestSecret {
			pairs = append(pairs, s, redacted)
		}
	}
	return &Redactor{strings.NewReplacer(pairs...)}
}

// Text is a text without secrets.
func (r *Redactor) Text(s string) string {
	s = r.known.Replace(s)
	for _, p := range patterns {
		s = p.ReplaceAllString(s, "${1}"+redacted+"${2}")
	}
	return s
}

// Trace takes them out of a trace, which it changes. A plan that holds one goes
// as a whole.
func (r *Redactor) Trace(t *Trace) {
	for _, text := range t.texts() {
		*text = r.Text(*text)
	}
	if l := t.Last; l != nil && r.Text(string(l.Plan)) != string(l.Plan) {
		l.Plan = nil
	}
	for i, a := range t.Answers {
		if r.Text(string(a.Plan)) != string(a.Plan) {
			t.Answers[i].Plan = nil
		}
	}
}
