package pool

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/proxy/poll"
)

// unreliable is a server whose connections can be cut at any time.
type unreliable struct {
	mu    sync.Mutex
	conns map[net.Conn]struct{} // guarded by mu
	most  int                   // guarded by mu; connections at a time
}

func (u *unreliable) serve(l net.Listener, done *sync.WaitGroup) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		done.Go(func() {
			defer conn.Close()
			b := pgproto3.NewBackend(conn, conn)
			if _, err := b.ReceiveStartupMessage(); err != nil {
				return
			}
			u.mu.Lock()
			u.conns[conn] = struct{}{}
			u.most = max(u.most, len(u.conns))
			u.mu.Unlock()
			defer func() {
				u.mu.Lock()
				delete(u.conns, conn)
				u.mu.Unlock()
			}()
			b.Send(&pgproto3.AuthenticationOk{})
			b.Send(&pgproto3.BackendKeyData{ProcessID: rand.Uint32(), SecretKey: []byte("1234")})
			b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
			if b.Flush() == nil {
				obey(b, conn)
			}
		})
	}
}

// cut ends a connection with Postgres's last word.
func (u *unreliable) cut() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for conn := range u.conns {
		word, _ := (&pgproto3.ErrorResponse{Severity: "FATAL", Code: "57P01", Message: "m"}).Encode(nil)
		_, _ = conn.Write(word)
		_ = conn.Close()
		return
	}
}

// borrowed counts who has a backend: it must never be two.
type borrowed struct{ holders atomic.Int32 }

// TestStress: whatever borrowers, administrators and the server do at once, no
// backend is lent twice, none is too many, and nothing is left in the end.
func TestStress(t *testing.T) {
	for _, mode := range []string{"session", "transaction"} {
		t.Run(mode, func(t *testing.T) { stress(t, mode) })
	}
}

// enough loans end a stress test.
const enough = 3000

func stress(t *testing.T, mode string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u := &unreliable{conns: map[net.Conn]struct{}{}}
	var serving sync.WaitGroup
	serving.Go(func() { u.serve(l, &serving) })
	set := configs.Pool{Mode: mode, Size: 4, Min: 1, Wait: 20 * time.Millisecond, Idle: 5 * time.Millisecond, Lifetime: 20 * time.Millisecond}
	p := newPool(t, configs.Database{Name: "acme", DSN: "postgres://u@" + l.Addr().String() + "/d?sslmode=disable", Pool: set})
	loops := []*poll.Loop{startLoop(t), startLoop(t), nil}
	var work sync.WaitGroup
	var loans atomic.Int64
	for n := range 24 {
		work.Go(func() {
			r := Request{Loop: loops[n%3], Governed: n%2 == 0, Params: map[string]string{"application_name": fmt.Sprint(n % 5)}}
			for loans.Load() < enough && t.Context().Err() == nil {
				loan(t, p, r, &loans)
			}
		})
	}
	stop := make(chan struct{})
	var trouble sync.WaitGroup
	trouble.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			disturb(t, p, u, n)
		}
	})
	work.Wait()
	close(stop)
	trouble.Wait()
	p.Resume()
	p.Close()
	_ = l.Close()
	until(t, "every backend is closed", func() bool { u.mu.Lock(); defer u.mu.Unlock(); return len(u.conns) == 0 })
	serving.Wait()
	for _, s := range p.Stats() {
		if s.Active+s.Idle+s.Resetting+s.Dialling+s.Waiting != 0 || p.InUse() != 0 {
			t.Errorf("left over: %+v", s)
		}
	}
	t.Logf("%d loans", loans.Load())
}

// disturb does what administrators and servers do.
func disturb(t *testing.T, p *Pool, u *unreliable, n int) {
	switch n % 16 {
	case 1, 5, 9:
		u.cut()
	case 3:
		p.Reconnect()
	case 7:
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Millisecond)
		defer cancel()
		if p.Pause(ctx) == nil {
			p.Resume()
		}
	case 11:
		p.Kill()
		p.Resume()
	}
	for _, s := range p.Stats() {
		if n := s.Active + s.Idle + s.Resetting + s.Dialling; n > s.Size || n < 0 {
			t.Errorf("%d backends of %d: %+v", n, s.Size, s)
		}
	}
	p.Servers()
}

// loan borrows a backend, uses it in one of the ways there are, and ends the loan.
func loan(t *testing.T, p *Pool, r Request, loans *atomic.Int64) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(30)+1)*time.Millisecond)
	defer cancel()
	over := make(chan struct{})
	p.Borrow(ctx, r, func(b *Backend, err error) {
		if err != nil {
			time.AfterFunc(time.Millisecond, func() { close(over) })
			return
		}
		loans.Add(1)
		if b.Keep == nil {
			b.Keep = &borrowed{}
		}
		if holders := b.Keep.(*borrowed).holders.Add(1); holders != 1 {
			t.Errorf("a backend has %d borrowers", holders)
		}
		end := func(failed bool) {
			b.Keep.(*borrowed).holders.Add(-1)
			switch how := rand.IntN(4); {
			case failed, how == 0:
				b.Discard()
			default:
				b.Return(how == 1)
			}
			close(over)
		}
		if r.Loop == nil {
			go end(false)
			return
		}
		b.OnKill(func() {})
		b.Attach(r.Loop, idler{}, func(err error) { end(err != nil) })
	})
	<-over
}

// idler leaves what comes alone.
type idler struct{}

func (idler) Ready() {}
