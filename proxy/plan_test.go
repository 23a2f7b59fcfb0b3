package proxy_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/policy"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
)

// planned makes a Run whose rows are lines of a plan.
func planned() *pipeline.Run {
	r := capped(0, nil)
	of := reflect.ValueOf(r).Elem().FieldByName("of")
	verdict := reflect.New(of.Type().Elem())
	put(verdict.Elem().FieldByName("facts"), reflect.ValueOf(policy.Facts{Tag: "EXPLAIN", PlanTells: true}))
	put(of, verdict)
	return r
}

// TestPlanRows: of a plan only lines of its structure pass, whatever their length and
// however they come.
func TestPlanRows(t *testing.T) {
	db := postgres.ForTest(t).CreateDatabase(t)
	judged := func(text string) pipeline.Decision {
		sql, plan := strings.CutPrefix(text, "plan: ")
		if !plan {
			return pipeline.Decision{Text: text, Runs: []*pipeline.Run{nil}}
		}
		return pipeline.Decision{Text: sql, Runs: []*pipeline.Run{planned()}}
	}
	_, addr := serve(t, proxy.Options{Gate: realBackend(t, db, func() proxy.Decider {
		return &decider{governed: true, query: func(_ context.Context, text string) pipeline.Decision { return judged(text) },
			parse: func(text string) pipeline.Decision { d := judged(text); d.Runs = nil; return d },
			bind:  func(*pipeline.Decision) pipeline.Binding { return pipeline.Binding{Run: planned()} }}
	})})
	lines := "plan: select * from (values ('Limit'), ('  Filter: (a = 1)'), (repeat('x', 300000)), ('  ->  ' || repeat(' ', 70000) || 'Result'), " +
		"('  ->  Sort'), ('        Sort Key: b'), ('        ->  Seq Scan on t'), ('Result')) v"
	want := []string{"Limit", "  ->  Sort", "        ->  Seq Scan on t"}
	c := pgtest.Dial(t, addr)
	c.Login(password, "user", "ana", "database", db)
	for way, frames := range map[string][][]byte{
		"simple":    {pgtest.Query(lines)},
		"extended":  {pgtest.Parse("", lines), pgtest.Bind("", ""), pgtest.Execute("", 0), pgtest.Sync()},
		"in pieces": {pgtest.Parse("", lines), pgtest.Bind("p", ""), pgtest.Execute("p", 1), pgtest.Execute("p", 3), pgtest.Execute("p", 0), pgtest.Sync()},
	} {
		c.Send(frames...)
		if got := heardRows(c); !slices.Equal(got, want) {
			t.Errorf("%s: %q", way, got)
		}
		c.Send(pgtest.Query("select 'behind'"))
		if got := heardRows(c); !slices.Equal(got, []string{"behind"}) {
			t.Errorf("%s, behind it: %q", way, got)
		}
	}
	c.Send(pgtest.Query("plan: select 'Limit', 'Limit'"))
	c.Expect("T")
	c.ExpectError("08P01")
	c.ExpectEnd()
}

// heardRows are the rows of one column up to ReadyForQuery.
func heardRows(c *pgtest.Peer) (rows []string) {
	for {
		kind := c.Peek()
		body := c.Expect(string(kind))[0]
		switch kind {
		case 'D':
			rows = append(rows, string(body[6:]))
		case 'E':
			rows = append(rows, field(body, 'C'))
		case 'Z':
			return rows
		}
	}
}
