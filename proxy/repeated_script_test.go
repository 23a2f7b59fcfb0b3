package proxy_test

import (
	"strings"
	"testing"

	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/wire"
)

// repeating logs a client in whose texts are executed by prepared statements.
func repeating(t *testing.T) (client, backend *pgtest.Peer) {
	client, backend, _ = session(t, repeater().(*decider))
	return client, backend
}

// bound answers what is sent until it is bound: kinds are the frames, of which
// the Parse and the Bind name the same statement of ours.
func bound(t *testing.T, backend *pgtest.Peer, kinds string) (name string) {
	t.Helper()
	for i, body := range backend.Expect(kinds) {
		switch kinds[i] {
		case wire.Parse:
			p, err := wire.ParseParse(body)
			if err != nil || !strings.HasPrefix(string(p.Name), "pgask_") || string(p.Text) != "select 1" {
				t.Fatalf("%q %v", body, err)
			}
			name = string(p.Name)
		case wire.Bind:
			portal, statement, _ := wire.BindNames(body)
			if len(portal) > 0 || name != "" && string(statement) != name {
				t.Fatalf("%q of %q", portal, statement)
			}
			name = string(statement)
		}
	}
	return name
}

func oneRow() [][]byte {
	return [][]byte{pgtest.Columns("a"), pgtest.Row("1"), pgtest.Complete("SELECT 1"), pgtest.Ready('I')}
}

func TestRepeatedQuery(t *testing.T) {
	client, backend := repeating(t)
	client.Send(pgtest.Query("select 1"))
	first := bound(t, backend, "PBDES")
	backend.Send(append([][]byte{pgtest.Frame(wire.ParseComplete), pgtest.Frame(wire.BindComplete)}, oneRow()...)...)
	client.Expect("TDCZ")
	client.Send(pgtest.Query("select 1"))
	if again := bound(t, backend, "BDES"); again != first {
		t.Errorf("%s, then %s", first, again)
	}
	// What comes behind waits until it is bound.
	client.Send(pgtest.Query("select 2; select 3"))
	backend.Send(pgtest.Frame(wire.BindComplete))
	backend.Expect("Q")
	backend.Send(oneRow()...)
	client.Expect("TDCZ")
	backend.Send(append(oneRow()[:3], oneRow()...)...)
	client.Expect("TDCTDCZ")
	// In a transaction each is sent as it is.
	client.Send(pgtest.Query("begin"))
	backend.Expect("Q")
	backend.Send(pgtest.Complete("BEGIN"), pgtest.Ready('T'))
	client.Expect("CZ")
	client.Send(pgtest.Query("select 1"))
	backend.Expect("Q")
}

// TestRepeatedRetry: what fails because it was prepared is sent as it came, and the
// client hears of that alone. What fails otherwise is the client's to hear.
func TestRepeatedRetry(t *testing.T) {
	batch := [][]byte{pgtest.Parse("", "select 1"), pgtest.Bind("", ""), pgtest.Describe('P', ""), pgtest.Execute("", 0), pgtest.Sync()}
	for _, c := range []struct {
		code  string
		again bool
	}{{"0A000", true}, {"26000", true}, {"42P01", true}, {"22P02", true}, {"57014", false}, {"53200", false}} {
		t.Run(c.code, func(t *testing.T) {
			client, backend := repeating(t)
			client.Send(pgtest.Query("select 1"))
			bound(t, backend, "PBDES")
			backend.Send(pgtest.Frame(wire.ParseComplete), pgtest.Error("ERROR", c.code, "no"), pgtest.Ready('I'))
			if c.again {
				if text := backend.Expect("Q")[0]; string(text) != "select 1\x00" {
					t.Fatalf("%q", text)
				}
				backend.Send(oneRow()...)
				client.Expect("TDCZ")
			} else {
				client.ExpectError(c.code)
				client.Expect("Z")
			}
			// The statement may be there, and is closed.
			client.Send(batch...)
			bound(t, backend, "CPBDES")
			backend.Send(pgtest.Frame(wire.CloseComplete), pgtest.Error("ERROR", c.code, "no"), pgtest.Ready('I'))
			if c.again {
				backend.Expect("PBDES")
				backend.Send(pgtest.Error("ERROR", "42601", "no"), pgtest.Ready('I'))
				client.ExpectError("42601")
			} else {
				client.Expect("1")
				client.ExpectError(c.code)
			}
			client.Expect("Z")
		})
	}
}

// TestRepeatedDenied: an execution that is refused in a batch is not sent once
// more, whatever Postgres says of what came before it.
func TestRepeatedDenied(t *testing.T) {
	word := "denied_00000000000000000000000000000000"
	d := repeater().(*decider)
	d.execute = func() *pipeline.Denial { return &pipeline.Denial{Word: word, Err: refused{}} }
	d.bind = func(*pipeline.Decision) pipeline.Binding { return pipeline.Binding{Run: capped(10, nil)} }
	client, backend, _ := session(t, d)
	client.Send(pgtest.Parse("", "select 1"), pgtest.Bind("", ""), pgtest.Execute("", 0), pgtest.Sync())
	bound(t, backend, "PB")
	if portal := backend.Expect("ES")[0]; !strings.HasPrefix(string(portal), word) {
		t.Fatalf("%q", portal)
	}
	backend.Send(pgtest.Frame(wire.ParseComplete), pgtest.Error("ERROR", "0A000", "cached plan must not change result type"), pgtest.Ready('I'))
	client.Expect("1")
	client.ExpectError("0A000")
	client.Expect("Z")
	client.Send(pgtest.Query("select 1; select 2"))
	backend.Expect("Q")
}

// TestRepeatedLost: a backend's last word is passed on.
func TestRepeatedLost(t *testing.T) {
	client, backend := repeating(t)
	client.Send(pgtest.Query("select 1"))
	bound(t, backend, "PBDES")
	backend.Send(pgtest.Error("FATAL", "57P01", "terminating connection due to administrator command"))
	backend.Hangup()
	client.ExpectError("57P01")
	client.ExpectEnd()
}
