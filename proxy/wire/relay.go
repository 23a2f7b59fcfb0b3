package wire

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
)

// Relay carries the frames of one direction. One goroutine at a time uses it,
// and it is the only writer of dst.
//
// A turn begins with Resume and ends with Park. In between comes Next, and then
// exactly one of Pass, Drop or Replace for the frame that Next announced, again
// and again until an error. Where src has nothing more to give that is src's
// own, and the next turn goes on behind it. A frame that was announced and not
// decided is announced again.
//
// Frames that pass are not copied: a run of them is written straight out of the
// read buffer, when that is full, or at the end of the turn. Between turns the
// relay holds nothing but the beginning of a frame.
type Relay struct {
	src     io.Reader
	dst     io.Writer
	backlog Backlog // of dst

	// buf is lent for a turn or, for a frame that has to be read whole and
	// doesn't fit, the relay's own. buf[run:pos] passes and has not been written,
	// buf[pos:end] has been read and not been decided.
	buf           []byte
	lent          []byte // nil between turns
	own           bool
	run, pos, end int
	// rest is how much of the current frame has not been read yet; it passes,
	// or, with drop, is thrown away, as it comes.
	rest int
	drop bool
	// out is written before buf[run:pos]. It holds what was made here and,
	// where that follows passing frames closely, a copy of those.
	out []byte
	// kept is what the last turn has left undecided, unless that is in buf.
	kept []byte

	broken bool // a write has failed
	budget int  // bytes that this turn may still read
	frames int  // since the last call of moved
	moved  func(frames, bytes int)
}

// Sizes in bytes.
const (
	// smallRun is what is copied rather than written on its own.
	smallRun = 4 << 10
	// leastRead is the room that a read gets: a TLS record.
	leastRead = 16 << 10
	// maxKept is the most that a relay keeps for what it builds, maxRest for
	// what turns leave over.
	maxKept = 16 << 10
	maxRest = 1 << 10
)

// NewRelay makes the direction from src to dst. buffered is read before src; it
// is what a login has read beyond its end. backlog may be nil. moved, unless
// nil, is told of every read.
func NewRelay(src io.Reader, dst io.Writer, backlog Backlog, buffered []byte, moved func(frames, bytes int)) *Relay {
	return &Relay{src: src, dst: dst, backlog: backlog, moved: moved, kept: slices.Clone(buffered), end: len(buffered)}
}

// Next announces the next frame.
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
	length := int32(binary.BigEndian.Uint32(r.buf[r.pos+1:]))
	if length < 4 || length-4 > maxFrame {
		return Header{}, errors.Join(r.Flush(), malformed("invalid message length"))
	}
	return Header{Type: r.buf[r.pos], Size: int(length) - 4}, nil
}

// Pass forwards the frame untouched. What has not been read of it yet is
// forwarded in pieces by the next Next.
func (r *Relay) Pass(h Header) {
	r.frames++
	r.rest = r.skip(headerSize + h.Size)
	r.drop = false
}

// Drop throws the frame away.
func (r *Relay) Drop(h Header) error {
	if err := r.cut(); err != nil {
		return err
	}
	r.frames++
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

// Rewrite passes the frame with other bytes in place of the first n of its body,
// which Prefix has returned.
func (r *Relay) Rewrite(h Header, n int, with []byte) error {
	size := h.Size - n + len(with)
	if size > maxFrame {
		return ErrUnfit
	}
	if err := r.cut(); err != nil {
		return err
	}
	r.out = binary.BigEndian.AppendUint32(append(r.out, h.Type), uint32(size+4))
	r.out = append(r.out, with...)
	r.frames++
	r.pos += headerSize + n
	r.run = r.pos
	r.rest, r.drop = r.skip(h.Size-n), false
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
	return r.buf[r.pos+headerSize : r.pos+n], nil
}

// Behind is what has been read already behind the frame that was announced, on
// the terms of Whole: nothing where that frame has not been read whole.
func (r *Relay) Behind(h Header) []byte {
	end := r.pos + headerSize + h.Size
	if end > r.end {
		return nil
	}
	return r.buf[end:r.end]
}

// Flush writes everything that passed or was put.
func (r *Relay) Flush() error {
	if len(r.out) > 0 {
		if r.pos-r.run <= smallRun {
			r.out = append(r.out, r.buf[r.run:r.pos]...)
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
		if err := r.write(r.buf[r.run:r.pos]); err != nil {
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

// Settled reports whether nothing has gone to dst by halves. What has been read
// and is undecided doesn't count.
func (r *Relay) Settled() bool {
	return !r.broken && (r.rest == 0 || r.drop) && r.run == r.pos && len(r.out) == 0
}

// From gives a relay at rest another source, of which something has been read
// already. To gives it another sink.
func (r *Relay) From(src io.Reader, buffered []byte) {
	r.src = src
	r.kept, r.end = append(r.kept[:0], buffered...), len(buffered)
}

// To gives a relay that is settled another sink.
func (r *Relay) To(dst io.Writer, backlog Backlog) { r.dst, r.backlog = dst, backlog }

// MidWrite reports whether dst may have got the beginning of a frame and not
// its end: nothing else may be written to it then.
func (r *Relay) MidWrite() bool { return r.broken || (r.rest > 0 && !r.drop) }

// write refuses to go on after a failure: what follows would begin in the
// middle of a frame.
func (r *Relay) write(b []byte) error {
	if r.broken {
		return &WriteError{net.ErrClosed}
	}
	if _, err := r.dst.Write(b); err != nil {
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
	if r.pos-r.run > smallRun {
		return r.Flush()
	}
	r.out = append(r.out, r.buf[r.run:r.pos]...)
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

// WriteError marks an error of the writing side, so that a loop can say which
// of its two connections failed.
type WriteError struct {
	Err error
}

// Error is the connection's own text.
func (w *WriteError) Error() string { return w.Err.Error() }

// Unwrap gives the connection's error.
func (w *WriteError) Unwrap() error { return w.Err }
