package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/plans"
	"github.com/prometheus/client_golang/prometheus"
)

// planStore is where plans are kept that are used again.
type planStore interface {
	planner.PlanStore
	Clear(ctx context.Context) (int64, error)
}

// keeper has the plans that a process keeps. It outlives reloads: where they are kept
// is decided once.
type keeper struct {
	log    *slog.Logger
	once   sync.Once
	store  planStore
	close  func()
	failed error
	// looked counts questions by what the cache said, cleared how often it was emptied.
	looked  *prometheus.CounterVec
	cleared prometheus.Counter
}

func newKeeper(log *slog.Logger) *keeper {
	return &keeper{log: log, close: func() {},
		looked:  vec("pgask_plan_cache_total", "Questions that the plan cache was asked for, by outcome (hit, miss, failed).", "outcome"),
		cleared: counter("pgask_plan_cache_clears_total", "How often the plan cache was emptied.")}
}

// open makes the store that the first configuration says.
func (k *keeper) open(c configs.Planner) (planStore, error) {
	k.once.Do(func() {
		if c.Store != "postgres" {
			k.store = &plans.Memory{}
			return
		}
		p, err := plans.NewPostgres(c.DSN, k.log)
		if err != nil {
			k.failed = err
			return
		}
		k.store, k.close = p, p.Close
	})
	return k.store, k.failed
}

// cache is the planner of kept plans; nil where it is switched off.
func (k *keeper) cache(c *configs.Config) (planner.Planner, error) {
	if !c.Planner.Cache {
		return nil, nil
	}
	store, err := k.open(c.Planner)
	if err != nil {
		return nil, err
	}
	model := c.LLM.Model
	if m := c.LLM.Routing["planner"]; m != "" {
		model = m
	}
	observe := func(outcome string) { k.looked.WithLabelValues(outcome).Inc() }
	return planner.NewCache(store, planner.ModelVersion(model), observe, k.log), nil
}

// clearHeader is what asks for the cache to be emptied. No page in a browser can send
// it to another site unasked.
const clearHeader = "Pgask-Cache"

// serveClear empties the cache for processes of this machine.
func (s *service) serveClear(w http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.RemoteAddr) // without a port it is no address either
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() || r.Header.Get(clearHeader) != "clear" {
		http.Error(w, "only \"pgask cache clear\" on this machine may do that", http.StatusForbidden)
		return
	}
	if s.plans.store == nil {
		return
	}
	n, err := s.plans.store.Clear(r.Context())
	if err != nil {
		s.log.Error("the plan cache was not emptied", "error", err)
		http.Error(w, "the plan cache was not emptied, see the log", http.StatusInternalServerError)
		return
	}
	s.plans.cleared.Inc()
	s.log.Info("plan cache emptied", "plans", n)
}
