package hook

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// script writes a command of its own.
func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hook")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func made(t *testing.T, entry, folder string, timeout time.Duration) *Hook {
	t.Helper()
	h, err := New(entry, folder, timeout)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

var event = Event{Hook: "sql.before", Database: "acme", User: "ana", Roles: []string{"analyst"}, Question: "how many", Source: "builtin", SQL: "SELECT 1"}

// TestReplies has the same replies from a command and from a URL.
func TestReplies(t *testing.T) {
	for reply, want := range map[string]string{
		`{"decision":"allow"}`:                             "allow",
		`{"decision":"modify","sql":"SELECT 2"}`:           "modify SELECT 2",
		`{"decision":"modify","plan":{"version":1}}`:       `modify {"version":1}`,
		`{"decision":"deny","reason":"not\n  on Sundays"}`: "a hook denied the answer: not on Sundays, HOOK_DENIED",
		`{"decision":"deny"}`:                              "a hook denied the answer, HOOK_DENIED",
		`{"decision":"perhaps"}`:                           "a hook failed, so there is no answer, HOOK_FAILED: the decision is allow, modify or deny",
		`{}`:                                               "a hook failed, so there is no answer, HOOK_FAILED: the decision is allow, modify or deny",
		`{"decision":"allow","colour":1}`:                  "a hook failed, so there is no answer, HOOK_FAILED: the reply is not the JSON object it should be",
		`{"decision":"allow"} {}`:                          "a hook failed, so there is no answer, HOOK_FAILED: something follows the reply",
		`yes`:                                              "a hook failed, so there is no answer, HOOK_FAILED: the reply is not the JSON object it should be",
		``:                                                 "a hook failed, so there is no answer, HOOK_FAILED: the reply is not the JSON object it should be",
		`{"reason":"` + strings.Repeat("x", maxReply) + `"}`: "a hook failed, so there is no answer, HOOK_FAILED: no reply",
	} {
		file := filepath.Join(t.TempDir(), "reply")
		if err := os.WriteFile(file, []byte(reply), 0o600); err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, reply) }))
		defer server.Close()
		for _, entry := range []string{script(t, `cat >/dev/null; cat "$1"`) + " " + file, server.URL + "/hook?token=secret"} {
			r, err := made(t, entry, "/", 20*time.Second).Ask(t.Context(), event)
			got := strings.TrimSpace(r.Decision + " " + r.SQL + string(r.Plan))
			if err != nil {
				got = err.Error() + ", " + err.(interface{ Detail() string }).Detail()
			}
			if got != want {
				t.Errorf("%.40s of %s: %s, want %s", reply, entry, got, want)
			}
		}
	}
}

// TestCommand looks at what a command gets: the event, its arguments, its folder, and
// nothing of our environment.
func TestCommand(t *testing.T) {
	t.Setenv("PGASK_LLM_API_KEY", "top-secret")
	path := script(t, `event=$(cat); [ -z "$PGASK_LLM_API_KEY" ] && [ -n "$PATH" ] || exit 3
[ "$1 $2" = "a b" ] && [ "$(pwd)" = "$(dirname "$0")" ] || exit 4
printf '{"decision":"modify","plan":%s}' "$event"`)
	h := made(t, "./"+filepath.Base(path)+"  a b", filepath.Dir(path), 20*time.Second)
	r, err := h.Ask(t.Context(), event)
	if err != nil {
		t.Fatal(errors.Unwrap(err))
	}
	var got Event
	if err := json.Unmarshal(r.Plan, &got); err != nil || got.SQL != "SELECT 1" || got.Version != Version || got.User != "ana" {
		t.Errorf("the command got %s, %v", r.Plan, err)
	}
}

// TestFailures has hooks that don't answer.
func TestFailures(t *testing.T) {
	redirect := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/", http.StatusFound))
	defer redirect.Close()
	for entry, why := range map[string]string{
		script(t, "exit 3"): "exit status 3",
		script(t, "echo '{\"decision\":\"allow\"}'; exit 1"): "exit status 1",
		"/none/hook":                           "no such file",
		"http://127.0.0.1:1/hook?token=secret": "connection refused",
		redirect.URL:                           "status 302",
	} {
		_, err := made(t, entry, "/", 20*time.Second).Ask(t.Context(), event)
		var f *Failed
		if !errors.As(err, &f) || f.SQLState() != "PA010" || !strings.Contains(f.Err.Error(), why) || strings.Contains(f.Err.Error(), "secret") {
			t.Errorf("%s: %v, %v", entry, err, errors.Unwrap(err))
		}
	}
}

// TestTimeout has a command that hangs with a child that holds its output: it ends in
// time, and denies.
func TestTimeout(t *testing.T) {
	hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server doesn't notice who is gone
		<-r.Context().Done()
	}))
	defer hang.Close()
	for _, entry := range []string{script(t, "sleep 600 & sleep 600"), hang.URL} {
		_, err := made(t, entry, "/", 50*time.Millisecond).Ask(t.Context(), event)
		var f *Failed
		if !errors.As(err, &f) || f.Detail() != "HOOK_FAILED: no reply within 50ms" {
			t.Errorf("%s: %v", entry, err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if _, err := made(t, entry, "/", time.Minute).Ask(ctx, event); !errors.Is(err, context.Canceled) {
			t.Errorf("%s for nobody: %v", entry, err)
		}
	}
}

func TestNew(t *testing.T) {
	for _, entry := range []string{"", "  ", "http://", "https://%zz"} {
		if _, err := New(entry, "/", time.Second); err == nil {
			t.Errorf("%q is a hook", entry)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"decision":"modify","plan":{},"sql":"x","reason":"y"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := decode(text)
		if err == nil && r.Decision != "allow" && r.Decision != "modify" && r.Decision != "deny" {
			t.Errorf("%q decides %q", text, r.Decision)
		}
		if l := line(r.Reason); strings.ContainsAny(l, "\n\r") || len([]rune(l)) > 501 {
			t.Errorf("a reason of %q", l)
		}
	})
}
