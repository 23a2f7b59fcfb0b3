package wire

import (
	"errors"
	"io"
)

// Backlog is what has been written and not been delivered. Nothing more is read
// while any bytes are pending.
type Backlog interface{ Pending() int }

// ErrFull ends a turn because what was written has to be delivered first,
// ErrYield because it has had its share.
var (
	ErrFull  = errors.New("the other side has to take what is pending first")
	ErrYield = errors.New("others have their turn first")
)

// Resume begins a turn that reads about budget bytes. buf has room for several
// TLS records and is the relay's until Park.
func (r *Relay) Resume(buf []byte, budget int) {
	r.lent, r.budget = buf, budget
	if r.own {
		return
	}
	if r.end > smallRun {
		r.buf, r.kept, r.own = r.kept, nil, true
		return
	}
	copy(buf, r.kept)
	r.buf = buf
	if r.kept = r.kept[:0]; cap(r.kept) > maxRest {
		r.kept = nil
	}
}

// Park ends a turn: it writes what passed and gives the buffer back. Between
// turns it does nothing.
func (r *Relay) Park() error {
	if r.lent == nil {
		return nil
	}
	err := r.Flush()
	if err != nil {
		r.run, r.pos, r.end, r.out = 0, 0, 0, nil
	}
	held := r.buf[r.pos:r.end]
	if !r.own {
		r.kept = append(r.kept, held...)
	}
	if r.own = r.own && len(held) > 0; r.own {
		r.buf = r.buf[r.pos:] // with the room behind it: more is to come
	} else {
		r.buf = nil
	}
	r.run, r.pos, r.end = 0, 0, len(held)
	r.lent = nil
	return err
}

// fill reads once. want is how many bytes from pos on the caller will need.
func (r *Relay) fill(want int) error {
	if len(r.buf)-r.end < leastRead || (r.own && r.pos == r.end) {
		if err := r.compact(want); err != nil {
			return err
		}
	}
	return r.read()
}

// compact writes what passed and makes room behind what is undecided.
func (r *Relay) compact(want int) error {
	if err := r.Flush(); err != nil {
		return err
	}
	held := r.end - r.pos
	if copy(r.buf, r.buf[r.pos:r.end]); held == 0 {
		r.buf, r.own = r.lent, false
	}
	r.run, r.pos, r.end = 0, 0, held
	if held == len(r.buf) {
		// Doubling: a length that a client claims costs nothing until as many
		// bytes have come.
		larger := make([]byte, min(2*held, max(want, held+1)))
		copy(larger, r.buf)
		r.buf, r.own = larger, true
	}
	return nil
}

func (r *Relay) read() error {
	if r.budget <= 0 {
		return ErrYield
	}
	if r.backlog != nil && r.backlog.Pending() > 0 {
		return ErrFull
	}
	n, err := r.src.Read(r.buf[r.end:])
	r.end += n
	r.budget -= n
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
		if err := r.fill(0); err != nil {
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
