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
	program := filepath.Join(dir, "pgask")
	if out, err := exec.Command("go", "build", "-race", "-buildvcs=false", "-o", program, "../cmd/pgask").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build pgask: %v\n%s", err, out)
		return 1
	}
	if err := os.Setenv(programVariable, program); err != nil {
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

// programVariable tells the tests where the built program is.
const programVariable = "PGASK_INTEGRATION_PROGRAM"

// program is the path of the built program.
func program() string { return os.Getenv(programVariable) }
