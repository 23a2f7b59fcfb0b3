package main

import (
	"context"
	"crypto/tls"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/pipeline/audit"
	"github.com/pgask/pgask/pipeline/index"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/pipeline/trace"
	"github.com/pgask/pgask/policy"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/admin"
	"github.com/pgask/pgask/proxy/pool"
	"github.com/pgask/pgask/proxy/socket"
	"github.com/pgask/pgask/proxy/transaction"
)

// service is everything that serve runs from one configuration. What a reload
// replaces is behind atomic pointers; the rest stays as it was started.
type service struct {
	log       *slog.Logger
	load      func() (*files, []configs.Fault, error)
	config    *configs.Config
	store     atomic.Pointer[auth.Store]
	tls       atomic.Pointer[tls.Config]
	pipe      *pipeline.Pipeline
	audit     *audit.Log    // nil for none
	traces    *trace.Writer // nil for none
	plans     *keeper
	vectors   *index.Vectors // nil for none
	databases map[string]*database
	metrics   *metrics
	server    *proxy.Server
	ready     atomic.Bool
	notifier  socket.Notifier
	reloading sync.Mutex // one reload at a time
	console   *admin.Console

	// halted ends when an administrator wants the process to drain, hurried
	// when it isn't to wait for that.
	halted, hurried context.Context
	halt, hurry     context.CancelFunc
}

// Bounds of what the clients of one database have prepared, where backends are
// lent: statements and bytes.
const (
	maxStatements     = 20_000
	maxStatementBytes = 64 << 20
)

// database is one configured database: backends for sessions, and questions of
// our own.
type database struct {
	pool *pool.Pool
	// statements are those of clients whose backends are lent.
	statements *transaction.Table
	own        *pipeline.Database
}

// newService prepares a service; it listens nowhere and connects to nothing.
func newService(load func() (*files, []configs.Fault, error), log *slog.Logger) (*service, error) {
	kept := newKeeper(log)
	all, parts, err := loadParts(load, kept, log)
	if err != nil {
		return nil, err
	}
	s := &service{log: log, load: load, config: all.Config, databases: map[string]*database{}, metrics: newMetrics(), plans: kept}
	s.metrics.registry.MustRegister(kept.looked, kept.cleared)
	if s.audit = openAudit(all.Config, log); s.audit != nil {
		s.metrics.registry.MustRegister(auditMetrics{s.audit})
	}
	if s.vectors, err = assembleVectors(all.Config, newIndexMetrics(s.metrics.registry), log); err != nil {
		return nil, err
	}
	embedder, err := assembleEmbedder(all.Config, log)
	if err != nil {
		return nil, err
	}
	s.traces = openTraces(all, log)
	s.pipe = pipeline.New(parts.rules, pipeline.Options{Limits: stmt.Limits{Bytes: int(all.Config.Limits.StatementBytes)},
		Today: all.Config.Planner.Today, Samples: all.Config.Index.Samples, Vectors: s.vectors, Embedder: embedder, Verdicts: int(all.Config.Limits.VerdictCache), Observer: observer{s.metrics}, Log: log, Audit: s.audit, Now: time.Now, Approvals: kept.approvals, Traces: keeping(s.traces)})
	s.adopt(parts)
	for name, c := range all.Config.Databases {
		p, err := pool.New(*c)
		if err != nil {
			return nil, err
		}
		s.databases[name] = &database{pool: p, statements: transaction.NewTable(maxStatements, maxStatementBytes), own: pipeline.NewDatabase(c, log, time.Now)}
	}
	cluster, err := loadCluster(all.Config.Cluster)
	if err != nil {
		return nil, err
	}
	o := s.options()
	o.Cluster = cluster
	s.metrics.registry.MustRegister(poolMetrics{s.databases})
	s.server = proxy.New(o)
	s.halted, s.halt = context.WithCancel(context.Background())
	s.hurried, s.hurry = context.WithCancel(context.Background())
	s.console, err = s.newConsole()
	return s, err
}

// backendLogin is what a login at a backend may take, after the wait for a place.
const backendLogin = 10 * time.Second

func (s *service) options() proxy.Options {
	l := proxy.DefaultLimits()
	l.Clients, l.Login, l.Idle = s.clients(), s.config.Limits.Login, s.config.Limits.Idle
	l.UserClients, l.AddressClients, l.LoginFailures = s.config.Limits.UserClients, s.config.Limits.AddressClients, s.config.Limits.LoginFailures
	l.StatementBytes = int(s.config.Limits.StatementBytes)
	for _, d := range s.config.Databases {
		l.Connect = max(l.Connect, d.Pool.Wait+backendLogin)
	}
	if s.config.ReusePort {
		l.Leave = s.config.Limits.Drain / 2 // the other process takes those who leave by themselves
	}
	return proxy.Options{Limits: l, Gate: s, Logger: s.log, Metrics: s.metrics,
		TLS:  proxy.TLS{Mode: proxy.TLSMode(s.config.TLS.Mode), Config: s.tls.Load},
		Auth: func() proxy.Users { return s.store.Load() }}
}

// adopt puts reloadable parts in force, all of them.
func (s *service) adopt(p *parts) {
	s.store.Store(p.store)
	s.tls.Store(p.tls)
	s.pipe.Reload(p.rules)
}

// reload reads all files again; if any has a fault, everything stays as it is.
// Only users, policy, semantic model, curated queries, certificates and planners
// change; of the rest of pgask.yaml the log says that it takes a restart, and
// the changed keys are given.
func (s *service) reload() ([]string, error) {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	all, p, err := loadParts(s.load, s.plans, s.log)
	if err != nil {
		return nil, err
	}
	s.adopt(p)
	s.log.Info("configuration reloaded")
	keys := pending(all.Config.Changed(s.config))
	if len(keys) > 0 {
		s.log.Warn("changed in pgask.yaml, takes a restart", "keys", strings.Join(keys, ", "))
	}
	s.warnOfMisfits(p.rules.Policy)
	return keys, nil
}

// warnOfMisfits logs what of a policy doesn't fit the databases as they were
// last read: their tables are refused until it does.
func (s *service) warnOfMisfits(p *policy.Policy) {
	for name, d := range s.databases {
		snap := d.own.Known()
		if snap == nil {
			continue
		}
		for _, f := range p.Check(snap) {
			s.log.Warn("policy doesn't fit the database", "database", name, "fault", f.Error())
		}
	}
}
