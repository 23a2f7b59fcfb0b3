package proxy_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
)

// told makes a Run whose row is told.
func told(t pipeline.Teller) *pipeline.Run {
	r := capped(10, nil)
	of := reflect.ValueOf(r).Elem().FieldByName("of")
	verdict := reflect.New(of.Type().Elem())
	put(verdict.Elem().FieldByName("teller"), reflect.ValueOf(t))
	put(of, verdict)
	return r
}

// tale starts a session every Query of which gathers a value that the teller tells.
func tale(t *testing.T, sql string, tell pipeline.Teller) (*pgtest.Peer, pgtest.Key, string) {
	t.Helper()
	db := postgres.ForTest(t).CreateDatabase(t)
	_, addr := serve(t, proxy.Options{Gate: realBackend(t, db, func() proxy.Decider {
		return &decider{governed: true, query: func(_ context.Context, text string) pipeline.Decision {
			if !strings.HasPrefix(text, "tell") {
				return pipeline.Decision{Text: text, Runs: []*pipeline.Run{nil}}
			}
			return pipeline.Decision{Text: sql, Runs: []*pipeline.Run{told(tell)}}
		}}
	})})
	c := pgtest.Dial(t, addr)
	return c, c.Login(password, "user", "ana", "database", db), addr
}

// TestTale: the row is replaced, whatever its length, and what was sent behind it comes
// behind it.
func TestTale(t *testing.T) {
	for name, size := range map[string]string{"short": "1", "long": "300000"} {
		c, _, _ := tale(t, "select repeat('x', "+size+") as answer", func(_ context.Context, gathered []byte) (pipeline.Tale, error) {
			return pipeline.Tale{Text: []byte(strings.ToUpper(string(gathered[:1])) + " of many"), Rows: int64(len(gathered))}, nil
		})
		c.Send(pgtest.Query("tell"), pgtest.Query("select 'behind'"))
		if got, _ := heard(c); got != "X of many" {
			t.Errorf("%s: %q", name, got)
		}
		if got, _ := heard(c); got != "behind" {
			t.Errorf("%s, behind it: %q", name, got)
		}
	}
}

// TestTaleCancelled: a cancel request ends the context that a tale is made under.
func TestTaleCancelled(t *testing.T) {
	waiting := make(chan struct{})
	c, key, addr := tale(t, "select 'x' as answer", func(ctx context.Context, _ []byte) (pipeline.Tale, error) {
		close(waiting)
		<-ctx.Done()
		return pipeline.Tale{Text: []byte("without")}, nil
	})
	c.Send(pgtest.Query("tell"))
	<-waiting
	canceller := pgtest.Dial(t, addr)
	canceller.Send(pgtest.Cancel(key))
	canceller.ExpectEnd()
	if got, _ := heard(c); got != "without" {
		t.Errorf("%q", got)
	}
}

// TestTaleFails: what goes wrong inside ends the session, and says nothing of itself.
func TestTaleFails(t *testing.T) {
	for name, tell := range map[string]pipeline.Teller{
		"an error": func(context.Context, []byte) (pipeline.Tale, error) { return pipeline.Tale{}, errors.New("secret") },
		"a panic":  func(context.Context, []byte) (pipeline.Tale, error) { panic("secret") },
	} {
		c, _, _ := tale(t, "select 'x' as answer", tell)
		c.Send(pgtest.Query("tell"))
		c.Expect("T")
		if r := c.ExpectError("XX000"); strings.Contains(r.Message, "secret") {
			t.Errorf("%s: %q", name, r.Message)
		}
		c.ExpectEnd()
	}
	c, _, _ := tale(t, "select 'x' as answer, 2", func(context.Context, []byte) (pipeline.Tale, error) { return pipeline.Tale{}, nil })
	c.Send(pgtest.Query("tell"))
	c.Expect("T")
	c.ExpectError("08P01")
	c.ExpectEnd()
}

// TestTaleClientGone: a client that leaves while its tale is made is waited for by
// nobody.
func TestTaleClientGone(t *testing.T) {
	waiting, ended := make(chan struct{}), make(chan struct{})
	c, _, _ := tale(t, "select 'x' as answer", func(ctx context.Context, _ []byte) (pipeline.Tale, error) {
		close(waiting)
		<-ctx.Done()
		close(ended)
		return pipeline.Tale{}, ctx.Err()
	})
	c.Send(pgtest.Query("tell"))
	<-waiting
	c.Hangup()
	<-ended
}
