package proxy

import (
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/wire"
)

// script gives what it was told to, once, and then nothing more for now.
type script struct{ left []byte }

func (s *script) Read(b []byte) (int, error) {
	n := copy(b, s.left)
	if s.left = s.left[n:]; n == 0 {
		return 0, poll.ErrAgain
	}
	return n, nil
}

// BenchmarkExecution is a session's share of one execution of a statement that the
// client has prepared, system calls aside.
func BenchmarkExecution(b *testing.B) {
	for _, mode := range []string{"passthrough", "governed"} {
		b.Run(mode, func(b *testing.B) {
			e := newExecutions(b, mode)
			b.ReportAllocs()
			for b.Loop() {
				e.once(b)
			}
		})
	}
}

// executions are a session between a client and a backend of scripts.
type executions struct {
	s               *session
	client, backend script
	batch, replies  []byte
}

func newExecutions(b testing.TB, mode string) *executions {
	loop := poll.Start()
	b.Cleanup(loop.Close)
	near, far := net.Pipe()
	b.Cleanup(func() { near.Close(); far.Close() })
	var d Decider
	if mode == "governed" {
		d = governed(b)
	}
	e := &executions{s: newSession(b.Context(), loop, near, d, Limits{StatementBytes: 1 << 20}, noMetrics{}, slog.New(slog.DiscardHandler))}
	e.s.begun, e.s.backend = true, &Backend{}
	e.s.up = wire.NewRelay(&e.client, io.Discard, nil, nil, nil)
	e.s.down = wire.NewRelay(&e.backend, io.Discard, nil, nil, nil)
	frames := func(parts ...func([]byte) ([]byte, error)) (all []byte) {
		for _, p := range parts {
			var err error
			if all, err = p(all); err != nil {
				b.Fatal(err)
			}
		}
		return all
	}
	reply := func(kind byte, body string) func([]byte) ([]byte, error) {
		return func(dst []byte) ([]byte, error) {
			return append(append(dst, kind, 0, 0, 0, byte(4+len(body))), body...), nil
		}
	}
	sync := func(dst []byte) ([]byte, error) { return wire.AppendSync(dst), nil }
	e.client.left = frames(func(dst []byte) ([]byte, error) {
		return wire.AppendParse(dst, "P0_1", pointText, nil)
	}, sync)
	e.backend.left = frames(reply(wire.ParseComplete, ""), reply(wire.ReadyForQuery, "I"))
	e.turn()
	e.batch = frames(reply(wire.Bind, "\x00P0_1\x00\x00\x00\x00\x01\x00\x00\x00\x06123456\x00\x01\x00\x00"),
		reply(wire.Describe, "P\x00"), reply(wire.Execute, "\x00\x00\x00\x00\x00"), sync)
	e.replies = frames(reply(wire.BindComplete, ""), reply(wire.RowDescription, "\x00\x01balance\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x17\x00\x04\xff\xff\xff\xff\x00\x00"),
		reply(wire.DataRow, "\x00\x01\x00\x00\x00\x016"), reply(wire.CommandComplete, "SELECT 1\x00"), reply(wire.ReadyForQuery, "I"))
	return e
}

func (e *executions) turn() {
	e.s.upstream()
	e.s.downstream()
}

func (e *executions) once(b testing.TB) {
	e.client.left, e.backend.left = e.batch, e.replies
	if e.turn(); e.s.over || !e.s.quiet() {
		b.Fatal("the session didn't execute it")
	}
}

const (
	pointText   = "SELECT balance FROM shops WHERE id = $1"
	pointPolicy = `
version: 1
roles:
  clerk:
    mode: governed
    search_path: [public]
    tables: {allow: ["public.*"]}
    scopes: [{table: public.shops, where: "tenant_id = 1"}]
`
)

// governed is a Decider that knows the text already, with a cap and a row rule.
func governed(b testing.TB) *pipeline.Session {
	integer := catalog.Type{OID: 23, Schema: "pg_catalog", Name: "int4", SQL: "integer", Category: 'N'}
	table := &catalog.Table{Name: catalog.Name{Schema: "public", Table: "shops"}, Kind: 'r', Columns: []*catalog.Column{
		{Name: "id", Type: integer, Attnum: 1}, {Name: "tenant_id", Type: integer, Attnum: 2}, {Name: "balance", Type: integer, Attnum: 3}}}
	file, faults := configs.DecodePolicy("policy.yaml", []byte(pointPolicy))
	rules, more := policy.Compile(file)
	for _, f := range append(faults, more...) {
		b.Fatal(f)
	}
	pipe := pipeline.New(&pipeline.Rules{Policy: rules, Semantic: &configs.Semantic{}},
		pipeline.Options{Limits: stmt.DefaultLimits(), Verdicts: 1 << 20, Observer: deaf{}, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	db := pipeline.OfflineDatabase("shop", catalog.NewSnapshot("shop", 150000, []*catalog.Table{table}, nil), time.Now)
	s, err := pipe.Open(b.Context(), auth.Principal{User: "u", Roles: []string{"clerk"}}, db, auth.Login{}, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	if d := s.Parse(b.Context(), pointText, nil); d.Denial != nil {
		b.Fatal(d.Denial.Err)
	}
	return s
}

// deaf is an Observer that doesn't listen.
type deaf struct{}

func (deaf) Judged(string, string)              {}
func (deaf) Answered(string, int, int64, int64) {}
func (deaf) Told()                              {}
func (deaf) Narrated(int, int64, int64)         {}
func (deaf) Stage(string, time.Duration)        {}
func (deaf) Rows(int64, bool)                   {}

// TestExecutionAllocates: executing what is known takes no memory.
func TestExecutionAllocates(t *testing.T) {
	e := newExecutions(t, "governed")
	if n := testing.AllocsPerRun(1000, func() { e.once(t) }); n > 0 {
		t.Errorf("%v allocations an execution", n)
	}
}
