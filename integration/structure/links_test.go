package structure

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLinks: what the documents point to is there, files and headings.
func TestLinks(t *testing.T) {
	var documents []string
	for _, pattern := range []string{"*.md", "docs/*.md", "*/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, found...)
	}
	link := regexp.MustCompile(`\]\(([^)#\s]*)(#[^)\s]*)?\)`)
	for _, name := range documents {
		text := document(t, name)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, into := name, text
			if strings.Contains(m[1], "://") {
				continue
			}
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(name), m[1])
				if _, err := os.Stat(target); err != nil {
					t.Errorf("%s points to %s, which isn't there", name, m[1])
					continue
				}
				into = document(t, target)
			}
			if m[2] != "" && !slices.Contains(anchors(into), m[2]) {
				t.Errorf("%s points to %s, which %s has no heading for", name, m[2], target)
			}
		}
	}
}

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// anchors are the names that a document's headings have in links.
func anchors(text string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		out = append(out, "#"+strings.ReplaceAll(name, " ", "-"))
	}
	return out
}
