package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// gated is a destination that writes when it may, and fails when told to.
type gated struct {
	bytes.Buffer
	gate chan error
}

func (g *gated) Write(p []byte) (int, error) {
	if err := <-g.gate; err != nil {
		return 0, err
	}
	return g.Buffer.Write(p)
}

func TestLogWriter(t *testing.T) {
	to := &gated{gate: make(chan error)}
	w := newLogWriter(to)
	fmt.Fprintln(w, "first")
	to.gate <- nil // it is being written, or the next one is with it
	line := strings.Repeat("x", maxUnwritten/4)
	for range 10 {
		if n, err := io.WriteString(w, line); n != len(line) || err != nil {
			t.Fatal(n, err) // and it must not wait
		}
	}
	go func() {
		to.gate <- errors.New("the disk is full")
		close(to.gate)
	}()
	w.Close()
	out := to.String()
	if !strings.HasPrefix(out, "first\n") || !strings.Contains(out, "lines are missing") || len(out) > maxUnwritten+1000 {
		t.Errorf("%d bytes: %.100q", len(out), out)
	}
}

func TestFitClients(t *testing.T) {
	for _, c := range []struct {
		wanted  int
		allowed uint64
		fit     int
	}{{1000, 2256, 1000}, {1000, 2255, 999}, {1000, 1024, 384}, {200, 40, 10}, {10, 2, 1}} {
		if fit, _ := fitClients(c.wanted, c.allowed); fit != c.fit {
			t.Errorf("%d of %d files: %d, want %d", c.wanted, c.allowed, fit, c.fit)
		}
	}
}
