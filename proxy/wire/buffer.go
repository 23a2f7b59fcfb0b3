package wire

import "sync"

// Sizes of a relay's buffer in bytes. A connection at rest holds the small
// one; the large one is borrowed while reads fill the small one.
const (
	smallBuffer = 4 << 10
	largeBuffer = 64 << 10
	// maxKept is the most that a relay keeps for what it builds.
	maxKept = 16 << 10
)

// large holds buffers of largeBuffer bytes. It is shared by all connections,
// which is its point; what is in it has no meaning.
var large = sync.Pool{New: func() any { b := make([]byte, largeBuffer); return &b }}

// buffer is a byte slice that grows with what is read into it and goes back to
// the small size when the traffic does.
type buffer struct {
	b        []byte
	borrowed *[]byte // from large, nil while b is small or of a size of its own
	small    []byte
}

// adapt chooses the size for the next read; the buffer must be empty. last is
// how many bytes the previous read gave.
func (b *buffer) adapt(last int) {
	switch {
	case b.borrowed != nil && last >= smallBuffer:
	case b.borrowed == nil && last >= smallBuffer:
		b.borrow()
	case b.small == nil || len(b.b) != smallBuffer:
		b.shrink()
	}
}

// grow makes room for at least one more byte and keeps the first n. It never
// goes over what size bytes need.
func (b *buffer) grow(n, size int) {
	old := b.b
	switch {
	case len(old) < largeBuffer:
		b.borrow()
	default:
		// Doubling: a length that a client claims costs nothing until as many
		// bytes have come.
		b.b = make([]byte, min(2*len(old), max(size, len(old)+1)))
	}
	copy(b.b, old[:n])
	if b.borrowed != nil && len(b.b) != largeBuffer {
		b.giveBack()
	}
}

func (b *buffer) borrow() {
	b.borrowed = large.Get().(*[]byte)
	b.b = *b.borrowed
}

func (b *buffer) shrink() {
	if b.borrowed != nil {
		b.giveBack()
	}
	if b.small == nil {
		b.small = make([]byte, smallBuffer)
	}
	b.b = b.small
}

func (b *buffer) giveBack() {
	large.Put(b.borrowed)
	b.borrowed = nil
}

// release gives everything back; the buffer is empty afterwards.
func (b *buffer) release() {
	if b.borrowed != nil {
		b.giveBack()
	}
	b.b, b.small = nil, nil
}
