package pgtest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/pgask/pgask/proxy/wire"
)

// patience is how long a script waits for the other side before it fails the
// test. Nothing that works comes near it.
const patience = 20 * time.Second

// maxMessage is the largest message that a script reads, in bytes.
const maxMessage = 64 << 20

// Peer is one end of a connection that follows the test's script. Every step
// that can't be taken fails the test.
type Peer struct {
	t    testing.TB
	conn net.Conn
	// next is the first byte of a frame that was only peeked at.
	next   byte
	peeked bool
}

// On makes a peer of a connection, which is closed with the test.
func On(t testing.TB, conn net.Conn) *Peer {
	t.Cleanup(func() { _ = conn.Close() })
	return &Peer{t: t, conn: conn}
}

// Dial connects a peer to a server's TCP address.
func Dial(t testing.TB, addr string) *Peer {
	t.Helper()
	conn, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		t.Fatal(err)
	}
	return On(t, conn)
}

// Pair makes both ends of a TCP connection: the peer, and the end for what is
// being tested.
func Pair(t testing.TB) (*Peer, net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	far, err := net.DialTimeout("tcp", ln.Addr().String(), patience)
	if err != nil {
		t.Fatal(err)
	}
	near, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return On(t, near), far
}

// Conn is the peer's connection, for steps that a script has no word for.
func (p *Peer) Conn() net.Conn { return p.conn }

// Send writes frames, or parts of frames, in one write.
func (p *Peer) Send(frames ...[]byte) {
	p.t.Helper()
	_ = p.conn.SetWriteDeadline(time.Now().Add(patience))
	if _, err := p.conn.Write(bytes.Join(frames, nil)); err != nil {
		p.t.Fatalf("send: %v", err)
	}
}

// Drip writes frames one byte at a time.
func (p *Peer) Drip(frames ...[]byte) {
	p.t.Helper()
	for _, b := range bytes.Join(frames, nil) {
		p.Send([]byte{b})
	}
}

// Expect reads one frame for every letter of kinds and fails where another
// arrives. It returns the bodies.
func (p *Peer) Expect(kinds string) [][]byte {
	p.t.Helper()
	var bodies [][]byte
	for i := range len(kinds) {
		kind, body, err := p.read()
		if err != nil {
			p.t.Fatalf("expected %q: at %d: %v", kinds, i, err)
		}
		if kind != kinds[i] {
			p.t.Fatalf("expected %q: at %d came %q %q", kinds, i, kind, body)
		}
		bodies = append(bodies, body)
	}
	return bodies
}

// Until reads frames up to and including one of the kind, and returns all of
// their kinds and the last body.
func (p *Peer) Until(kind byte) (kinds string, body []byte) {
	p.t.Helper()
	for {
		k, b, err := p.read()
		if err != nil {
			p.t.Fatalf("read until %q: after %q: %v", kind, kinds, err)
		}
		if kinds += string(k); k == kind {
			return kinds, b
		}
	}
}

// ExpectError reads an ErrorResponse with the SQLSTATE.
func (p *Peer) ExpectError(code string) wire.Report {
	p.t.Helper()
	r := wire.ParseReport(p.Expect("E")[0])
	if r.Code != code {
		p.t.Fatalf("expected error %s, got %+v", code, r)
	}
	return r
}

// ExpectBytes reads exactly these bytes, which have no frame.
func (p *Peer) ExpectBytes(want []byte) {
	p.t.Helper()
	got := make([]byte, len(want))
	_ = p.conn.SetReadDeadline(time.Now().Add(patience))
	if n, err := io.ReadFull(p.conn, got); err != nil {
		p.t.Fatalf("expected %q, got %q: %v", want, got[:n], err)
	}
	if !bytes.Equal(got, want) {
		p.t.Fatalf("expected %q, got %q", want, got)
	}
}

// ExpectEnd waits until the other side has closed the connection, and fails
// where it says anything before that.
func (p *Peer) ExpectEnd() {
	p.t.Helper()
	_ = p.conn.SetReadDeadline(time.Now().Add(patience))
	rest, err := io.ReadAll(p.conn)
	var op *net.OpError
	if len(rest) > 0 || (err != nil && (!errors.As(err, &op) || op.Timeout())) {
		p.t.Fatalf("expected the end, got %q, %v", rest, err)
	}
}

// Hangup closes the connection.
func (p *Peer) Hangup() { _ = p.conn.Close() }

func (p *Peer) read() (byte, []byte, error) {
	_ = p.conn.SetReadDeadline(time.Now().Add(patience))
	var src io.Reader = p.conn
	if p.peeked {
		src = io.MultiReader(bytes.NewReader([]byte{p.next}), p.conn)
		p.peeked = false
	}
	return wire.ReadMessage(src, maxMessage)
}

// Frame builds any frame: strings end in NUL, int16, int32, bytes and bare
// byte slices are as they are.
func Frame(kind byte, parts ...any) []byte {
	var body []byte
	for _, part := range parts {
		switch v := part.(type) {
		case string:
			body = append(append(body, v...), 0)
		case byte:
			body = append(body, v)
		case int16:
			body = binary.BigEndian.AppendUint16(body, uint16(v))
		case int32:
			body = binary.BigEndian.AppendUint32(body, uint32(v))
		case int:
			body = binary.BigEndian.AppendUint32(body, uint32(int32(v)))
		case []byte:
			body = append(body, v...)
		default:
			panic("pgtest: a part of a frame has an unknown type")
		}
	}
	frame := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4))
	return append(frame, body...)
}

// Peek is the kind of the next frame, which stays unread.
func (p *Peer) Peek() byte {
	p.t.Helper()
	if !p.peeked {
		var b [1]byte
		_ = p.conn.SetReadDeadline(time.Now().Add(patience))
		if _, err := io.ReadFull(p.conn, b[:]); err != nil {
			p.t.Fatalf("peek: %v", err)
		}
		p.next, p.peeked = b[0], true
	}
	return p.next
}

// Listen opens a server whose next connection accept returns.
func Listen(t testing.TB) (accept func() *Peer, addr string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	return func() *Peer {
		t.Helper()
		conn, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return On(t, conn)
	}, ln.Addr().String()
}
