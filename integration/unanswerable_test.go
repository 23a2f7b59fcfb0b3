package integration

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pgask/pgask/integration/gold"
	"github.com/pgask/pgask/integration/score"
)

// ownSet are questions over schemas of our own: most have no answer there, and
// the others say what coverage that silence costs. Their golden statements are run, not kept with
// their rows.
var ownSet = filepath.Join("testdata", "questions")

const (
	// refusedFloor is the share of questions without an answer that must be
	// refused, rightFloor how many of the others must be answered rightly, a little
	// under what has been reached, and wrongCeiling the share of answers that may be wrong.
	refusedFloor = 0.99
	rightFloor   = 57
	wrongCeiling = 0.05
)

// honestly are the codes with which a question may be refused for what it asks.
var honestly = []string{"PA001", "PA002", "PA003", "PA005", "PA006", "PA007", "PA008"}

// TestUnanswerable asks what the schemas can't answer: another domain, what no
// column holds, opinions, the future, writing, nothing in particular. Each must be
// refused with a code that says so, naming words that have no place.
func TestUnanswerable(t *testing.T) {
	questions, err := gold.Read(ownSet)
	if err != nil {
		t.Fatal(err)
	}
	words := map[string][]string{}
	for _, q := range questions {
		words[q.DB+q.Question] = q.Words
	}
	s := newSurvey(t, ownSet, questions)
	results := s.ask(t, wordings[0].text)
	for _, r := range results {
		switch {
		case r.Outcome == score.Wrong:
			t.Logf("wrong: %s: %s: %s", r.DB, r.Question, r.SQL)
		case r.Outcome == score.Declined:
			t.Logf("declined: %s: %s: %s", r.DB, r.Question, r.Message)
		case r.Outcome == score.Refused && !slices.Contains(honestly, r.Code):
			t.Errorf("%s: %s: %s %s", r.DB, r.Question, r.Code, r.Message)
		case r.Outcome == score.Refused && !names(r, words[r.DB+r.Question]):
			t.Errorf("%s: %s: %q names none of %q", r.DB, r.Question, r.Message, words[r.DB+r.Question])
		}
	}
	all := score.Count(results)
	t.Log(all)
	if all.Unanswerable() < 200 || float64(all.Refused) < refusedFloor*float64(all.Unanswerable()) {
		t.Errorf("%d of %d are refused, the floor is %.0f %%", all.Refused, all.Unanswerable(), 100*refusedFloor)
	}
	if wrong := all.Wrong - all.Baseless; all.Right < rightFloor || float64(wrong) > wrongCeiling*float64(all.Right+wrong) {
		t.Errorf("of what has an answer %d are right and %d wrong, the floor is %d right", all.Right, wrong, rightFloor)
	}
}

// quotes are what a refusal quotes.
var quotes = regexp.MustCompile(`"[^"]*"`)

// names tells whether a refusal quotes one of the words, where there are any.
func names(r score.Result, words []string) bool {
	quoted := strings.Join(quotes.FindAllString(r.Message+" "+r.Detail, -1), " ")
	return len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return strings.Contains(quoted, w) })
}
