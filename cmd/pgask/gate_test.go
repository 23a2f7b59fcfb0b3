package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/proxy/pool"
)

// TestWaited: a client hears of a wait that it may have noticed.
func TestWaited(t *testing.T) {
	if got := waited(999 * time.Millisecond); got != nil {
		t.Errorf("after less than a second: %v", got)
	}
	got := waited(1234 * time.Millisecond)
	if len(got) != 1 || got[0].Severity != "NOTICE" || !strings.Contains(got[0].Hint, "paused") || got[0].Code != "00000" || got[0].Message != "waited 1.2s for a free connection to the database" {
		t.Errorf("%v", got)
	}
}

// TestNotThere: the client can't tell what exists, the log can.
func TestNotThere(t *testing.T) {
	missing, denied := notThere("ana", "acme", false), notThere("ana", "acme", true)
	if missing.Error() != denied.Error() || missing.Error() != `user "ana" may not connect to database "acme"` {
		t.Errorf("%v, and %v", missing, denied)
	}
	if a, b := errors.Unwrap(missing).Error(), errors.Unwrap(denied).Error(); a != "pgask.yaml has no such database" || a == b {
		t.Errorf("in the log: %s, and %s", a, b)
	}
}

// TestPoolMetrics: every login that was used has its series.
func TestPoolMetrics(t *testing.T) {
	p, err := pool.New(configs.Database{Name: "acme", DSN: "host=/no/such/folder user=u", Pool: configs.Pool{Size: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Acquire(t.Context(), pool.Request{Governed: true}); err == nil {
		t.Fatal("a backend of a server that isn't there")
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(poolMetrics{map[string]*database{"acme": {pool: p}}})
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if len(families) != 8 {
		t.Errorf("%d families of series", len(families))
	}
	for _, f := range families {
		if f.GetName() != "pgask_pool_dial_failures_total" {
			continue
		}
		got := f.GetMetric()[0]
		if got.GetCounter().GetValue() != 1 || got.GetLabel()[0].GetValue() != "acme" || got.GetLabel()[2].GetValue() != "governed" {
			t.Errorf("%v", got)
		}
		return
	}
	t.Error("no series of failed dials")
}
