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
	log   *slog.Logger
	once  sync.Once
	store planStore
	// approvals are the plans that reviewers pinned; nil where there is no place for them.
	approvals plans.Approvals
	close     func()
	failed    error
	// looked counts questions by what the cache said, cleared how often it was emptied.
	looked  *prometheus.CounterVec
	cleared prometheus.Counter
}

func newKeeper(log *slog.Logger) *keeper {
	return &keeper{log: log, close: func() {},
		looked:  vec("pgask_plan_cache_total", "Questions that the plan cache was asked for, by outcome (hit, miss, failed).", "outcome"),
		cleared: counter("pgask_plan_cache_clears_total", "How often the plan cache was emptied.")}
}

// open makes the stores that the first configuration says.
func (k *keeper) open(c *configs.Config) error {
	k.once.Do(func() {
		if c.Planner.Store != "postgres" {
			k.store = &plans.Memory{}
			if c.Files.Approved != "" {
				k.approvals = plans.NewFile(c.Files.Approved)
			}
			return
		}
		p, err := plans.NewPostgres(c.Planner.DSN, k.log)
		if err != nil {
			k.failed = err
			return
		}
		k.store, k.approvals, k.close = p, p, p.Close
	})
	return k.failed
}

// cache is the planner of kept plans; nil where it is switched off.
func (k *keeper) cache(c *configs.Config) planner.Planner {
	if !c.Planner.Cache {
		return nil
	}
	model := c.LLM.Model
	if m := c.LLM.Routing["planner"]; m != "" {
		model = m
	}
	observe := func(outcome string) { k.looked.WithLabelValues(outcome).Inc() }
	return planner.NewCache(k.store, planner.ModelVersion(model), observe, k.log)
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
	n, err := s.plans.store.Clear(r.Context())
	if err != nil {
		s.log.Error("the plan cache was not emptied", "error", err)
		http.Error(w, "the plan cache was not emptied, see the log", http.StatusInternalServerError)
		return
	}
	s.plans.cleared.Inc()
	s.log.Info("plan cache emptied", "plans", n)
}
