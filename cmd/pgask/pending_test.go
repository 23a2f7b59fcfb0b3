package main

import (
	"strings"
	"testing"
)

// TestPending tells what a reload takes from what it can't.
func TestPending(t *testing.T) {
	changed := []string{"databases.a.b.dsn", "databases.a.b.pool.size", "databases.c.pool.wait", "files.users", "http", "limits.idle",
		"listen", "llm.model", "planner.order", "planner.today", "tls.cert", "tls.mode"}
	const want = "databases.a.b databases.c http limits.idle listen planner.today tls.mode"
	if got := strings.Join(pending(changed), " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
