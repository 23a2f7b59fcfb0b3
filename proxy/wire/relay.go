package wire

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"sync/atomic"
)

// Relay carries the frames of one direction. One goroutine owns it: it reads
// src and is the only writer of dst.
//
// The loop is Next, then exactly one of Pass, Drop or Replace for the frame
// that Next announced. Frames that pass are not copied: a run of them is
// written straight out of the read buffer, at the latest when the next read
// could block, so that one read makes one write.
type Relay struct {
	src io.Reader
	dst io.Writer
	buf buffer

	// buf.b[run:pos] passes and has not been written, buf.b[pos:end] has been
	// read and not been decided.
	run, pos, end int
	// rest is how much of the current frame has not been read yet; it passes,
	// or, with drop, is thrown away, as it comes.
	rest int
	drop bool
	// out is written before buf.b[run:pos]. It holds what was made here and,
	// where that follows passing frames closely, a copy of those.
	out []byte

	broken  bool        // a write has failed
	writing atomic.Bool // a write is under way

	last   int // bytes of the last read
	frames int // since the last call of moved
	moved  func(frames, bytes int)
}

// NewRelay makes the direction from src to dst. buffered is read before src;
// it is what a login has read beyond its end. moved, unless nil, is told of
// every read that follows at least one frame or byte.
func NewRelay(src, dst net.Conn, buffered []byte, moved func(frames, bytes int)) *Relay {
	r := &Relay{src: reader(src), dst: writer(dst), moved: moved}
	if len(buffered) > 0 {
		r.buf.b = slices.Clone(buffered)
		r.end = len(buffered)
	}
	return r
}

// Next announces the next frame. It writes what passed before it would block.
// The error is io.EOF when src ended between frames, io.ErrUnexpectedEOF
// within one, a *Malformed for an impossible length, else src's or dst's own.
func (r *Relay) Next() (Header, error) {
	if r.rest > 0 {
		if err := r.stream(); err != nil {
			return Header{}, err
		}
	}
	if err := r.need(headerSize); err != nil {
		return Header{}, err
	}
	length := int32(binary.BigEndian.Uint32(r.buf.b[r.pos+1:]))
	if length < 4 || length-4 > maxFrame {
		return Header{}, errors.Join(r.Flush(), malformed("invalid message length"))
	}
	r.frames++
	return Header{Type: r.buf.b[r.pos], Size: int(length) - 4}, nil
}

// Pass forwards the frame untouched. What has not been read of it yet is
// forwarded in pieces by the next Next.
func (r *Relay) Pass(h Header) {
	r.rest = r.skip(headerSize + h.Size)
	r.drop = false
}

// Rest says that nothing is expected to follow the last frame soon. The relay
// then waits with the small buffer, unless more has come already.
func (r *Relay) Rest() {
	if r.pos == r.end && r.rest == 0 {
		r.last = 0
	}
}

// Drop throws the frame away.
func (r *Relay) Drop(h Header) error {
	if err := r.cut(); err != nil {
		return err
	}
	r.rest = r.skip(headerSize + h.Size)
	r.drop = true
	r.run = r.pos
	return nil
}

// Replace sends frames that were made here in the frame's place.
func (r *Relay) Replace(h Header, frames []byte) error {
	if err := r.Put(frames); err != nil {
		return err
	}
	return r.Drop(h)
}

// Put sends frames in front of the current one, which is still to be decided.
func (r *Relay) Put(frames []byte) error {
	if err := r.cut(); err != nil {
		return err
	}
	r.out = append(r.out, frames...)
	return nil
}

// Whole returns the frame's body. It is valid until the frame has been
// decided. A body over limit bytes is ErrTooLong, and nothing of it is held.
func (r *Relay) Whole(h Header, limit int) ([]byte, error) {
	if h.Size > limit {
		return nil, ErrTooLong
	}
	return r.Prefix(h, h.Size)
}

// Prefix returns the first n bytes of the frame's body, or all of it where it
// is shorter, on the terms of Whole.
func (r *Relay) Prefix(h Header, n int) ([]byte, error) {
	n = headerSize + min(n, h.Size)
	if err := r.need(n); err != nil {
		return nil, err
	}
	return r.buf.b[r.pos+headerSize : r.pos+n], nil
}

// Flush writes everything that passed or was put.
func (r *Relay) Flush() error {
	if len(r.out) > 0 {
		if r.pos-r.run <= smallBuffer {
			r.out = append(r.out, r.buf.b[r.run:r.pos]...)
			r.run = r.pos
		}
		if err := r.write(r.out); err != nil {
			return err
		}
		if r.out = r.out[:0]; cap(r.out) > maxKept {
			r.out = nil
		}
	}
	if r.run < r.pos {
		if err := r.write(r.buf.b[r.run:r.pos]); err != nil {
			return err
		}
		r.run = r.pos
	}
	return nil
}

// AtRest reports whether nothing is half done: no frame is partly read or
// partly written, and no bytes wait.
func (r *Relay) AtRest() bool {
	return !r.broken && r.rest == 0 && r.pos == r.end && r.run == r.pos && len(r.out) == 0
}

// MidWrite reports whether dst may have got the beginning of a frame and not
// its end: nothing else may be written to it then.
func (r *Relay) MidWrite() bool { return r.broken || (r.rest > 0 && !r.drop) }

// Writing reports whether a write is under way: for how long, the caller knows.
// Anyone may ask.
func (r *Relay) Writing() bool { return r.writing.Load() }

// Release gives the buffers back. The relay can't be used afterwards.
func (r *Relay) Release() {
	r.buf.release()
	r.out = nil
	r.run, r.pos, r.end = 0, 0, 0
}

// write refuses to go on after a failure: what follows would begin in the
// middle of a frame.
func (r *Relay) write(b []byte) error {
	if r.broken {
		return &WriteError{net.ErrClosed}
	}
	r.writing.Store(true)
	_, err := r.dst.Write(b)
	r.writing.Store(false)
	if err != nil {
		r.broken = true
		return &WriteError{err}
	}
	return nil
}

// skip moves pos over n bytes and returns how many of them are still to come.
func (r *Relay) skip(n int) int {
	here := min(n, r.end-r.pos)
	r.pos += here
	return n - here
}

// cut ends the run of passing bytes before pos, so that something else can
// follow it: a short run is copied to out, a long one written.
func (r *Relay) cut() error {
	if r.pos-r.run > smallBuffer {
		return r.Flush()
	}
	r.out = append(r.out, r.buf.b[r.run:r.pos]...)
	r.run = r.pos
	return nil
}

// need reads until n bytes of the frame at pos are in the buffer.
func (r *Relay) need(n int) error {
	for r.end-r.pos < n {
		if err := r.fill(n); err != nil {
			if err == io.EOF && r.end > r.pos {
				return io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}

// fill writes what is due and then reads once. want is how many bytes from
// pos on the caller will need.
func (r *Relay) fill(want int) error {
	if err := r.Flush(); err != nil {
		return err
	}
	held := r.end - r.pos
	switch {
	case held == 0:
		r.buf.adapt(r.last)
	case r.pos > 0:
		copy(r.buf.b, r.buf.b[r.pos:r.end])
	}
	r.run, r.pos, r.end = 0, 0, held
	if held == len(r.buf.b) {
		r.buf.grow(held, want)
	}
	return r.read()
}

func (r *Relay) read() error {
	n, err := r.src.Read(r.buf.b[r.end:])
	r.end += n
	r.last = n
	if n > 0 {
		if r.moved != nil {
			r.moved(r.frames, n)
			r.frames = 0
		}
		return nil // an error that came with bytes comes again
	}
	return err // none: nothing came, and the caller tries again
}

// stream carries the rest of a frame that is larger than what was read of it.
func (r *Relay) stream() error {
	for r.rest > 0 {
		if err := r.Flush(); err != nil {
			return err
		}
		r.buf.adapt(r.last)
		r.run, r.pos, r.end = 0, 0, 0
		if err := r.read(); err != nil {
			if err == io.EOF {
				return io.ErrUnexpectedEOF
			}
			return err
		}
		r.rest = r.skip(r.rest)
		if r.drop {
			r.run = r.pos
		}
	}
	return nil
}

// WriteError marks an error of the writing side, so that a loop can say which
// of its two connections failed.
type WriteError struct {
	Err error
}

// Error is the connection's own text.
func (w *WriteError) Error() string { return w.Err.Error() }

// Unwrap gives the connection's error.
func (w *WriteError) Unwrap() error { return w.Err }
