package pipeline

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A chain of follow-ups stays bounded, with the latest of them.
func TestTogether(t *testing.T) {
	question := "orders by region"
	for range 2000 {
		question = together(question, "only größer")
	}
	if len(question) > maxFollowed || !utf8.ValidString(question) || !strings.HasSuffix(question, ", only größer, only größer") {
		t.Errorf("%d bytes: %.60s", len(question), question)
	}
	if got := together("a", "b"); got != "a, b" {
		t.Error(got)
	}
}
