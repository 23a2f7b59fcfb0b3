package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMain builds the program with the race detector and, when the tests are
// over, stops the proxy that they shared. A data race in the proxy is a
// failure, even if every test passed.
func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "pgask-integration-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := build(filepath.Join(dir, "pgask")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := stopShared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// build builds the program, unless one was given.
func build(path string) error {
	if program() != "" {
		return nil
	}
	if out, err := exec.Command("go", "build", "-race", "-buildvcs=false", "-o", path, "../cmd/pgask").CombinedOutput(); err != nil {
		return fmt.Errorf("build pgask: %w\n%s", err, out)
	}
	return os.Setenv(programVariable, path)
}

// programVariable tells the tests where the built program is. Set from outside
// it saves building one.
const programVariable = "PGASK_INTEGRATION_PROGRAM"

// program is the path of the built program.
func program() string { return os.Getenv(programVariable) }
