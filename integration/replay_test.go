package integration

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pgask/pgask/integration/record"
	"github.com/pgask/pgask/proxy/pgtest"
)

// cutting is a way to send and receive what a session said.
type cutting string

// The ways: byte by byte, in pieces of any size, all at once, and in pieces by
// a client that waits for no answer.
const (
	oneByte cutting = "one byte"
	pieces  cutting = "pieces"
	whole   cutting = "whole"
	ahead   cutting = "ahead"
)

// singly is how many bytes of a burst are sent byte by byte, from its start and
// up to its end. What is between them in a very long one comes in pieces.
const singly = 4 << 10

// cutConn reads and writes in small steps.
type cutConn struct {
	net.Conn
	how    cutting
	random *rand.Rand // of the reads
	writes *rand.Rand
}

func cut(conn net.Conn, how cutting, seed uint64) *cutConn {
	return &cutConn{conn, how, rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))}
}

func (c *cutConn) Read(p []byte) (int, error) {
	if c.how != whole && len(p) > 0 {
		p = p[:c.step(c.random, 0, len(p))]
	}
	return c.Conn.Read(p)
}

func (c *cutConn) Write(p []byte) (int, error) {
	for from := 0; from < len(p); {
		n, err := c.Conn.Write(p[from : from+c.step(c.writes, from, len(p))])
		if from += n; err != nil {
			return from, err
		}
	}
	return len(p), nil
}

// step is how much of p[from:size] comes next.
func (c *cutConn) step(random *rand.Rand, from, size int) int {
	left := size - from
	switch {
	case c.how == whole:
		return left
	case c.how == oneByte && from < singly:
		return 1
	case c.how == oneByte && left > singly:
		return min(1+random.IntN(16<<10), left-singly)
	case c.how == oneByte:
		return 1
	case random.IntN(4) == 0:
		return min(1+random.IntN(5), left) // cuts inside of headers are the interesting ones
	default:
		return min(1+random.IntN(8<<10), left)
	}
}

// replay plays recorded sessions through pgask, between an end that is the
// client and one that is Postgres, and wants every byte of each to arrive at
// the other.
func replay(t *testing.T, sessions []*record.Session) {
	t.Helper()
	accept, addr := pgtest.Listen(t)
	p := serveOver(t, passageOptions{backend: addr})
	for _, how := range []cutting{oneByte, pieces, whole, ahead} {
		t.Run(string(how), func(t *testing.T) {
			for i, s := range sessions {
				if !s.IsCancel() {
					replaySession(t, p, accept, s, how, uint64(i))
				}
			}
		})
	}
}

func replaySession(t *testing.T, p *passage, accept func() *pgtest.Peer, s *record.Session, how cutting, seed uint64) {
	t.Helper()
	login, rest := splitLogin(s)
	served := make(chan net.Conn, 1)
	go func() { served <- serveLogin(accept(), login, how, seed) }()
	conn, err := net.Dial("tcp", p.Proxy.addr)
	if err != nil {
		t.Fatal(err)
	}
	client := cut(conn, how, seed+1000)
	playLogin(t, pgtest.On(t, client), login)
	backend := <-served
	if backend == nil {
		t.Fatal("the backend got no login")
	}
	if how == ahead {
		err = carryAhead(client, backend, bursts(rest))
	} else {
		err = carryInTurn(client, backend, bursts(rest))
	}
	if err != nil {
		t.Fatal(err)
	}
	// Terminate isn't played: it is for pgask itself, which would keep the backend.
	_ = backend.Close()
	_, _ = io.Copy(io.Discard, client.Conn)
	_ = client.Close()
}

// splitLogin parts a session's login, up to the first ReadyForQuery, from the
// rest, up to Terminate.
func splitLogin(s *record.Session) (login, rest []record.Frame) {
	frames := s.Frames()
	ready := 1 + slices.IndexFunc(frames, func(f record.Frame) bool { return f.From == record.Server && f.Kind == 'Z' })
	login, rest = frames[:ready], frames[ready:]
	if end := slices.IndexFunc(rest, func(f record.Frame) bool { return f.From == record.Client && f.Kind == 'X' }); end >= 0 {
		rest = rest[:end]
	}
	return login, rest
}

// serveLogin plays Postgres: whoever comes is let in and told what the recorded
// server said of itself.
func serveLogin(p *pgtest.Peer, login []record.Frame, how cutting, seed uint64) net.Conn {
	conn := cut(p.Conn(), how, seed)
	packet := make([]byte, 4)
	if _, err := io.ReadFull(conn, packet); err != nil {
		return nil
	}
	if _, err := io.CopyN(io.Discard, conn, int64(packet[2])<<8+int64(packet[3])-4); err != nil {
		return nil
	}
	welcome := pgtest.Frame('R', 0)
	for _, f := range login {
		if f.From == record.Server && bytes.IndexByte([]byte("SKZ"), f.Kind) >= 0 {
			welcome = append(welcome, f.Bytes()...)
		}
	}
	if _, err := conn.Write(welcome); err != nil {
		return nil
	}
	return conn
}

// playLogin plays the recorded client up to the first ReadyForQuery. Nonces
// can't be played again: SCRAM is done anew.
func playLogin(t *testing.T, p *pgtest.Peer, login []record.Frame) {
	t.Helper()
	for _, f := range login {
		switch {
		case f.Kind == record.Initial:
			p.Send(f.Bytes())
		case f.Kind == record.Answer:
			p.ExpectBytes(f.Body)
		}
	}
	p.Authenticate("dba")
	p.Welcome()
}

// burst is what one side said before the other answered.
type burst struct {
	from  record.Side
	bytes []byte
}

func bursts(frames []record.Frame) []burst {
	var out []burst
	for _, f := range frames {
		if len(out) == 0 || out[len(out)-1].from != f.From {
			out = append(out, burst{from: f.From})
		}
		last := &out[len(out)-1]
		last.bytes = append(last.bytes, f.Bytes()...)
	}
	return out
}

// carryInTurn lets each side say what it said when the other has heard what
// came before.
func carryInTurn(client, backend net.Conn, all []burst) error {
	for i, b := range all {
		from, to := client, backend
		if b.from == record.Server {
			from, to = backend, client
		}
		if err := carry(from, to, b.bytes); err != nil {
			return fmt.Errorf("burst %d, of %c, %d bytes: %w", i, b.from, len(b.bytes), err)
		}
	}
	return nil
}

// carryAhead lets the client say all that it said at once, while it hears the
// answers. The backend answers when it has heard what it answered.
func carryAhead(client, backend net.Conn, all []burst) error {
	said := map[record.Side][]byte{}
	for _, b := range all {
		said[b.from] = append(said[b.from], b.bytes...)
	}
	deadline := time.Now().Add(time.Minute)
	_, _ = client.SetDeadline(deadline), backend.SetDeadline(deadline)
	var ends errgroup.Group
	ends.Go(func() error {
		_, err := client.Write(said[record.Client])
		return err
	})
	ends.Go(func() error { return hear(client, said[record.Server]) })
	ends.Go(func() error {
		for _, b := range all {
			if b.from == record.Client {
				if err := hear(backend, b.bytes); err != nil {
					return err
				}
			} else if _, err := backend.Write(b.bytes); err != nil {
				return err
			}
		}
		return nil
	})
	return ends.Wait()
}

// carry sends bytes at one end and wants them at the other.
func carry(from, to net.Conn, want []byte) error {
	deadline := time.Now().Add(time.Minute)
	for _, conn := range []net.Conn{from, to} {
		if err := conn.SetDeadline(deadline); err != nil {
			return err
		}
	}
	sent := make(chan error, 1)
	go func() {
		_, err := from.Write(want)
		sent <- err
	}()
	if err := hear(to, want); err != nil {
		return err
	}
	return <-sent
}

// hear wants bytes to arrive.
func hear(at net.Conn, want []byte) error {
	got := make([]byte, len(want))
	n, err := io.ReadFull(at, got)
	if !bytes.Equal(got[:n], want[:n]) {
		i := 0
		for got[i] == want[i] {
			i++
		}
		return fmt.Errorf("byte %d: came %q, sent %q", i, got[i:min(i+80, n)], want[i:min(i+80, n)])
	}
	if err != nil {
		return fmt.Errorf("came %d of %d bytes: %w", n, len(want), err)
	}
	return nil
}
