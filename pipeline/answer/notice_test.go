package answer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNotice(t *testing.T) {
	for _, c := range []struct {
		name            string
		in              Receipt
		message, detail string
	}{
		{"source alone", Receipt{Source: "builtin"}, "pgask: builtin", ""},
		{"scopes", Receipt{Source: "model", Scopes: []string{"public.accounts", "public.orders"}},
			"pgask: model; scopes: public.accounts, public.orders", ""},
		{"a qualifier", Receipt{Source: "cache", Qualifiers: []string{"arr is the last value; not a sum"}},
			"pgask: cache; qualifiers: arr is the last value; not a sum", ""},
		{"several", Receipt{Source: "builtin", Scopes: []string{"public.orders"}, Qualifiers: []string{"one", "two"}},
			"pgask: builtin; scopes: public.orders; qualifiers: (1) one (2) two", ""},
		{"curated", Receipt{Source: "curated", Curated: "top_products", Values: map[string]any{"n": 5, "region": "EMEA"}},
			"pgask: curated top_products", `with n = 5, region = "EMEA"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			message, detail := Notice(c.in)
			if diff := cmp.Diff([]string{c.message, c.detail}, []string{message, detail}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// No receipt, however odd its words, may lose one of them.
func TestNoticeKeepsEveryWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.String(), 0, 6)
		r := Receipt{Source: rapid.String().Draw(t, "source"), Scopes: words.Draw(t, "scopes"),
			Qualifiers: words.Draw(t, "qualifiers"), Curated: rapid.String().Draw(t, "curated")}
		message, _ := Notice(r)
		rest := message
		for _, w := range append(append([]string{r.Source, r.Curated}, r.Scopes...), r.Qualifiers...) {
			i := strings.Index(rest, w)
			if i < 0 {
				t.Fatalf("%q is missing, in its order, from %q", w, message)
			}
			rest = rest[i+len(w):]
		}
	})
}
