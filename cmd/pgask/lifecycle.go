package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/socket"
)

// signals are what a process may be told while it serves.
type signals struct {
	reload <-chan os.Signal
	// stop is called when draining begins: what its channel gives from then on
	// ends the draining at once. Nil where nothing does.
	stop func() <-chan os.Signal
}

// run serves until ctx ends, then drains. ready, unless nil, is told the
// address once clients are accepted.
func (s *service) run(ctx context.Context, sig signals, ready func(addr string)) error {
	l, err := s.listen(ctx)
	if err != nil {
		return err
	}
	web := s.serveHTTP(l.web)
	ended := s.accept(l)
	s.ready.Store(true)
	address := l.clients.Addr().String()
	s.log.Info("accepting clients", "listen", address)
	s.tell("READY=1", "STATUS=accepting clients on "+address)
	if ready != nil {
		ready(address)
	}
	failed := s.attend(ctx, sig.reload, ended)
	s.drain(sig, web)
	if failed == nil {
		failed = <-ended
	}
	if errors.Is(failed, proxy.ErrServerClosed) {
		failed = nil
	}
	return errors.Join(failed, s.close(web))
}

// accept serves on the listeners; the channel gives how that ended for those
// of the clients.
func (s *service) accept(l *listeners) <-chan error {
	ended := make(chan error, 1)
	go func() { ended <- s.server.Serve(l.clients) }()
	if l.peers != nil {
		go func() {
			if err := s.server.ServeCancels(l.peers); !errors.Is(err, proxy.ErrServerClosed) {
				s.log.Error("cancel requests of peers are not accepted any more", "error", err)
			}
		}()
	}
	return ended
}

// attend reloads when it is told to, until ctx ends or the listener fails.
func (s *service) attend(ctx context.Context, reload <-chan os.Signal, ended <-chan error) error {
	watchdog, stop := s.watchdog()
	defer stop()
	for {
		select {
		case <-reload:
			_, _ = s.reloadCounted() // the log has the error
		case <-s.halted.Done():
			return nil
		case <-watchdog:
			s.tell("WATCHDOG=1")
		case err := <-ended:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// reloadCounted reloads, logs and counts what became of it, and gives the changed
// keys that take a restart.
func (s *service) reloadCounted() ([]string, error) {
	s.tell(socket.Reloading()...)
	s.audit.Reopen() // whether or not the files have faults
	outcome := "taken"
	keys, err := s.reload()
	if err != nil {
		outcome = "refused"
		s.log.Error("reload refused, the old configuration stays", "error", err)
	}
	s.metrics.reloads.WithLabelValues(outcome).Inc()
	s.tell("READY=1", "STATUS=reload "+outcome)
	return keys, err
}

// drain lets sessions reach a quiet point, at most for the drain limit or until
// it is told to stop once more, then ends everything.
func (s *service) drain(sig signals, web *http.Server) {
	s.ready.Store(false)
	limit := s.config.Limits.Drain
	s.tell("STOPPING=1", fmt.Sprintf("STATUS=draining, at most %s", limit))
	s.log.Info("draining", "limit", limit)
	if web != nil && s.config.ReusePort {
		_ = web.Close() // whoever asks is for the other process
	}
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- s.server.Shutdown(ctx) }()
	if err := s.awaitDrain(done, stop, sig); err != nil {
		s.log.Warn("sessions cut", "reason", err)
		return
	}
	s.log.Info("drained")
}

// awaitDrain returns how Shutdown ended, and hurries it where it is told to.
func (s *service) awaitDrain(done <-chan error, hurry func(), sig signals) error {
	watchdog, stop := s.watchdog()
	defer stop()
	hurried := s.hurried.Done()
	var again <-chan os.Signal
	if sig.stop != nil {
		again = sig.stop()
	}
	for {
		select {
		case err := <-done:
			return err
		case <-watchdog:
			s.tell("WATCHDOG=1")
		case <-again:
			s.log.Warn("told to stop once more")
			hurry()
		case <-hurried:
			hurried = nil
			hurry()
		}
	}
}

func (s *service) close(web *http.Server) error {
	for _, d := range s.databases {
		d.own.Close()
		d.pool.Close()
	}
	if s.vectors != nil {
		s.vectors.Close()
	}
	s.plans.close()
	s.traces.Close()
	if err := s.audit.Close(); err != nil {
		s.log.Error("the audit log is incomplete", "error", err)
	}
	if web == nil {
		return nil
	}
	return web.Close()
}

// watchdog ticks as often as systemd wants to hear from a living process; never
// where it doesn't.
func (s *service) watchdog() (<-chan time.Time, func()) {
	every := s.notifier.Watchdog() / 2
	if every <= 0 {
		return nil, func() {}
	}
	ticker := time.NewTicker(every)
	return ticker.C, ticker.Stop
}

// tell informs systemd, if there is one.
func (s *service) tell(assignments ...string) {
	if err := s.notifier.Tell(assignments...); err != nil {
		s.log.Warn("systemd was not told", "error", err)
	}
}
