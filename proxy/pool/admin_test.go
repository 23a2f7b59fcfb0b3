package pool

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pgask/pgask/configs"
)

// TestQueue: waiters are served in the order they came, know how long they
// waited, and give up after pool.wait.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{}
		p := s.pool(t, configs.Pool{Size: 1, Idle: time.Minute, Wait: 10 * time.Second})
		held, err := p.Acquire(t.Context(), Request{})
		if err != nil || held.Waited != 0 {
			t.Fatalf("waited %s, %v", held.Waited, err)
		}
		type served struct {
			n      int
			waited time.Duration
			err    error
		}
		order := make(chan served, 10)
		for n := range 5 {
			r := Request{}
			if n == 2 { // this one needs a backend of its own
				r.Params = map[string]string{"application_name": "other"}
			}
			go func() {
				b, err := p.Acquire(t.Context(), r)
				if err != nil {
					order <- served{n: n, err: err}
					return
				}
				order <- served{n: n, waited: b.Waited}
				time.Sleep(2 * time.Second)
				b.Release()
			}()
			synctest.Wait()
			time.Sleep(time.Millisecond)
		}
		time.Sleep(3*time.Second - 5*time.Millisecond)
		if st := p.Stats()[0]; st.Waiting != 5 || st.MaxWait != 3*time.Second || st.Active != 1 {
			t.Errorf("while they wait: %+v", st)
		}
		held.Release()
		for n := range 4 {
			got := <-order
			want := 3*time.Second + time.Duration(n)*(2*time.Second-time.Millisecond)
			if got.n != n || got.err != nil || got.waited != want {
				t.Errorf("served %+v, want %d after %s", got, n, want)
			}
		}
		got := <-order
		full, ok := errors.AsType[*Full](got.err)
		if got.n != 4 || !ok || full.Waited != 10*time.Second {
			t.Errorf("the last: %+v", got)
		}
		time.Sleep(time.Minute)
		if st := p.Stats()[0]; st.Acquires != 5 || st.Waits != 5 || st.Waiting != 0 || st.Dials != 3 {
			t.Errorf("in the end: %+v", st)
		}
	})
}

// TestPauseSessions: nobody new gets a backend, who has one keeps it, and the
// wait's limit doesn't run.
func TestPauseSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{}
		p := s.pool(t, configs.Pool{Mode: "session", Size: 3, Idle: time.Hour, Wait: time.Second})
		use(t, p, Request{})
		held, err := p.Acquire(t.Context(), Request{})
		if err != nil {
			t.Fatal(err)
		}
		use(t, p, Request{})
		if err := p.Pause(t.Context()); err != nil || p.State() != "paused" {
			t.Errorf("%v, %s", err, p.State())
		}
		if st := p.Stats()[0]; st.Idle != 0 || st.Active != 1 {
			t.Errorf("paused: %+v", st)
		}
		got := make(chan error, 1)
		go func() {
			b, err := p.Acquire(t.Context(), Request{})
			if err == nil {
				b.Release()
			}
			got <- err
		}()
		time.Sleep(time.Minute)
		if st := p.Stats()[0]; st.Waiting != 1 {
			t.Errorf("a minute later: %+v", st)
		}
		p.Resume()
		if err := <-got; err != nil || p.State() != "active" {
			t.Errorf("after RESUME: %v, %s", err, p.State())
		}
		held.Release()
		synctest.Wait()
	})
}

// TestWaitThroughPause: the time of a pause doesn't count, and who has waited
// that long keeps no clock going.
func TestWaitThroughPause(t *testing.T) {
	for _, wait := range []time.Duration{time.Second, 0} {
		synctest.Test(t, func(t *testing.T) {
			s := &fake{}
			p := s.pool(t, configs.Pool{Mode: "session", Size: 1, Idle: time.Hour, Wait: wait})
			held, err := p.Acquire(t.Context(), Request{})
			if err != nil {
				t.Fatal(err)
			}
			defer held.Release()
			if err := p.Pause(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := make(chan error, 1)
			go func() {
				_, err := p.Acquire(t.Context(), Request{})
				got <- err
			}()
			time.Sleep(10*time.Second + wait/2)
			p.Resume()
			resumed := time.Now()
			if _, full := errors.AsType[*Full](<-got); !full || time.Since(resumed) != wait {
				t.Fatalf("given up %s after RESUME, not %s", time.Since(resumed), wait)
			}
		})
	}
}

// TestPauseTransactions waits for what runs.
func TestPauseTransactions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{}
		p := s.pool(t, configs.Pool{Mode: "transaction", Size: 3, Idle: time.Hour, Wait: time.Second})
		held, err := p.Acquire(t.Context(), Request{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.Pause(ctx); !errors.Is(err, context.DeadlineExceeded) || p.State() != "active" {
			t.Errorf("with a backend in use: %v, %s", err, p.State())
		}
		paused := make(chan error)
		go func() { paused <- p.Pause(t.Context()) }()
		time.Sleep(time.Minute)
		select {
		case <-paused:
			t.Error("PAUSE came back while a backend was in use")
		default:
			held.Return(false)
			if err := <-paused; err != nil {
				t.Error(err)
			}
		}
		if p.InUse() != 0 {
			t.Errorf("%d backends in a paused pool", p.InUse())
		}
	})
}

// TestReconnect: what is older isn't lent again.
func TestReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{}
		p := s.pool(t, configs.Pool{Size: 3, Idle: time.Hour})
		held, err := p.Acquire(t.Context(), Request{})
		if err != nil {
			t.Fatal(err)
		}
		idle := use(t, p, Request{})
		p.Reconnect()
		if st := p.Stats()[0]; st.Idle != 0 || st.Active != 1 {
			t.Errorf("after RECONNECT: %+v", st)
		}
		held.Release()
		synctest.Wait()
		if p.InUse() != 0 {
			t.Error("a backend from before was kept")
		}
		if got := use(t, p, Request{}); got == idle || got == held.PID {
			t.Errorf("backend %d is from before", got)
		}
	})
}

// TestKill ends what there is and refuses the rest until RESUME.
func TestKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{}
		p := s.pool(t, configs.Pool{Size: 2, Idle: time.Hour, Wait: time.Hour})
		told, err := p.Acquire(t.Context(), Request{})
		if err != nil {
			t.Fatal(err)
		}
		killed := make(chan struct{})
		told.OnKill(func() { close(killed) })
		cut, err := p.Acquire(t.Context(), Request{})
		if err != nil {
			t.Fatal(err)
		}
		waiting := make(chan error, 1)
		go func() {
			_, err := p.Acquire(t.Context(), Request{})
			waiting <- err
		}()
		synctest.Wait()
		p.Kill()
		<-killed
		if err := <-waiting; sqlstate(err) != "57P03" {
			t.Errorf("who waited: %v", err)
		}
		if _, err := cut.Conn.Write([]byte("X")); err == nil {
			t.Error("a backend in use was left open")
		}
		told.Release()
		cut.Release()
		_, err = p.Acquire(t.Context(), Request{})
		if k, ok := errors.AsType[*Killed](err); !ok || k.SQLState() != "57P03" || k.Detail() == "" {
			t.Errorf("after KILL: %v", err)
		}
		if p.InUse() != 0 || p.State() != "killed" {
			t.Errorf("%d backends, %s", p.InUse(), p.State())
		}
		p.Resume()
		use(t, p, Request{})
		p.Close()
		if _, err := p.Acquire(t.Context(), Request{}); sqlstate(err) != "57P01" || p.State() != "closed" {
			t.Errorf("after the end: %v", err)
		}
	})
}

// TestServers lists backends, oldest first.
func TestServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{}
		p := s.pool(t, configs.Pool{Size: 2, Idle: time.Hour})
		one, err := p.Acquire(t.Context(), Request{Governed: true})
		if err != nil {
			t.Fatal(err)
		}
		born := time.Now()
		time.Sleep(time.Second)
		two := use(t, p, Request{})
		time.Sleep(time.Second)
		all := p.Servers()
		if len(all) != 2 || all[0].PID != one.PID || all[1].PID != two || !all[0].Born.Equal(born) || all[0].State != "active" ||
			all[1].State != "idle" || !all[0].Governed || time.Since(all[1].Since) != time.Second || all[0].Address != "127.0.0.1:1" {
			t.Errorf("%+v", all)
		}
		if st := p.Stats(); len(st) != 2 || st[0].Governed || !st[1].Governed {
			t.Errorf("%+v", st)
		}
		one.Release()
	})
}
