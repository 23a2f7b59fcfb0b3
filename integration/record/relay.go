package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// patience is how long Close waits for connections to end by themselves.
const patience = 20 * time.Second

// Relay passes connections on to a server.
type Relay struct {
	// Addr is where clients connect.
	Addr string

	to string
	ln net.Listener
	wg sync.WaitGroup

	mu       sync.Mutex
	sessions []*Session // guarded by mu
	errs     []error    // guarded by mu
	open     map[net.Conn]bool
}

// Session is one connection.
type Session struct {
	mu      sync.Mutex
	frames  []Frame // guarded by mu
	answers int     // guarded by mu: encryption requests that have no answer yet
	// typed: the client's start-up packet has come. All that follows has a type.
	typed bool // guarded by mu
}

// Listen starts a relay to a server's TCP address. Close ends it.
func Listen(to string) (*Relay, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Relay{Addr: ln.Addr().String(), to: to, ln: ln, open: map[net.Conn]bool{}}
	r.wg.Go(r.accept)
	return r, nil
}

// Close waits for the connections to end and returns what could not be read as
// frames, or could not be passed on.
func (r *Relay) Close() error {
	_ = r.ln.Close()
	late := time.AfterFunc(patience, r.cut)
	defer late.Stop()
	r.wg.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.errs...)
}

// cut closes what is still open.
func (r *Relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for conn := range r.open {
		_ = conn.Close()
	}
	if len(r.open) > 0 {
		r.errs = append(r.errs, errors.New("record: a connection did not end"))
	}
}

// Sessions are the connections in the order in which they were made. Close
// comes first.
func (r *Relay) Sessions() []*Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sessions
}

// Frames are all frames in the order in which the relay heard them: whoever
// plays them again in this order, each after those before it, waits for nothing
// that can't come.
func (s *Session) Frames() []Frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frames
}

// From is what one side said.
func (s *Session) From(side Side) []Frame {
	var out []Frame
	for _, f := range s.Frames() {
		if f.From == side {
			out = append(out, f)
		}
	}
	return out
}

// IsCancel tells a connection that only asked to cancel another.
func (s *Session) IsCancel() bool {
	for _, f := range s.From(Client) {
		if f.IsCancel() {
			return true
		}
	}
	return false
}

func (r *Relay) accept() {
	for {
		client, err := r.ln.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", r.to)
		if err != nil {
			r.fail(err)
			_ = client.Close()
			continue
		}
		s := &Session{}
		r.mu.Lock()
		r.sessions = append(r.sessions, s)
		r.open[client], r.open[server] = true, true
		r.mu.Unlock()
		r.wg.Go(func() {
			var both sync.WaitGroup
			both.Go(func() { r.pass(s, Client, client, server) })
			both.Go(func() { r.pass(s, Server, server, client) })
			both.Wait()
			r.forget(client, server)
		})
	}
}

func (r *Relay) forget(conns ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, conn := range conns {
		_ = conn.Close()
		delete(r.open, conn)
	}
}

func (r *Relay) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errs = append(r.errs, fmt.Errorf("record: %w", err))
}

// pass copies one direction until its end, which it passes on too. Frames that
// arrived together leave together.
func (r *Relay) pass(s *Session, side Side, from, to net.Conn) {
	in, out := bufio.NewReaderSize(from, 64<<10), bufio.NewWriterSize(to, 64<<10)
	for {
		f, err := s.read(in, side)
		if err == nil {
			s.keep(f)
			_, err = out.Write(f.Bytes())
		}
		if err == nil && in.Buffered() == 0 {
			err = out.Flush()
		}
		if err == nil {
			continue
		}
		if !ended(err) {
			r.fail(fmt.Errorf("%c: %w", side, err))
		}
		_ = out.Flush()
		if end, ok := to.(*net.TCPConn); ok {
			_ = end.CloseWrite()
		}
		return
	}
}

// ended tells the end of a connection from a fault of the protocol.
func ended(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.As(err, &op)
}

func (s *Session) read(in *bufio.Reader, side Side) (Frame, error) {
	if side == Client {
		return Read(in, side, s.started())
	}
	if _, err := in.Peek(1); err != nil {
		return Frame{}, err
	}
	if s.answered() {
		b, err := in.ReadByte()
		return Frame{Server, Answer, []byte{b}}, err
	}
	return Read(in, side, true)
}

func (s *Session) started() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.typed
}

// answered takes one encryption request off those without an answer.
func (s *Session) answered() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answers == 0 {
		return false
	}
	s.answers--
	return true
}

func (s *Session) keep(f Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case f.IsEncryption():
		s.answers++
	case f.Kind == Initial:
		s.typed = true
	}
	s.frames = append(s.frames, f)
}
