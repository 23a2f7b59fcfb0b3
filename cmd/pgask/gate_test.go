package main

import (
	"testing"
	"time"
)

// TestWaited: a client hears of a wait that it may have noticed.
func TestWaited(t *testing.T) {
	if got := waited(999 * time.Millisecond); got != nil {
		t.Errorf("after less than a second: %v", got)
	}
	got := waited(1234 * time.Millisecond)
	if len(got) != 1 || got[0].Severity != "NOTICE" || got[0].Code != "00000" || got[0].Message != "waited 1.2s for a free connection to the database" {
		t.Errorf("%v", got)
	}
}
