package pool

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pgask/pgask/configs"
)

// TestBackOff: a server that is down is dialled ever more seldom, clients hear of
// it at once, and it is found again.
func TestBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{}
		s.down.Store(true)
		p := s.pool(t, configs.Pool{Size: 5, Idle: time.Minute, Wait: time.Second})
		began := time.Now()
		var pauses []time.Duration
		last := began
		for time.Since(began) < time.Minute {
			before := s.dials.Load()
			at := time.Now()
			_, err := p.Acquire(t.Context(), Request{})
			if sqlstate(err) != "57P03" || time.Since(at) != 0 {
				t.Fatalf("%v after %s", err, time.Since(at))
			}
			if s.dials.Load() > before {
				pauses = append(pauses, time.Since(last))
				last = time.Now()
			}
			time.Sleep(10 * time.Millisecond)
		}
		for i, pause := range pauses[1:] {
			want := min(firstPause<<i, lastPause)
			if pause < want*8/10 || pause > want*12/10+10*time.Millisecond {
				t.Errorf("pause %d was %s, want about %s", i, pause, want)
			}
		}
		if len(pauses) < 10 {
			t.Errorf("tried %d times in a minute", len(pauses))
		}
		s.down.Store(false)
		time.Sleep(2 * lastPause)
		use(t, p, Request{})
		s.down.Store(true)
		p.Reconnect()
		before := s.dials.Load()
		for range 10 {
			_, _ = p.Acquire(t.Context(), Request{})
		}
		if n := s.dials.Load() - before; n != 1 {
			t.Errorf("%d dials after a new failure", n)
		}
		time.Sleep(firstPause * 2)
		_, _ = p.Acquire(t.Context(), Request{})
		if n := s.dials.Load() - before; n != 2 {
			t.Error("the pause didn't begin anew once the server had been reached")
		}
	})
}

// TestProbe: while one client tries whether a server is back, others wait for
// what it finds.
func TestProbe(t *testing.T) {
	for _, back := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := &fake{}
			s.down.Store(true)
			p := s.pool(t, configs.Pool{Size: 10, Idle: time.Minute, Wait: time.Minute})
			_, _ = p.Acquire(t.Context(), Request{})
			time.Sleep(time.Second)
			slow := p.config.DialFunc
			p.config.DialFunc = func(ctx context.Context, n, a string) (net.Conn, error) {
				time.Sleep(3 * time.Second)
				return slow(ctx, n, a)
			}
			s.down.Store(!back)
			before := s.dials.Load()
			ended := make(chan error, 5)
			for range 5 {
				go func() {
					b, err := p.Acquire(t.Context(), Request{})
					if err == nil {
						defer b.Release()
					}
					ended <- err
				}()
			}
			time.Sleep(2 * time.Second)
			if st := p.Stats()[0]; st.Dialling != 1 || st.Waiting != 4 {
				t.Errorf("while one tries: %+v", st)
			}
			for range 5 {
				if err := <-ended; (err == nil) != back {
					t.Errorf("back %v: %v", back, err)
				}
			}
			if n := s.dials.Load() - before; !back && n != 1 {
				t.Errorf("%d dials of a server that is down", n)
			}
			synctest.Wait()
		})
	}
}

// TestStallingLogin: a server that accepts and then says nothing costs its
// clients connect_timeout, and no more than one of them at a time after that.
func TestStallingLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{}
		p := s.pool(t, configs.Pool{Size: 2, Wait: time.Minute})
		p.config.DialFunc = func(context.Context, string, string) (net.Conn, error) {
			s.dials.Add(1)
			near, far := net.Pipe()
			go func() { _, _ = far.Read(make([]byte, 1000)) }()
			return near, nil
		}
		began := time.Now()
		_, err := p.Acquire(t.Context(), Request{})
		if sqlstate(err) != "57P03" || time.Since(began) != loginTimeout {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		time.Sleep(lastPause)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.Acquire(ctx, Request{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a client with less patience: %v", err)
		}
		if p.InUse() != 0 {
			t.Error("a place was lost")
		}
	})
}

// TestOneLoginsFault: a login that can't be logged in with doesn't keep others
// from the server.
func TestOneLoginsFault(t *testing.T) {
	for what, c := range map[string]struct {
		answer pgproto3.BackendMessage
		paused bool
	}{
		"refused":    {&pgproto3.ErrorResponse{Severity: "FATAL", Code: "28000", Message: "no"}, false},
		"crowded":    {&pgproto3.ErrorResponse{Severity: "FATAL", Code: "53300", Message: "too many"}, false},
		"mechanisms": {&pgproto3.AuthenticationSASL{AuthMechanisms: []string{"UNHEARD-OF"}}, false},
		"starting":   {&pgproto3.ErrorResponse{Severity: "FATAL", Code: "57P03", Message: "starting up"}, true},
		"hung up":    {nil, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &fake{}
			p := s.pool(t, configs.Pool{Size: 2})
			p.config.DialFunc = func(context.Context, string, string) (net.Conn, error) {
				s.dials.Add(1)
				near, far := net.Pipe()
				go func() {
					defer far.Close()
					b := pgproto3.NewBackend(far, far)
					if _, err := b.ReceiveStartupMessage(); err == nil && c.answer != nil {
						b.Send(c.answer)
						_ = b.Flush()
					}
				}()
				return near, nil
			}
			for range 2 {
				if _, err := p.Acquire(t.Context(), Request{}); sqlstate(err) == "" {
					t.Errorf("%s: %v", what, err)
				}
			}
			if paused := s.dials.Load() == 1; paused != c.paused {
				t.Errorf("%s: a pause after it: %v, want %v", what, paused, c.paused)
			}
		})
	}
}
