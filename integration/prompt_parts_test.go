package integration

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestPromptParts measures the prompts of the sample company's questions: run with -v it
// prints them ("make prompt-tokens"). The parts of the system message are the same for
// all, and what changes from question to question is small.
func TestPromptParts(t *testing.T) {
	f := acme(t)
	row := regexp.MustCompile(`(?m)^ *(\d+) +(\d+) +(\S.*)$`)
	first := map[string]int{}
	for _, question := range []string{"how many completed orders per region last month", "top 5 products by revenue this year", "average order value by segment",
		"accounts without orders", "arr by month", "which region had the most support conversations last quarter"} {
		out, err := exec.Command(program(), "prompt", "--config", f.Config, "--user", "ana", "--parts", question).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Logf("%s\n%s", question, out)
		parts, sum := map[string]int{}, 0
		for _, m := range row.FindAllStringSubmatch(string(out), -1) {
			n, _ := strconv.Atoi(m[1])
			if parts[m[3]] = n; m[3] != "total" {
				sum += n
			}
		}
		for _, name := range []string{"instructions", "examples", "schema", "reply schema"} {
			if first[name] == 0 {
				first[name] = parts[name]
			}
			if parts[name] == 0 || parts[name] != first[name] {
				t.Errorf("%s: %d bytes of %s, %d before", question, parts[name], name, first[name])
			}
		}
		if changing := sum - parts["instructions"] - parts["examples"] - parts["schema"] - parts["reply schema"]; parts["question"] < len(question) || parts["today"] == 0 || changing > 1500 || sum != parts["total"] {
			t.Errorf("%s: %d bytes of its own, %d in all of %d\n%s", question, changing, sum, parts["total"], out)
		}
	}
	out, err := exec.Command(program(), "prompt", "--config", f.Config, "--user", "ana", "--parts", "--reply", "x", "q").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "either --reply or --parts") {
		t.Errorf("both: %v\n%s", err, out)
	}
}
