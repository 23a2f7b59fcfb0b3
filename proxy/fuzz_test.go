package proxy

import (
	"context"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/wire"
)

// denies is a Decider that refuses everything.
type denies struct{}

func (denies) Governed() bool { return true }
func (denies) Query(context.Context, string) pipeline.Decision {
	return planting(newDenial(errCancelled))
}
func (denies) Parse(context.Context, string, []uint32) pipeline.Decision {
	return planting(newDenial(errCancelled))
}
func (denies) Bound(string)                                              {}
func (denies) Ready(byte)                                                {}
func (denies) Bind(context.Context, *pipeline.Decision) pipeline.Binding { return pipeline.Binding{} }
func (denies) Stale(*pipeline.Decision) bool                             { return false }
func (denies) Follow(pipeline.Names)                                     {}
func (denies) QueryNow(string) (pipeline.Decision, bool)                 { return pipeline.Decision{}, false }
func (denies) ParseNow(string, []uint32) (pipeline.Decision, bool)       { return pipeline.Decision{}, false }
func (denies) BindNow(*pipeline.Decision, *pipeline.Run) (pipeline.Binding, bool) {
	return pipeline.Binding{}, false
}
func (denies) Cancelled() *pipeline.Denial { return newDenial(errCancelled) }
func (denies) Refused(error)               {}

func (denies) Describe(context.Context, *pipeline.Decision) *pipeline.Denial { return nil }

func (denies) ExecuteNow(*pipeline.Run) bool { return false }

func (denies) Execute(context.Context, *pipeline.Run) pipeline.Execution { return pipeline.Execution{} }

// FuzzGoverned: whatever a client sends, no statement that was not judged
// arrives, and the session ends.
func FuzzGoverned(f *testing.F) {
	query, _ := wire.AppendQuery(nil, "select 1")
	parse, _ := wire.AppendParse(nil, "a", "select 1", nil)
	bind, _ := wire.AppendBindNothing(nil, "p", "a")
	execute, _ := wire.AppendExecute(nil, "p")
	sync := []byte{wire.Sync, 0, 0, 0, 4}
	call := []byte{wire.FunctionCall, 0, 0, 0, 8, 0, 0, 0, 1}
	f.Add(query)
	f.Add(append(append(append(append([]byte(nil), parse...), bind...), execute...), sync...))
	f.Add(append(append(append([]byte(nil), parse...), query...), call...))
	f.Add(append(append(append([]byte(nil), sync...), bind...), 'X', 0, 0, 0, 4))
	f.Add(append(append([]byte(nil), bind...), 'X', 0, 0, 1, 0)) // its end never comes
	loop := poll.Start()
	f.Cleanup(loop.Close)
	f.Fuzz(func(t *testing.T, in []byte) {
		client, near := net.Pipe()
		server, far := net.Pipe()
		b := &Backend{Conn: far, TxStatus: 'I', Release: func() { _ = far.Close() }, Cancel: func(context.Context) error { return nil }}
		s := newSession(t.Context(), loop, near, denies{}, Limits{}.withDefaults(), noMetrics{}, slog.New(slog.DiscardHandler))
		s.on(b)
		unjudged := make(chan string, 1)
		go func() { unjudged <- refusingPostgres(server) }()
		go func() { _, _ = io.Copy(io.Discard, client) }()
		go func() {
			_ = client.SetWriteDeadline(time.Now().Add(10 * time.Second))
			_, _ = client.Write(in)
			_ = client.Close()
		}()
		ended := make(chan error, 1)
		s.start(func(cause error) { ended <- cause })
		<-ended
		_ = s.client.Close()
		if text := <-unjudged; text != "" {
			t.Fatalf("arrived: %q", text)
		}
	})
}

// refusingPostgres answers as Postgres does where every statement is a syntax
// error. It returns the first thing that must not have arrived.
func refusingPostgres(conn net.Conn) string {
	defer conn.Close()
	skipping := false
	for {
		kind, body, err := wire.ReadMessage(conn, 1<<20)
		if err != nil {
			return ""
		}
		text, ok := arriving(kind, body)
		if !ok {
			return string(kind) + string(body)
		}
		if kind == wire.Terminate {
			return ""
		}
		var reply []byte
		complaint := wire.AppendErrorResponse(nil, wire.Report{Severity: "ERROR", Code: "42601", Message: "syntax error at " + text})
		switch {
		case kind == wire.Sync:
			reply, skipping = wire.AppendReadyForQuery(nil, 'I'), false
		case skipping:
		case kind == wire.Query:
			reply = wire.AppendReadyForQuery(complaint, 'I')
		case kind == wire.Close:
			reply = []byte{wire.CloseComplete, 0, 0, 0, 4}
		case strings.ContainsRune("PBDE", rune(kind)):
			reply, skipping = complaint, true
		}
		if _, err := conn.Write(reply); err != nil {
			return ""
		}
	}
}

// arriving is the text that a message names, and whether the message may
// arrive: statements must be planted, and only these kinds exist.
func arriving(kind byte, body []byte) (string, bool) {
	switch kind {
	case wire.Query:
		text, err := wire.QueryText(body)
		return string(text), err == nil && strings.HasPrefix(string(text), "denied_")
	case wire.Parse:
		p, err := wire.ParseParse(body)
		return string(p.Text), err == nil && strings.HasPrefix(string(p.Text), "denied_")
	}
	return string(body), strings.ContainsRune("BDECHSdcfX", rune(kind))
}
