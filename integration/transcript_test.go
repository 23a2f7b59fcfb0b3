package integration

import (
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite README.md's transcript and the golden files")

const (
	readme = "../README.md"
	prompt = "acme=> "
)

// transcriptDate is the reference date of README.md's transcript.
const transcriptDate = "2026-11-29"

// checkTranscript types what README.md's transcript types, in the psql that
// line starts, and wants to read the same. The order of lines doesn't count:
// most answers have none.
func checkTranscript(t *testing.T, line string) {
	t.Helper()
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), "```\n"+prompt)
	block, after, ended := strings.Cut(rest, "```\n")
	if !found || !ended {
		t.Fatal("README.md has no transcript")
	}
	var now strings.Builder
	for _, turn := range strings.Split(block, "\n"+prompt) {
		typed, read, _ := strings.Cut(turn, "\n")
		cmd := exec.Command("/bin/sh", "-c", line+` -X -c "$0" 2>&1`, typed)
		out, _ := cmd.Output() // a refusal is an exit code of psql, and part of what is compared
		got := strings.TrimSpace(string(out))
		if diff := cmp.Diff(sorted(lines(read)), sorted(lines(got))); diff != "" && !*update {
			t.Errorf("%s: %s", typed, diff)
		}
		now.WriteString("\n" + prompt + typed + "\n" + strings.TrimRight(string(out), "\n") + "\n")
	}
	if *update {
		whole := before + "```" + now.String() + "```\n" + after
		if err := os.WriteFile(readme, []byte(whole), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func lines(text string) []string {
	var out []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		out = append(out, strings.TrimSpace(line))
	}
	return out
}
