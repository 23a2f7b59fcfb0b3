package demo

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgask/pgask/configs"
)

// TestWriteConfig loads what the demo writes, as the proxy will.
func TestWriteConfig(t *testing.T) {
	dir := t.TempDir()
	dsn := "postgres://pgask:s3cret@127.0.0.1:4711/acme?sslmode=disable"
	path, err := WriteConfig(dir, Settings{Listen: "127.0.0.1:0", HTTP: "127.0.0.1:0", DSN: dsn, Password: "s3cret", Today: "2026-11-29"})
	if err != nil {
		t.Fatal(err)
	}
	all, faults := configs.Load(path, nil)
	for _, f := range faults {
		t.Error(f)
	}
	if got := all.Config.Databases["acme"].DSN; got != dsn {
		t.Errorf("dsn %q", got)
	}
	if got := all.Config.Planner.Today; got != "2026-11-29" {
		t.Errorf("today %q", got)
	}
	if got := all.Policy.Roles["analyst"].Backend.Password; got != "s3cret" {
		t.Errorf("password of the analyst's login %q", got)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) != 6 {
		t.Fatalf("files %v, error %v", files, err)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err != nil || bytes.Contains(text, []byte("demo-only")) {
			t.Errorf("%s: still has the sample's password, or error %v", file, err)
		}
	}
}

// TestSampleFiles loads the files as they lie in configs/demo.
func TestSampleFiles(t *testing.T) {
	_, faults := configs.Load("../../../configs/demo/pgask.yaml", nil)
	for _, f := range faults {
		t.Error(f)
	}
}

// TestRemovesEverything runs the demo with a proxy that fails and looks for
// what is left.
func TestRemovesEverything(t *testing.T) {
	dir := t.TempDir()
	for _, parent := range []string{dir, filepath.Dir(dir)} { // the server runs as another user when we are root
		if err := os.Chmod(parent, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	code := Run(context.Background(), Options{
		Listen: "127.0.0.1:0", HTTP: "127.0.0.1:0", Data: dir, Stdout: &out, Stderr: &errs,
		Serve: func(context.Context, string, func(string)) error { return errors.New("no such proxy") },
	})
	if code != 1 || !strings.Contains(errs.String(), "no such proxy") {
		t.Errorf("exit code %d, said %q", code, errs.String())
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestStopped wants exit code 0 when the demo is told to stop while it is up.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	code := Run(ctx, Options{
		Listen: "127.0.0.1:0", HTTP: "127.0.0.1:0", Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{},
		Serve: func(ctx context.Context, _ string, _ func(string)) error {
			cancel()
			<-ctx.Done()
			return nil
		},
	})
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestFaultyFlags(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := l.Addr().String()
	for _, o := range []Options{{Today: "tomorrow"}, {DSN: "not a url"}, {Data: "/dev/null/x"}, {Listen: "6432"}, {HTTP: taken}} {
		var errs bytes.Buffer
		o.Stdout, o.Stderr = &bytes.Buffer{}, &errs
		if code := Run(context.Background(), o); code != 1 || !strings.Contains(errs.String(), "--") {
			t.Errorf("%+v: exit code %d, said %q", o, code, errs.String())
		}
	}
}
