package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pool"
)

// drainTime is how long sessions may go on after SIGTERM.
const drainTime = 30 * time.Second

// service is everything that serve runs from one configuration. What a reload
// replaces is behind atomic pointers; the rest stays as it was started.
type service struct {
	log       *slog.Logger
	load      func() (*files, []configs.Fault, error)
	config    *configs.Config
	store     atomic.Pointer[auth.Store]
	tls       atomic.Pointer[tls.Config]
	pipe      *pipeline.Pipeline
	databases map[string]*database
	metrics   *metrics
	server    *proxy.Server
	ready     atomic.Bool
}

// database is one configured database: backends for sessions, and questions of
// our own.
type database struct {
	pool *pool.Pool
	own  *pipeline.Database
}

// newService prepares a service; it listens nowhere and connects to nothing.
func newService(load func() (*files, []configs.Fault, error), log *slog.Logger) (*service, error) {
	all, parts, err := loadParts(load, log)
	if err != nil {
		return nil, err
	}
	s := &service{log: log, load: load, config: all.Config, databases: map[string]*database{}, metrics: newMetrics()}
	s.pipe = pipeline.New(parts.rules, pipeline.Options{Limits: stmt.Limits{Bytes: int(all.Config.Limits.StatementBytes)},
		Today: all.Config.Planner.Today, Samples: all.Config.Index.Samples, Observer: observer{s.metrics}, Log: log, Now: time.Now})
	s.adopt(parts)
	for name, c := range all.Config.Databases {
		p, err := pool.New(*c)
		if err != nil {
			return nil, err
		}
		s.databases[name] = &database{pool: p, own: pipeline.NewDatabase(c, log, time.Now)}
	}
	s.server = proxy.New(s.options())
	return s, nil
}

func (s *service) options() proxy.Options {
	l := proxy.DefaultLimits()
	l.Clients, l.Login, l.Idle = s.config.Limits.Clients, s.config.Limits.Login, s.config.Limits.Idle
	l.UserClients, l.AddressClients, l.LoginFailures = s.config.Limits.UserClients, s.config.Limits.AddressClients, s.config.Limits.LoginFailures
	l.StatementBytes = int(s.config.Limits.StatementBytes)
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
// Only users, policy, semantic model, curated queries and certificates change.
func (s *service) reload() error {
	_, p, err := loadParts(s.load, s.log)
	if err != nil {
		return err
	}
	s.adopt(p)
	s.log.Info("configuration reloaded")
	s.warnOfMisfits(p.rules.Policy)
	return nil
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

// run serves until ctx ends, then drains. ready, unless nil, is told the
// address once clients are accepted.
func (s *service) run(ctx context.Context, reload <-chan os.Signal, ready func(addr string)) error {
	ln, err := net.Listen("tcp", s.config.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	web, err := s.listenHTTP()
	if err != nil {
		ln.Close()
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.server.Serve(ln) }()
	s.ready.Store(true)
	s.log.Info("accepting clients", "listen", ln.Addr().String())
	if ready != nil {
		ready(ln.Addr().String())
	}
	for {
		select {
		case <-reload:
			outcome := "taken"
			if err := s.reload(); err != nil {
				outcome = "refused"
				s.log.Error("reload refused, the old configuration stays", "error", err)
			}
			s.metrics.reloads.WithLabelValues(outcome).Inc()
		case err := <-ended:
			return errors.Join(err, s.close(web))
		case <-ctx.Done():
			return s.drain(web, ended)
		}
	}
}

// drain lets sessions reach a quiet point, then ends everything.
func (s *service) drain(web *http.Server, ended <-chan error) error {
	s.ready.Store(false)
	ctx, stop := context.WithTimeout(context.Background(), drainTime)
	defer stop()
	s.log.Info("draining")
	err := s.server.Shutdown(ctx)
	if err != nil {
		s.log.Warn("sessions cut after the drain limit", "limit", drainTime)
		err = s.server.Close()
	}
	if e := <-ended; !errors.Is(e, proxy.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return errors.Join(err, s.close(web))
}

func (s *service) close(web *http.Server) error {
	for _, d := range s.databases {
		d.own.Close()
		d.pool.Close()
	}
	if web == nil {
		return nil
	}
	return web.Close()
}
