package pool

import (
	"context"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pgask/pgask/configs"
)

// fake is a scripted server: every dial is a pipe to a goroutine that plays
// Postgres, all within a test's bubble of fake time.
type fake struct {
	dials atomic.Int32
	// down refuses dials, play is what a connection does after its login.
	down atomic.Bool
	play func(f *pgproto3.Backend, c net.Conn)
}

func (s *fake) dial(context.Context, string, string) (net.Conn, error) {
	n := s.dials.Add(1)
	if s.down.Load() {
		return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	}
	near, far := net.Pipe()
	go func() {
		defer far.Close()
		b := pgproto3.NewBackend(far, far)
		if _, err := b.ReceiveStartupMessage(); err != nil {
			return
		}
		b.Send(&pgproto3.AuthenticationOk{})
		b.Send(&pgproto3.ParameterStatus{Name: "DateStyle", Value: "ISO"})
		b.Send(&pgproto3.BackendKeyData{ProcessID: uint32(n), SecretKey: []byte("1234")})
		b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		if b.Flush() == nil {
			s.play(b, far)
		}
	}()
	return near, nil
}

// obey confirms every query.
func obey(b *pgproto3.Backend, _ net.Conn) {
	for {
		m, err := b.Receive()
		if err != nil {
			return
		}
		if q, ok := m.(*pgproto3.Query); ok {
			b.Send(&pgproto3.CommandComplete{CommandTag: []byte(q.String)})
			b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
			if b.Flush() != nil {
				return
			}
		}
	}
}

func (s *fake) pool(t *testing.T, set configs.Pool) *Pool {
	t.Helper()
	if s.play == nil {
		s.play = obey
	}
	p := newPool(t, configs.Database{Name: "acme", DSN: "postgres://u@127.0.0.1:1/d?sslmode=disable", Pool: set})
	p.config.DialFunc = s.dial
	return p
}

// use takes a backend and gives it back.
func use(t *testing.T, p *Pool, r Request) uint32 {
	t.Helper()
	b, err := p.Acquire(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	b.Release()
	synctest.Wait()
	return b.PID
}

// TestHostileReset: a reset that isn't answered as Postgres does ends the
// backend, and never takes longer than its limit.
func TestHostileReset(t *testing.T) {
	ready := func(status byte) *pgproto3.ReadyForQuery { return &pgproto3.ReadyForQuery{TxStatus: status} }
	tag := func(s string) *pgproto3.CommandComplete { return &pgproto3.CommandComplete{CommandTag: []byte(s)} }
	for name, c := range map[string]struct {
		replies []pgproto3.BackendMessage
		raw     string
		took    time.Duration
		kept    bool
	}{
		"as Postgres does": {replies: []pgproto3.BackendMessage{&pgproto3.ParameterStatus{Name: "DateStyle", Value: "ISO"},
			&pgproto3.NoticeResponse{Message: "n"}, &pgproto3.NotificationResponse{Channel: "c"}, tag("DISCARD ALL"), ready('I')}, kept: true},
		"error":               {replies: []pgproto3.BackendMessage{&pgproto3.ErrorResponse{Severity: "ERROR", Code: "25001"}, ready('I')}},
		"another tag":         {replies: []pgproto3.BackendMessage{tag("SELECT 1"), ready('I')}},
		"no tag":              {replies: []pgproto3.BackendMessage{ready('I')}},
		"two tags":            {replies: []pgproto3.BackendMessage{tag("DISCARD ALL"), tag("DISCARD ALL"), ready('I')}},
		"still in a block":    {replies: []pgproto3.BackendMessage{tag("DISCARD ALL"), ready('T')}},
		"rows":                {replies: []pgproto3.BackendMessage{&pgproto3.DataRow{}, tag("DISCARD ALL"), ready('I')}},
		"more than asked":     {replies: []pgproto3.BackendMessage{tag("DISCARD ALL"), ready('I'), ready('I')}},
		"half a frame more":   {replies: []pgproto3.BackendMessage{tag("DISCARD ALL"), ready('I')}, raw: "Z\x00\x00"},
		"negative length":     {raw: "C\xff\xff\xff\xff"},
		"impossible length":   {raw: "C\x00\x00\x00\x03"},
		"endless length":      {raw: "N\x3f\xff\xff\xff"},
		"broken parameter":    {raw: "S\x00\x00\x00\x06ab"},
		"nothing":             {took: resetTimeout},
		"a beginning":         {raw: "C\x00\x00\x00\x10DISC", took: resetTimeout},
		"a tag, nothing more": {replies: []pgproto3.BackendMessage{tag("DISCARD ALL")}, took: resetTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &fake{play: func(b *pgproto3.Backend, conn net.Conn) {
					if _, err := b.Receive(); err != nil {
						return
					}
					var out []byte
					for _, m := range c.replies {
						out, _ = m.Encode(out)
					}
					_, _ = conn.Write(append(out, c.raw...))
					obey(b, conn)
				}}
				p := s.pool(t, configs.Pool{Size: 1, Idle: time.Hour, Wait: time.Hour})
				b, err := p.Acquire(t.Context(), Request{})
				if err != nil {
					t.Fatal(err)
				}
				b.ParameterStatuses["DateStyle"] = "German"
				began := time.Now()
				b.Release()
				p.work.Wait()
				if took := time.Since(began); took != c.took {
					t.Errorf("it took %s, want %s", took, c.took)
				}
				if kept := p.InUse() == 1; kept != c.kept {
					t.Errorf("kept: %v, want %v", kept, c.kept)
				}
				if c.kept && b.ParameterStatuses["DateStyle"] != "ISO" {
					t.Errorf("DateStyle %s", b.ParameterStatuses["DateStyle"])
				}
			})
		})
	}
}

// TestAges: a backend that nobody uses is closed after pool.idle, one that is
// too old when it comes back, or while it is idle.
func TestAges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{}
		p := s.pool(t, configs.Pool{Size: 5, Idle: time.Minute, Lifetime: time.Hour})
		one := use(t, p, Request{})
		time.Sleep(59 * time.Second)
		if p.InUse() != 1 || use(t, p, Request{}) != one {
			t.Error("closed before its time")
		}
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if p.InUse() != 0 {
			t.Error("idle for more than pool.idle")
		}
		two := use(t, p, Request{})
		for range 120 { // a lifetime is 66 minutes at most
			time.Sleep(35 * time.Second)
			use(t, p, Request{})
		}
		if age := time.Since(p.Servers()[0].Born); age > 66*time.Minute {
			t.Errorf("a backend is %s old", age)
		}
		if use(t, p, Request{}) == two {
			t.Error("a backend outlived its lifetime")
		}
		// The newest is used again, so that the others can end.
		var held []*Backend
		for range 3 {
			b, err := p.Acquire(t.Context(), Request{})
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, b)
		}
		for _, b := range held {
			b.Release()
			synctest.Wait()
		}
		for range 4 {
			time.Sleep(30 * time.Second)
			if got := use(t, p, Request{}); got != held[2].PID {
				t.Errorf("backend %d, want the one used last, %d", got, held[2].PID)
			}
		}
		if p.InUse() != 1 {
			t.Errorf("%d backends for one session at a time", p.InUse())
		}
	})
}

// TestLifetimes differ, so that backends dialled together don't end together.
func TestLifetimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{}
		p := s.pool(t, configs.Pool{Size: 50, Idle: time.Hour, Lifetime: time.Hour})
		ends := map[time.Time]bool{}
		for range 50 {
			b, err := p.Acquire(t.Context(), Request{})
			if err != nil {
				t.Fatal(err)
			}
			ends[b.expires] = true
			if left := time.Until(b.expires); left < 54*time.Minute || left > 66*time.Minute {
				t.Errorf("a lifetime of %s", left)
			}
			defer b.Release()
		}
		if len(ends) < 40 {
			t.Errorf("50 backends have %d ends", len(ends))
		}
	})
}

// TestMin keeps and replaces backends of logins that have been used.
func TestMin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{}
		p := s.pool(t, configs.Pool{Size: 5, Min: 3, Idle: time.Minute, Lifetime: time.Hour})
		time.Sleep(time.Hour)
		if p.InUse() != 0 {
			t.Error("backends of a login that nobody has used")
		}
		use(t, p, Request{})
		for range 40 {
			if st := p.Stats()[0]; st.Idle != 3 {
				t.Fatalf("after use: %+v", st)
			}
			time.Sleep(10 * time.Minute)
			synctest.Wait()
		}
		if n := s.dials.Load(); n < 15 || n > 30 {
			t.Errorf("%d dials in 400 minutes for 3 backends that live an hour", n)
		}
		p.Reconnect()
		synctest.Wait()
		if st := p.Stats()[0]; st.Idle != 3 {
			t.Errorf("after RECONNECT: %+v", st)
		}
	})
}
