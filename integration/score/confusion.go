package score

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// said is what a refusal quotes or counts: refusals that differ in it alone have
// one reason.
var said = regexp.MustCompile(`"[^"]*"(, "[^"]*")*`)

// unmatched are the words of a refusal that have no match.
var unmatched = regexp.MustCompile(`no match for ("[^"]*"(?:, "[^"]*")*)`)

// words are those that a refusal says have no match.
func (r Result) words() []string {
	m := unmatched.FindStringSubmatch(r.Message)
	if m == nil {
		return nil
	}
	return strings.Split(strings.ToLower(strings.Trim(m[1], `"`)), `", "`)
}

// Reason is a refusal's code and what it says without the question's words.
func (r Result) Reason() string {
	text := r.Message
	if detail, _, _ := strings.Cut(r.Detail, "\n"); detail != "" && r.Code != "PA003" {
		text += "; " + detail
	}
	return r.Code + " " + said.ReplaceAllString(text, "…")
}

// examples is how many questions are shown of each reason.
const examples = 3

// declines lists why questions were declined that have an answer.
func declines(w io.Writer, results []Result, all bool) {
	why := map[string][]Result{}
	for _, x := range results {
		if x.Outcome == Declined {
			why[x.Reason()] = append(why[x.Reason()], x)
		}
	}
	fmt.Fprintf(w, "\ndeclined, by reason:\n")
	for _, reason := range byLength(why) {
		fmt.Fprintf(w, "  %4d %s\n", len(why[reason]), reason)
		for i, x := range why[reason] {
			if all || i < examples {
				fmt.Fprintf(w, "       %s: %s [%s]\n", x.DB, x.Question, strings.Join(said.FindAllString(x.Message, -1), " "))
			}
		}
	}
}

// unplaced counts the words for want of which questions were declined, the most
// frequent first.
func unplaced(w io.Writer, results []Result) {
	found := map[string][]string{}
	for _, x := range results {
		for _, word := range x.words() {
			if x.Outcome == Declined {
				found[word] = append(found[word], x.DB)
			}
		}
	}
	fmt.Fprintf(w, "\nwords without a match, of questions that have an answer:\n ")
	for i, word := range byLength(found) {
		if i == maxUnplaced {
			fmt.Fprintf(w, " and %d others", len(found)-i)
			break
		}
		dbs := slices.Compact(slices.Sorted(slices.Values(found[word])))
		fmt.Fprintf(w, " %s %d/%d", word, len(found[word]), len(dbs))
	}
	fmt.Fprintln(w)
}

// maxUnplaced is how many of them are told, each with the number of its questions and
// of their databases.
const maxUnplaced = 120

// byLength are the keys of the longest lists first.
func byLength[V any](lists map[string][]V) []string {
	return slices.SortedFunc(maps.Keys(lists), func(a, b string) int {
		if d := len(lists[b]) - len(lists[a]); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
}
