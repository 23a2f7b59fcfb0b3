package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/configs"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite expected output in scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pgask": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"code": exitCode},
	})
}

// exitCode is "code N command…": it runs the command, which must exit with N.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command [args…]")
	}
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](ts.Exec(args[1], args[2:]...)); ok {
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

func TestGrammar(t *testing.T) {
	tree, err := pg_query.Parse("SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := strings.CutPrefix(grammar, "PostgreSQL "); !ok || got != strconv.Itoa(int(tree.Version)/10000) {
		t.Errorf("grammar is %q, the parser's is %d", grammar, tree.Version)
	}
}

// command is a program whose functions record what they were asked.
type command struct {
	program
	out, err bytes.Buffer
}

func newCommand(stdin string) *command {
	c := &command{}
	c.stdin, c.stdout, c.stderr = strings.NewReader(stdin), &c.out, &c.err
	return c
}

func TestServeFlags(t *testing.T) {
	c := newCommand("")
	var got serveRequest
	c.serve = func(_ context.Context, r serveRequest) error { got = r; return nil }
	code := c.execute(t.Context(), []string{"serve", "--config", "x.yaml", "--listen", "127.0.0.1:0", "--http=", "--today", "2026-11-29"})
	if code != exitOK || got.Config != "x.yaml" || len(got.Overrides) != 3 || got.Overrides["listen"] != "127.0.0.1:0" ||
		got.Overrides["http"] != "" || got.Overrides["planner.today"] != "2026-11-29" {
		t.Errorf("exit %d: %+v %s", code, got, c.err.String())
	}
	if code := c.execute(t.Context(), []string{"serve", "--config", "x.yaml"}); code != exitOK || len(got.Overrides) != 0 {
		t.Errorf("exit %d: %+v", code, got)
	}
	if code := c.execute(t.Context(), []string{"serve"}); code != exitUsage {
		t.Errorf("without a file: exit %d", code)
	}
	c.serve = func(context.Context, serveRequest) error { return errors.New("address in use") }
	if code := c.execute(t.Context(), []string{"serve", "--config", "x.yaml"}); code != exitFailure || !strings.Contains(c.err.String(), "pgask: address in use\n") {
		t.Errorf("exit %d: %s", code, c.err.String())
	}
}

func TestExplainFlags(t *testing.T) {
	c := newCommand("")
	var got explainRequest
	c.explain = func(_ context.Context, r explainRequest) error { got = r; return nil }
	args := []string{"explain", "--config", "testdata/good/pgask.yaml", "--user", "ana", "--offline", "ASK 'orders'"}
	if code := c.execute(t.Context(), args); code != exitOK || got.SQL != "ASK 'orders'" || !got.Offline ||
		got.User.User != "ana" || got.Files.policy == nil {
		t.Errorf("exit %d: %+v %s", code, got, c.err.String())
	}
	for _, change := range []struct {
		args []string
		code int
		want string
	}{
		{slices.Replace(slices.Clone(args), 4, 5, "bob"), exitFailure, "there is no user bob"},
		{args[:6], exitUsage, "expected one statement"},
		{append(slices.Clone(args[:3]), "x"), exitUsage, "--user NAME is missing"},
		{append(slices.Clone(args[:1]), "--user", "ana", "x"), exitUsage, "--config FILE is missing"},
		{slices.Replace(slices.Clone(args), 2, 3, "testdata/missing.yaml"), exitFailure, "cannot read it"},
	} {
		c.err.Reset()
		if code := c.execute(t.Context(), change.args); code != change.code || !strings.Contains(c.err.String(), change.want) {
			t.Errorf("%q: exit %d, %s; want %d, %s", change.args, code, c.err.String(), change.code, change.want)
		}
	}
}

func TestCheckOnline(t *testing.T) {
	c := newCommand("")
	asked := 0
	c.checkOnline = func(_ context.Context, all *configs.All) []configs.Fault {
		asked++
		return []configs.Fault{
			{Pos: configs.Pos{File: "policy.yaml", Line: 3}, Key: "roles.x", Msg: "matches nothing", Warning: true},
			{Pos: configs.Pos{File: "pgask.yaml", Line: 2}, Key: "databases.acme", Msg: "cannot connect"},
		}
	}
	code := c.execute(t.Context(), []string{"check", "--config", "testdata/good/pgask.yaml"})
	want := "pgask.yaml:2: databases.acme: cannot connect\nwarning: policy.yaml:3: roles.x: matches nothing\n" +
		"testdata/good/pgask.yaml: 1 fault, 1 warning\n"
	if code != exitFailure || c.out.String() != want || asked != 1 {
		t.Errorf("exit %d, asked %d times:\n%s", code, asked, c.out.String())
	}
	if code := c.execute(t.Context(), []string{"check", "--offline", "--config", "testdata/good/pgask.yaml"}); code != exitOK || asked != 1 {
		t.Errorf("offline: exit %d, asked %d times", code, asked)
	}
	if code := c.execute(t.Context(), []string{"check", "--config", "testdata/missing.yaml"}); code != exitFailure || asked != 1 {
		t.Errorf("faulty files: exit %d, asked %d times", code, asked)
	}
}

func TestSampleConfigurations(t *testing.T) {
	for _, path := range []string{"../../configs/pgask.yaml", "../../configs/default.yaml", "../../configs/demo/pgask.yaml"} {
		c := newCommand("")
		code := c.execute(t.Context(), []string{"check", "--offline", "--config", path})
		if want := path + ": 0 faults, 0 warnings\n"; code != exitOK || c.out.String() != want {
			t.Errorf("exit %d:\n%s", code, c.out.String())
		}
	}
}

func TestBuild(t *testing.T) {
	version, commit := build(&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"},
	}}, true)
	if version != "v1.2.3" || commit != "abc (modified)" {
		t.Errorf("%s, %s", version, commit)
	}
	if version, commit := build(nil, false); version != "(devel)" || commit != "unknown" {
		t.Errorf("%s, %s", version, commit)
	}
}
