package pipeline

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// offline is a session of a governed role whose database is never asked.
func offline(t testing.TB) *Session {
	t.Helper()
	integer := catalog.Type{OID: 23, Schema: "pg_catalog", Name: "int4", SQL: "integer", Category: 'N'}
	table := &catalog.Table{Name: catalog.Name{Schema: "public", Table: "shops"}, Kind: 'r', Columns: []*catalog.Column{
		{Name: "id", Type: integer, Attnum: 1}, {Name: "tenant_id", Type: integer, Attnum: 2}, {Name: "balance", Type: integer, Attnum: 3}}}
	snap := catalog.NewSnapshot("shop", 150000, []*catalog.Table{table}, nil)
	snap.Objects.Functions = []catalog.Function{{OID: 99999, Schema: "public", Name: "tidy", Args: []uint32{23}, Result: 23,
		Takes: []catalog.Name{{Schema: "pg_catalog", Table: "int4"}}, Least: 1}}
	rules := strings.Replace(testPolicy, "    search_path:", "    functions: {allow: [public.tidy]}\n    search_path:", 1)
	pipe := New(testRules(t, rules), Options{Limits: stmt.DefaultLimits(), Verdicts: 1 << 20, Observer: deaf{}, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	who := auth.Principal{User: "u", Roles: []string{"clerk"}, Attributes: map[string]any{"tenant_id": int64(1)}}
	s, err := pipe.Open(t.Context(), who, OfflineDatabase("shop", snap, time.Now), auth.Login{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const point = "SELECT balance FROM shops WHERE id = $1"

// BenchmarkRepeated is what a text costs that was judged before, from its bytes
// to the end of its execution.
func BenchmarkRepeated(b *testing.B) {
	b.Run("query", func(b *testing.B) {
		s := offline(b)
		s.Query(b.Context(), point)
		b.ReportAllocs()
		for b.Loop() {
			d, ok := s.QueryNow(point)
			if !ok {
				b.Fatal("not known")
			}
			execution(d.Runs[0])
			s.Ready('I')
		}
	})
	b.Run("parse", func(b *testing.B) {
		s := offline(b)
		s.Parse(b.Context(), point, nil)
		b.ReportAllocs()
		for b.Loop() {
			d, ok := s.ParseNow(point, nil)
			if !ok {
				b.Fatal("not known")
			}
			binding(b, s, &d)
		}
	})
	b.Run("bind", func(b *testing.B) {
		s := offline(b)
		d := s.Parse(b.Context(), point, nil)
		b.ReportAllocs()
		for b.Loop() {
			binding(b, s, &d)
		}
	})
}

func binding(b *testing.B, s *Session, d *Decision) {
	bound, ok := s.BindNow(d, &Run{})
	if !ok {
		b.Fatal("not known")
	}
	execution(bound.Run)
	s.Ready('I')
}

func execution(r *Run) {
	r.Row(9)
	r.Complete("SELECT 1")
}
