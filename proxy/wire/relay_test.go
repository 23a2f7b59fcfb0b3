package wire_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgask/pgask/proxy/wire"
)

// pieces is a connection that gives its input in pieces, and keeps what is
// written to it.
type pieces struct {
	net.Conn
	in     []byte
	next   func(have int) int
	out    bytes.Buffer
	writes int
	full   int // how often Pending still says so
}

// Pending is nonzero once after every write.
func (p *pieces) Pending() int {
	if p.full == 0 {
		return 0
	}
	p.full--
	return 1
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.in) == 0 {
		return 0, io.EOF
	}
	most := p.next(len(p.in))
	if most == 0 {
		return 0, errNothing
	}
	n := copy(b[:min(len(b), most)], p.in)
	p.in = p.in[n:]
	return n, nil
}

func (p *pieces) Write(b []byte) (int, error) {
	p.writes++
	p.full = 1
	return p.out.Write(b)
}

func whole(have int) int { return have }

// TestBehind: what has been read behind a frame that was announced, if that has
// been read whole.
func TestBehind(t *testing.T) {
	in := append(frame('a', []byte("body")), frame('b', nil)...)
	for _, c := range []struct {
		read int
		want string
	}{{5, ""}, {9, ""}, {10, "b"}, {14, "b\x00\x00\x00\x04"}} {
		r := wire.NewRelay(&pieces{in: in, next: func(int) int { return c.read }}, io.Discard, nil, nil, nil)
		r.Resume(make([]byte, 64<<10), 1<<20)
		h, err := r.Next()
		if got := string(r.Behind(h)); err != nil || got != c.want {
			t.Errorf("of %d bytes: %q, %v", c.read, got, err)
		}
	}
}

func frame(kind byte, body []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4)), body...)
}

// handle does with a frame what its kind says.
func handle(r *wire.Relay, h wire.Header) error {
	switch h.Type {
	case 'x': // dropped
		return r.Drop(h)
	case 'r': // replaced
		return r.Replace(h, frame('R', []byte("replacement")))
	case 'b': // something in front
		if err := r.Put(frame('N', []byte("notice"))); err != nil {
			return err
		}
	case 'w': // read whole, and turned round where it isn't too long
		body, err := r.Whole(h, 100_000)
		if errors.Is(err, wire.ErrTooLong) {
			break
		}
		if err != nil {
			return err
		}
		return r.Replace(h, frame('W', reversed(body)))
	case 'p': // looked at
		if _, err := r.Prefix(h, 100); err != nil {
			return err
		}
	}
	r.Pass(h)
	return nil
}

// expected is what handle makes of a frame.
func expected(kind byte, body []byte) []byte {
	switch {
	case kind == 'x':
		return nil
	case kind == 'r':
		return frame('R', []byte("replacement"))
	case kind == 'b':
		return append(frame('N', []byte("notice")), frame(kind, body)...)
	case kind == 'w' && len(body) <= 100_000:
		return frame('W', reversed(body))
	}
	return frame(kind, body)
}

func reversed(b []byte) []byte {
	r := bytes.Clone(b)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return r
}

// relayAll runs turns to the end of the input.
func relayAll(src, dst *pieces, buffered []byte) error {
	r := wire.NewRelay(src, dst, dst, buffered, nil)
	buf := make([]byte, 64<<10)
	for {
		r.Resume(buf, 100_000)
		err := turn(r)
		if e := r.Park(); e != nil {
			return e
		}
		for i := range 300 {
			buf[i] = 0xee // somebody else has it
		}
		if err != errNothing && err != wire.ErrYield && err != wire.ErrFull {
			return err
		}
	}
}

// errNothing is what pieces say when they have nothing yet.
var errNothing = errors.New("nothing")

func turn(r *wire.Relay) error {
	for {
		h, err := r.Next()
		if err != nil {
			return err
		}
		if err := handle(r, h); err != nil {
			return err
		}
	}
}

// TestPieces: whatever the pieces that frames arrive in, the same goes out.
func TestPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var in, want []byte
		for range rapid.IntRange(1, 30).Draw(t, "frames") {
			kind := rapid.SampledFrom([]byte("DDDDDxrbwp")).Draw(t, "kind")
			size := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(4000, 4200), rapid.IntRange(65_000, 66_000), rapid.IntRange(0, 300_000)).Draw(t, "size")
			body := bytes.Repeat([]byte{byte(size), byte(size >> 8), 7}, size/3+1)[:size]
			in = append(in, frame(kind, body)...)
			want = append(want, expected(kind, body)...)
		}
		most := rapid.SampledFrom([]int{5, 100, 5000, 70_000, 1 << 20}).Draw(t, "piece")
		random := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		split := rapid.IntRange(0, min(len(in), 9000)).Draw(t, "buffered")
		src, dst := &pieces{in: in[split:], next: func(int) int { return random.IntN(most) }}, &pieces{}
		if err := relayAll(src, dst, in[:split]); err != io.EOF {
			t.Fatalf("ended with %v", err)
		}
		if !bytes.Equal(dst.out.Bytes(), want) {
			t.Fatalf("%d bytes came out, want %d", dst.out.Len(), len(want))
		}
	})
}

// TestDripped: a long statement that comes a little at a time is not copied for
// every piece of it.
func TestDripped(t *testing.T) {
	in, reads := frame('w', make([]byte, 99_000)), 0
	dripping := func(have int) int { // every other read finds nothing
		reads++
		return min(500, have) * (reads % 2)
	}
	var err error
	allocated := testing.AllocsPerRun(1, func() { err = relayAll(&pieces{in: in, next: dripping}, &pieces{}, nil) })
	if err != io.EOF {
		t.Fatal(err)
	}
	if allocated > 40 { // 200 pieces
		t.Errorf("%v allocations", allocated)
	}
}

// TestOneWrite: one turn makes one write, whatever happened to its frames.
func TestOneWrite(t *testing.T) {
	for _, kinds := range []string{"DDDDDDDDDDDDDDDDDDDD", "PBDES", "wBDES", "DDrDbDxD"} {
		var in []byte
		for _, k := range []byte(kinds) {
			in = append(in, frame(k, []byte("some bytes"))...)
		}
		src, dst := &pieces{in: in, next: whole}, &pieces{}
		if err := relayAll(src, dst, nil); err != io.EOF {
			t.Fatal(err)
		}
		if dst.writes != 1 {
			t.Errorf("%s: %d writes", kinds, dst.writes)
		}
	}
}

func TestEnds(t *testing.T) {
	ok := frame('D', []byte("row"))
	tests := []struct {
		name string
		in   []byte
		out  int
		want error
	}{
		{"between frames", ok, len(ok), io.EOF},
		{"in a header", append(bytes.Clone(ok), 'D', 0), len(ok), io.ErrUnexpectedEOF},
		{"in a body", ok[:6], 6, io.ErrUnexpectedEOF},
		{"nothing", nil, 0, io.EOF},
	}
	for _, test := range tests {
		src, dst := &pieces{in: test.in, next: whole}, &pieces{}
		if err := relayAll(src, dst, nil); err != test.want {
			t.Errorf("%s: %v", test.name, err)
		}
		if dst.out.Len() != test.out {
			t.Errorf("%s: %d bytes went out", test.name, dst.out.Len())
		}
	}
}

func TestImpossibleLengths(t *testing.T) {
	for _, n := range []uint32{0, 1, 3, 1<<30 + 4, 1 << 31, 1<<32 - 1} {
		src, dst := &pieces{in: binary.BigEndian.AppendUint32([]byte{'Q'}, n), next: whole}, &pieces{}
		var bad *wire.Malformed
		if err := relayAll(src, dst, nil); !errors.As(err, &bad) || bad.SQLState() != "08P01" {
			t.Errorf("%d: %v", n, err)
		}
		if dst.out.Len() != 0 {
			t.Errorf("%d: %d bytes went out", n, dst.out.Len())
		}
	}
}

// FuzzRelay: any bytes in any pieces give what they give in one piece, and no
// frame goes out that did not come in.
func FuzzRelay(f *testing.F) {
	f.Add(append(frame('Q', []byte("select 1\x00")), frame('x', nil)...), uint8(1))
	f.Add([]byte("w\x00\x00\x00\x04p\x7f\xff\xff\xff"), uint8(3))
	f.Fuzz(func(t *testing.T, in []byte, size uint8) {
		one, many := &pieces{}, &pieces{}
		err1 := relayAll(&pieces{in: in, next: whole}, one, nil)
		err2 := relayAll(&pieces{in: in, next: func(int) int { return int(size%16) + 1 }}, many, nil)
		if (err1 == nil) != (err2 == nil) || err1.Error() != err2.Error() {
			t.Fatalf("ends differ: %v, %v", err1, err2)
		}
		if !bytes.Equal(one.out.Bytes(), many.out.Bytes()) {
			t.Fatalf("%q\n%q", one.out.Bytes(), many.out.Bytes())
		}
	})
}

// endless gives the same bytes for ever.
type endless struct {
	net.Conn
	chunk []byte
	at    int
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.chunk[e.at:])
	e.at = (e.at + n) % len(e.chunk)
	return n, nil
}

func (e *endless) Write(b []byte) (int, error) { return len(b), nil }

// BenchmarkPass is the hot path: frames that pass. It must not allocate.
func BenchmarkPass(b *testing.B) {
	for name, size := range map[string]int{"100B": 95, "1KiB": 1019} {
		b.Run(name, func(b *testing.B) {
			chunk := bytes.Repeat(frame('D', make([]byte, size)), 65536/(size+5))
			r := wire.NewRelay(&endless{chunk: chunk}, &endless{}, nil, nil, nil)
			r.Resume(make([]byte, 64<<10), math.MaxInt)
			b.SetBytes(int64(size + 5))
			b.ReportAllocs()
			for b.Loop() {
				h, err := r.Next()
				if err != nil {
					b.Fatal(err)
				}
				r.Pass(h)
			}
		})
	}
}

// BenchmarkWhole is a statement that is read and forwarded.
func BenchmarkWhole(b *testing.B) {
	chunk := frame('Q', append(bytes.Repeat([]byte("x"), 300), 0))
	r := wire.NewRelay(&endless{chunk: chunk}, &endless{}, nil, nil, nil)
	r.Resume(make([]byte, 64<<10), math.MaxInt)
	b.ReportAllocs()
	for b.Loop() {
		h, err := r.Next()
		if err != nil {
			b.Fatal(err)
		}
		body, err := r.Whole(h, 1<<20)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := wire.QueryText(body); err != nil {
			b.Fatal(err)
		}
		r.Pass(h)
	}
}
