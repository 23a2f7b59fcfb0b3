package pool

import (
	"bytes"
	"io"
	"maps"
	"testing"
	"testing/iotest"

	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/wire"
)

// outcome reads replies to a reset to its end.
func outcome(status byte, from io.Reader) (ok bool, left string, params map[string]string) {
	b := &Backend{TxStatus: status, ParameterStatuses: map[string]string{}}
	r := newReset(b)
	for {
		done, err := r.read(from)
		if err != nil || done {
			return done, string(r.in), b.ParameterStatuses
		}
	}
}

// FuzzReset: however replies are cut into reads, they are understood the same,
// and a reset that counts as done was confirmed word for word.
func FuzzReset(f *testing.F) {
	discarded := append(pgtest.Complete("DISCARD ALL"), pgtest.Ready('I')...)
	f.Add(byte('I'), discarded)
	f.Add(byte('T'), append(append(pgtest.Complete("ROLLBACK"), pgtest.Ready('I')...), discarded...))
	f.Add(byte('I'), append(pgtest.Frame(wire.ParameterStatus, "DateStyle", "ISO"), discarded...))
	f.Add(byte('E'), pgtest.Error("ERROR", "25001", "no"))
	f.Add(byte('I'), []byte("C\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, status byte, replies []byte) {
		ok, left, params := outcome(status, bytes.NewReader(replies))
		again, rest, same := outcome(status, iotest.OneByteReader(bytes.NewReader(replies)))
		// A single byte is never read ahead; a large read may see what is wrong
		// behind the end.
		if ok && (!again || rest != "" || !maps.Equal(params, same)) {
			t.Errorf("whole: %v, left %q, %v; byte by byte: %v, left %q, %v", ok, left, params, again, rest, same)
		}
		want := [][]byte{pgtest.Complete("DISCARD ALL"), pgtest.Ready('I')}
		if status != 'I' {
			want = append(want, pgtest.Complete("ROLLBACK"))
		}
		for _, frame := range want {
			if ok && !bytes.Contains(replies, frame) {
				t.Errorf("done without %q", frame)
			}
		}
	})
}
