package integration

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/pipeline/trace"
)

// tracing is withPlanner with traces.
func tracing(t *testing.T, p *provider, mode string) (f *fixture, dir string) {
	t.Helper()
	f = withPlanner(t, p, "order: [builtin, model], retries: 1}\ntraces: {dir: traces, mode: "+mode)
	return f, filepath.Join(filepath.Dir(f.Config), "traces")
}

// lastRequest is the request id of the session's last statement.
func lastRequest(t *testing.T, conn *pgx.Conn) string {
	t.Helper()
	results, err := conn.PgConn().Exec(t.Context(), "SHOW pgask.last").ReadAll()
	if err != nil || results[0].FieldDescriptions[0].Name != "request_id" {
		t.Fatal(err)
	}
	return string(results[0].Rows[0][0])
}

// command runs the program with the fixture's files, and gives what it says.
func (f *fixture) command(args ...string) (string, error) {
	out, err := exec.Command(program(), append(args[:2:2], append([]string{"--config", f.Config}, args[2:]...)...)...).CombinedOutput()
	return string(out), err
}

func readTrace(t *testing.T, dir, id string) *trace.Trace {
	t.Helper()
	path := filepath.Join(dir, id+".json")
	var last *trace.Trace
	waitFor(t, func() bool { got, err := trace.Read(path); last = got; return err == nil })
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	return last
}

// TestTraces asks, reads what is written of it, and plays it again.
func TestTraces(t *testing.T) {
	p := newProvider(t)
	f, dir := tracing(t, p, "always")
	ana := f.Connect(t, "ana")
	const question = "ASK 'how do our accounts spread over regions'"

	p.script(planned(unknownColumn), planned(accountsByRegion))
	rows := table(t, ana, question)
	id := lastRequest(t, ana)
	waitFor(t, func() bool { return readTrace(t, dir, id).Rows != nil })
	got := readTrace(t, dir, id)
	if len(got.Calls) != 2 || got.Verdict != "allowed" || *got.Rows != int64(len(rows)) || len(got.Answers) != 1 ||
		got.Answers[0].Source != "model" || got.Answers[0].PlanHash == "" || !strings.Contains(got.SQL, "tenant_id") || got.User != "ana" {
		t.Errorf("trace %+v", got)
	}
	if out, err := f.command("trace", "show", id); err != nil || !strings.Contains(out, "model call 2: planner by scripted") || !strings.Contains(out, "COLUMN_NOT_FOUND") || !strings.Contains(out, "verdict allowed") {
		t.Errorf("trace show: %v\n%s", err, out)
	}
	if out, err := f.command("trace", "replay", id); err != nil || !strings.Contains(out, "the same comes of it") {
		t.Errorf("trace replay: %v\n%s", err, out)
	}

	// A failure of the provider plays again too.
	p.script(status(401))
	refused := failure(t, ana, "ASK 'how are our accounts doing over there'")
	failed := readTrace(t, dir, lastRequest(t, ana))
	if failed.Verdict != refused.Code || failed.Failure.Detail != "PROVIDER_AUTH" || failed.Calls[0].Failure != "PROVIDER_AUTH" {
		t.Errorf("trace %+v", failed)
	}
	if out, err := f.command("trace", "replay", failed.ID); err != nil {
		t.Errorf("trace replay: %v\n%s", err, out)
	}

	// Somebody who asks about secrets finds none in the trace.
	p.script(planned(strings.Replace(accountsByRegion, `"version":1`, `"version":1,"reasoning":"the key is top-secret-key"`, 1)))
	table(t, ana, "ASK 'how do accounts spread, says top-secret-key and postgres://u:hush@h/d'")
	path := filepath.Join(dir, readTrace(t, dir, lastRequest(t, ana)).ID+".json")
	if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "top-secret-key") || strings.Contains(string(text), "hush") || !strings.Contains(string(text), "(hidden)") {
		t.Errorf("%v: the trace holds a secret: %s", err, text)
	}

	// A question that nobody needs a model for, inside of a larger statement.
	table(t, ana, "SELECT count(*) FROM ask('how many accounts') AS a")
	if got := readTrace(t, dir, lastRequest(t, ana)); got.Answers[0].Source != "builtin" || len(got.Calls) != 0 {
		t.Errorf("trace %+v", got)
	}

	// Other answers and another meaning of the files: the replay says where.
	got.Calls[1].Reply = got.Calls[0].Reply
	changed, _ := json.Marshal(got)
	if err := os.WriteFile(filepath.Join(dir, id+".json"), changed, 0o600); err != nil {
		t.Fatal(err)
	}
	differs(t, f, id, "verdict was “allowed”, is “PA001”")
	edit(t, filepath.Join(filepath.Dir(f.Config), "semantic.yaml"), func(text string) string {
		return strings.Replace(text, "synonyms: [customers, clients]", "synonyms: [customers, patrons]", 1)
	})
	differs(t, f, id, "model call 1: system message differs from line")
	for _, wrong := range []string{"../../etc/passwd", "0000000000000000"} {
		if out, err := f.command("trace", "show", wrong); err == nil {
			t.Errorf("%s: %s", wrong, out)
		}
	}
}

func differs(t *testing.T, f *fixture, id, where string) {
	t.Helper()
	out, err := f.command("trace", "replay", id)
	if code := exitCodeOf(err); code != 1 || !strings.Contains(out, where) {
		t.Errorf("trace replay: %d, want 1 and %q\n%s", code, where, out)
	}
}

func exitCodeOf(err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	return 0
}

// TestTracesOfFailures keeps no trace of what goes well.
func TestTracesOfFailures(t *testing.T) {
	p := newProvider(t)
	f, dir := tracing(t, p, "on_failure")
	ana := f.Connect(t, "ana")
	p.script(planned(accountsByRegion), planned(failingPlan))
	table(t, ana, "ASK 'how do our accounts spread over regions'")
	fine := lastRequest(t, ana)
	if e := failure(t, ana, "ASK 'a ratio of orders'"); e.Code != "22003" {
		t.Fatalf("%s %s", e.Code, e.Message)
	}
	id := lastRequest(t, ana)
	if got := readTrace(t, dir, id); got.Verdict != "22003" || got.SQL == "" {
		t.Errorf("trace %+v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, fine+".json")); !os.IsNotExist(err) {
		t.Errorf("a trace of an answer: %v", err)
	}
}

// TestPrompt prints what a model is told, the same bytes as it is told, and goes
// on with a reply.
func TestPrompt(t *testing.T) {
	m := &misbehaving{}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	f := withPlanner(t, &provider{Server: server}, "order: [model], retries: 1")
	const question = "how does ana's list of accounts spread"
	m.behave(modelPlans(accountsByRegion))
	table(t, f.Connect(t, "ana"), "ASK '"+strings.ReplaceAll(question, "'", "''")+"'")
	prompts := m.prompts()
	want := fmt.Sprintf("--- planner, call 1: system\n%s--- planner, call 1: user\n%s", prompts[0], prompts[1])
	run := func(user string, more ...string) (string, error) {
		args := append(append([]string{"prompt", "--config", f.Config, "--user", user}, more...), question)
		out, err := exec.Command(program(), args...).Output()
		return string(out), err
	}
	if out, err := run("ana"); err != nil || out != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
	reply := filepath.Join(t.TempDir(), "reply.json")
	for text, says := range map[string]string{
		`{"answerable":true,"missing":null,"plan":` + accountsByRegion + `}`: "tenant_id = 1",
		`{"answerable":true,"missing":null,"plan":` + unknownColumn + `}`:    "planner, call 2: user\n",
		`no JSON`: "[ERRORS]",
	} {
		if err := os.WriteFile(reply, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, _ := run("ana", "--reply", reply); !strings.HasPrefix(out, want) || !strings.Contains(out, says) {
			t.Errorf("%s gives\n%s", text, strings.TrimPrefix(out, want))
		}
	}
	if out, err := run("bot"); err == nil || !strings.Contains(out, "the model is off for this role") {
		t.Errorf("a role without a model: %v\n%s", err, out)
	}
	if len(m.prompts()) != 2 {
		t.Error("the provider was asked")
	}
}
