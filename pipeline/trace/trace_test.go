package trace

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRedactor(t *testing.T) {
	r := NewRedactor([]string{"hush-hush", "hush-hush-hush", "abc", ""})
	for in, want := range map[string]string{
		"key hush-hush-hush of hush-hush":          "key (hidden) of (hidden)",
		"abc is too short to be hidden":            "abc is too short to be hidden",
		"postgres://u:pa55@h/d":                    "postgres://u:(hidden)@h/d",
		"host=h password='it''s' user=u":           "host=h password=(hidden)'s' user=u",
		"Authorization: Bearer abcdefgh12":         "Authorization: Bearer (hidden)",
		"sk-abcdefghijklmnop":                      "(hidden)",
		"SCRAM-SHA-256$4096:c2FsdA==$a2V5:a2V5":    "SCRAM-SHA-256$(hidden)",
		"how many orders at 12:30 from a@b per 7%": "how many orders at 12:30 from a@b per 7%",
	} {
		if got := r.Text(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// No known secret is left in any place of a trace, and what is redacted stays as
// it is.
func TestRedactedTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[a-z0-9'"$\\]{6,12}`).Filter(func(s string) bool { return s != "hidden" }).Draw(t, "secret")
		text := rapid.SliceOf(rapid.SampledFrom([]string{secret, " ", "x", "=", "password", "://"}))
		say := func(name string) string { return strings.Join(text.Draw(t, name), "") }
		plan, _ := json.Marshal(say("plan"))
		was := Trace{Statement: say("statement"), SQL: say("sql"), Stages: []Stage{{Detail: say("detail")}},
			Calls:   []Call{{System: say("system"), User: say("user"), Reply: say("reply"), Reason: say("reason")}},
			Answers: []Answer{{Plan: plan}}, Failure: &Failure{say("message"), say("detail"), say("hint")}}
		r := NewRedactor([]string{secret})
		r.Trace(&was)
		var said string
		if p := was.Answers[0].Plan; p != nil && (json.Unmarshal(p, &said) != nil || strings.Contains(said, secret)) {
			t.Fatalf("the plan %s holds %q", p, secret)
		}
		for _, text := range was.texts() {
			if strings.Contains(*text, secret) {
				t.Fatalf("%q holds %q", *text, secret)
			}
		}
	})
}

func TestWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "traces")
	for _, always := range []bool{false, true} {
		w := NewWriter(dir, always, Limits{}, NewRedactor(nil), slog.New(slog.DiscardHandler))
		fine := Trace{ID: strings.Repeat("a", 16), Verdict: Allowed, Time: time.Unix(0, 0).UTC(), Stages: []Stage{{Stage: "plan", Outcome: "ok"}}}
		bad := fine
		bad.ID, bad.Verdict, bad.Failure = strings.Repeat("b", 16), "PA001", &Failure{Message: "no"}
		w.Keep(fine)
		w.Keep(bad)
		w.Close()
		w.Close()
		w.Keep(bad) // too late, and no panic
		for _, want := range []Trace{fine, bad} {
			path, err := Path(dir, want.ID)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Read(path)
			if want.Verdict == Allowed && !always {
				if !os.IsNotExist(err) {
					t.Errorf("a trace of an answer: %v", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&want, got); diff != "" {
				t.Error(diff)
			}
		}
	}
	for _, id := range []string{"", "../x", "AAAAAAAAAAAAAAAA", strings.Repeat("a", 17)} {
		if path, err := Path(dir, id); err == nil {
			t.Errorf("%q has a path: %s", id, path)
		}
	}
	var none *Writer
	none.Close()
}

func TestDifferences(t *testing.T) {
	was := Trace{Verdict: Allowed, Stages: []Stage{{Stage: "link", Outcome: "ok", MS: 3}}, SQL: "SELECT 1",
		Calls: []Call{{Task: "planner", System: "a\nb\nc", User: "u"}}, Answers: []Answer{{Source: "model", PlanHash: "1"}}}
	now := was
	now.Stages = []Stage{{Stage: "link", Outcome: "ok", MS: 9}}
	if got := Differences(&was, &now); got != nil {
		t.Errorf("of the same: %v", got)
	}
	now.Calls = []Call{{Task: "planner", System: "a\nx\nc", User: "u"}, {Task: "planner"}}
	now.Answers, now.Verdict, now.Failure, now.SQL = nil, "PA001", &Failure{Message: "no"}, ""
	want := []string{"model call 1: system message differs from line 2: was “b”, is “x”", "model call 2 is new: planner",
		"source of answer 1 was “model”, is nothing", "plan of answer 1 was “1”, is nothing",
		"SQL differs from line 1: was “SELECT 1”, is nothing", "verdict was “allowed”, is “PA001”", "error was nothing, is “no”"}
	if diff := cmp.Diff(want, Differences(&was, &now)); diff != "" {
		t.Error(diff)
	}
	if got := fmt.Sprint(Differences(&now, &was)); !strings.Contains(got, "isn't made any more") {
		t.Error(got)
	}
}
