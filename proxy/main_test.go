package proxy_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain checks that no session leaves a goroutine behind. The tests'
// Postgres has one of its own, which lives as long as the tests.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/pgask/pgask/integration/postgres.launch.func1"),
		goleak.IgnoreAnyFunction("os/exec.(*Cmd).Wait"),
		goleak.IgnoreTopFunction("os/exec.(*Cmd).Start.func2"),
	)
}
