package wire_test

import (
	"bytes"
	"testing"

	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/wire"
)

func TestExecution(t *testing.T) {
	bind, describe, execute, sync := pgtest.Bind("", "", "1"), pgtest.Describe('P', ""), pgtest.Execute("", 5), pgtest.Sync()
	for _, c := range []struct {
		name   string
		frames [][]byte
		want   bool
	}{
		{"whole", [][]byte{bind, describe, execute, sync}, true},
		{"not described", [][]byte{bind, execute, sync}, true},
		{"nothing", nil, false},
		{"no Sync", [][]byte{bind, describe, execute}, false},
		{"half a Sync", [][]byte{bind, describe, execute, sync[:4]}, false},
		{"half a Bind", [][]byte{bind[:7]}, false},
		{"something behind", [][]byte{bind, describe, execute, sync, pgtest.Flush()}, false},
		{"a Flush between", [][]byte{bind, describe, pgtest.Flush(), execute, sync}, false},
		{"two executions", [][]byte{bind, execute, execute, sync}, false},
		{"the statement described", [][]byte{bind, pgtest.Describe('S', ""), execute, sync}, false},
		{"a named statement", [][]byte{pgtest.Bind("", "s"), execute, sync}, false},
		{"a named portal", [][]byte{pgtest.Bind("p", ""), execute, sync}, false},
		{"another's portal", [][]byte{bind, pgtest.Execute("p", 0), sync}, false},
		{"another's portal described", [][]byte{bind, pgtest.Describe('P', "p"), execute, sync}, false},
		{"impossible lengths", [][]byte{{wire.Bind, 0xff, 0xff, 0xff, 0xff, 0, 0}, execute, sync}, false},
		{"length of nothing", [][]byte{{wire.Bind, 0, 0, 0, 0, 0, 0}, execute, sync}, false},
	} {
		if got := wire.Execution(bytes.Join(c.frames, nil)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// FuzzExecution: whatever is said to be one execution is that, frame by frame.
func FuzzExecution(f *testing.F) {
	f.Add(bytes.Join([][]byte{pgtest.Bind("", "", "1"), pgtest.Describe('P', ""), pgtest.Execute("", 5), pgtest.Sync()}, nil))
	f.Add([]byte{wire.Bind, 0, 0, 0, 4})
	f.Fuzz(func(t *testing.T, b []byte) {
		if !wire.Execution(b) {
			return
		}
		kinds := ""
		for r := bytes.NewReader(b); r.Len() > 0; {
			kind, _, err := wire.ReadMessage(r, len(b))
			if err != nil {
				t.Fatal(err)
			}
			kinds += string(kind)
		}
		if kinds != "BDES" && kinds != "BES" {
			t.Fatalf("%q", kinds)
		}
	})
}
