package proxy_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/wire"
)

// rules is a Decider that reads its verdict out of the statement: "deny …",
// "told …" and "cap N: statement".
func rules() *decider {
	var words atomic.Int64
	judge := func(text string) pipeline.Decision {
		var cap int64
		switch {
		case strings.Contains(text, "deny"):
			return deny(fmt.Sprintf("denied_%032x", words.Add(1)))
		case strings.HasPrefix(text, "told"):
			return pipeline.Decision{Text: "select $1::text as told", Told: true}
		case strings.HasPrefix(text, "raise"):
			d := deny(fmt.Sprintf("denied_%032x", words.Add(1)))
			d.Text = "select case when i > 2 then ('" + d.Text + "' || i)::int else i end from generate_series(1, 5) i"
			return d
		}
		if n, _ := fmt.Sscanf(text, "cap %d:", &cap); n == 1 {
			_, sql, _ := strings.Cut(text, ":")
			return pipeline.Decision{Text: sql, Runs: []*pipeline.Run{capped(cap, truncated)}}
		}
		return pipeline.Decision{Untouched: true}
	}
	// named adds what "prepare n as …", "deallocate n" and their like do.
	named := func(text string) pipeline.Decision {
		var d pipeline.Decision
		var texts []string
		parts := strings.Split(text, "; ")
		for _, part := range parts {
			one := pipeline.Decision{Untouched: true}
			var change *pipeline.NameChange
			words := strings.Fields(part)
			switch {
			case len(words) > 3 && words[0] == "prepare":
				head, query, _ := strings.Cut(part, " as ")
				inner := judge(query)
				if inner.Untouched {
					inner.Text = query
				}
				change = &pipeline.NameChange{Name: words[1], To: &inner}
				part = head + " as " + inner.Text
			case text == "deallocate all", text == "discard all":
				change = &pipeline.NameChange{All: true}
			case len(words) == 2 && words[0] == "deallocate":
				change = &pipeline.NameChange{Name: words[1]}
			default:
				one = judge(part)
			}
			if len(parts) == 1 && change == nil {
				return one
			}
			texts, d.Renames = append(texts, part), append(d.Renames, change)
		}
		d.Text = strings.Join(texts, "; ")
		return d
	}
	return &decider{
		governed: true,
		query: func(_ context.Context, text string) pipeline.Decision {
			if strings.HasPrefix(text, "prepare") || strings.HasPrefix(text, "deallocate") || strings.HasPrefix(text, "discard") {
				return named(text)
			}
			return judge(text)
		},
		parse: func(text string) pipeline.Decision {
			if strings.HasPrefix(text, "prepare") || strings.HasPrefix(text, "deallocate") {
				return named(text)
			}
			return judge(text)
		},
		bind: func(d *pipeline.Decision) pipeline.Binding {
			switch {
			case d.Told:
				return pipeline.Binding{Value: "what was told"}
			case len(d.Renames) == 1:
				return pipeline.Binding{Renames: d.Renames[0]}
			case len(d.Runs) == 1:
				return pipeline.Binding{Run: d.Runs[0]}
			}
			return pipeline.Binding{}
		},
	}
}

// governed is a client of a real Postgres behind the decider.
func governed(t *testing.T, d *decider) (*pgtest.Peer, *proxy.Server) {
	t.Helper()
	db := postgres.ForTest(t).CreateDatabase(t)
	server, addr := serve(t, proxy.Options{Gate: realBackend(t, db, func() proxy.Decider { return d }), Limits: proxy.Limits{StatementBytes: 5000}})
	p := pgtest.Dial(t, addr)
	p.Login(password, "user", "ana", "database", "db")
	return p, server
}

func all(frames ...[]byte) [][]byte { return frames }

// TestPlanted plays conversations with a real Postgres. Each reply is the
// kinds of the frames, with E and Z as E:SQLSTATE and Z:status.
func TestPlanted(t *testing.T) {
	q, parse, bind, exec := pgtest.Query, pgtest.Parse, pgtest.Bind, pgtest.Execute
	sync, close, describe := pgtest.Sync, pgtest.Close, pgtest.Describe
	long := "select '" + strings.Repeat("x", 6000) + "'"
	tests := []struct {
		name  string
		sends [][]byte // in one write
		want  string
	}{
		{"idle", all(q("deny")), "E:42501 Z:I"},
		{"in a transaction", all(q("begin"), q("deny"), q("select 1"), q("rollback")), "C Z:T E:42501 Z:E E:25P02 Z:E C Z:I"},
		{"in a failed transaction", all(q("begin"), q("select 1/0"), q("deny"), q("rollback")), "C Z:T E:22012 Z:E E:42501 Z:E C Z:I"},
		{"one of several statements", all(q("select 1; deny; select 2")), "E:42501 Z:I"},
		{"pipelined batch", all(parse("", "create table a (i int)"), bind("", ""), exec("", 0), parse("", "deny"), bind("", ""), describe('P', ""), exec("", 0), sync(),
			q("select 'a'::regclass")), "1 2 C E:42501 Z:I E:42P01 Z:I"},
		{"two batches in flight", all(parse("", "deny"), bind("", ""), exec("", 0), sync(), parse("", "select 1"), bind("", ""), exec("", 0), sync()),
			"E:42501 Z:I 1 2 D C Z:I"},
		{"behind a real error", all(parse("", "select broken"), parse("", "deny"), sync(), q("deny")), "E:42703 Z:I E:42501 Z:I"},
		{"Query in an unsynced batch", all(parse("", "select broken"), q("deny"), q("select 1"), sync(), q("select 1")), "E:42703 Z:I T D C Z:I"},
		{"Query behind an unsynced batch", all(parse("", "select 1"), bind("", ""), q("select 2"), sync(), q("select 3")), "1 2 T D C Z:I Z:I T D C Z:I"},
		{"empty", all(q(""), parse("", ""), bind("", ""), describe('P', ""), exec("", 0), sync()), "I Z:I 1 2 n I Z:I"},
		{"the word in a user's own text", all(q("select denied_00000000000000000000000000000001")), "E:42703 Z:I"},
		{"function call", all(pgtest.Frame('F', int32(1598), int16(0), int16(0), int16(0))), "E:42501 Z:I"},
		{"unknown statement", all(bind("", "nope"), sync(), describe('S', "nope"), sync(), exec("nope", 0), sync()), "E:26000 Z:I E:26000 Z:I E:34000 Z:I"},
		{"Describe of neither", all(describe('X', "nope"), sync(), close('X', "nope"), sync(), q("select 1")), "E:08P01 Z:I E:08P01 Z:I T D C Z:I"},
		{"prepared by SQL", all(q("prepare p as cap 2: select generate_series(1, 4)"), bind("", "p"), describe('P', ""), exec("", 0), sync(), describe('S', "p"), sync(), close('S', "p"), sync(), bind("", "p"), sync()),
			"C Z:I 2 T D D N C Z:I t T Z:I 3 Z:I E:26000 Z:I"},
		{"a PREPARE that failed", all(q("prepare p as cap 2: select generate_series(1, 4)"), q("prepare p as select 1"), bind("", "p"), exec("", 0), sync(), q("prepare f as select broken"), bind("", "f"), sync()),
			"C Z:I E:42P05 Z:I 2 D D N C Z:I E:42703 Z:I E:26000 Z:I"},
		{"prepared in an unsynced batch", all(parse("", "prepare u as cap 1: select generate_series(1, 2)"), bind("", ""), exec("", 0), bind("", "u"), exec("", 0), sync()), "1 2 C 2 D N C Z:I"},
		{"deallocated in an unsynced batch", all(q("prepare v as select 1"), parse("", "deallocate all"), bind("", ""), exec("", 0), parse("v", "cap 1: select generate_series(1, 2)"), bind("", "v"), exec("", 0), sync(), bind("", "u"), sync()),
			"C Z:I 1 2 C 1 2 D N C Z:I E:26000 Z:I"},
		{"a failing Query in an unsynced batch", all(q("prepare w as cap 1: select generate_series(1, 2)"), parse("", "select 1"), q("prepare w as select 1"), bind("", "w"), exec("", 0), sync(), q("discard all"), bind("", "w"), sync()),
			"C Z:I 1 E:42P05 Z:I 2 D N C Z:I C Z:I E:26000 Z:I"},
		{"several statements", all(q("prepare s as select 1; select 1/0; deallocate s"), bind("", "s"), exec("", 0), sync(), q("deallocate s; select 1"), bind("", "s"), sync()),
			"C E:22012 Z:I 2 D C Z:I C T D C Z:I E:26000 Z:I"},
		{"cursor by the protocol", all(q("begin; declare c cursor for select 1"), exec("c", 0), sync(), q("rollback")), "C C Z:T E:34000 Z:E C Z:I"},
		{"told", all(parse("", "told"), describe('S', ""), bind("", ""), describe('P', ""), exec("", 0), sync()), "1 t T 2 T D C Z:I"},
		{"told with a parameter", all(parse("", "told"), bind("", "", "mine"), exec("", 0), sync()), "1 E:08P01 Z:I"},
		{"capped", all(q("cap 3: select generate_series(1, 5)")), "T D D D N C Z:I"},
		{"not reached", all(q("cap 5: select generate_series(1, 5)")), "T D D D D D C Z:I"},
		{"capped copy", all(q("cap 2: copy (select generate_series(1, 5)) to stdout")), "H d d c N C Z:I"},
		{"capped in pieces", all(parse("", "cap 3: select generate_series(1, 5)"), bind("", ""), exec("", 2), exec("", 2), exec("", 2), sync()),
			"1 2 D D s D s N C Z:I"},
		{"capped and failing", all(q("cap 1: select 1/(2-i) from generate_series(1, 3) i")), "T D E:22012 Z:I"},
		{"truncation as an error", all(q("raise")), "T D D E:42501 Z:I"},
		{"truncation as an error, prepared", all(parse("", "raise"), bind("", ""), exec("", 0), sync()), "1 2 D D E:42501 Z:I"},
		{"closing a portal leaves the statement", all(parse("x", "cap 1: select generate_series(1, 2)"), close('P', "x"), bind("", "x"), exec("", 0), sync(), close('S', "x"), bind("", "x"), sync()),
			"1 3 2 D N C Z:I 3 E:26000 Z:I"},
		{"a second Parse of a name fails", all(parse("y", "cap 1: select generate_series(1, 3)"), sync(), parse("y", "select 1"), sync(), bind("", "y"), exec("", 0), sync()),
			"1 Z:I E:42P05 Z:I 2 D N C Z:I"},
		{"a Close that was skipped", all(parse("z", "cap 1: select generate_series(1, 3)"), sync(), parse("", "select broken"), close('S', "z"), sync(), bind("", "z"), exec("", 0), sync()),
			"1 Z:I E:42703 Z:I 2 D N C Z:I"},
		{"a Parse that failed", all(parse("w", "select broken"), sync(), bind("", "w"), exec("", 0), sync(), parse("w", "select 1"), bind("", "w"), exec("", 0), sync()),
			"E:42703 Z:I E:26000 Z:I 1 2 D C Z:I"},
		{"a Query ends the unnamed statement", all(parse("", "select 1"), q("select 2"), bind("", ""), sync()), "1 T D C Z:I E:26000 Z:I"},
		{"too long", all(q(long), parse("", long), bind("", ""), exec("", 0), sync(), q("select 1")), "E:54000 Z:I E:54000 Z:I T D C Z:I"},
		{"flush", all(parse("", "select 1"), pgtest.Flush(), bind("", ""), pgtest.Flush(), exec("", 0), pgtest.Flush(), sync()), "1 2 D C Z:I"},
		{"copy messages outside a copy", all(pgtest.Frame('d', []byte("x")), pgtest.Frame('c'), pgtest.Frame('f', "no"), q("select 1")), "T D C Z:I"},
		{"notices and settings", all(q("do 'begin raise notice ''n''; end'; set timezone to 'Asia/Tokyo'; select 1")), "C C T D C S Z:I"},
		{"misshapen", all(pgtest.Frame('Q', []byte("no end")), pgtest.Frame('P', "a"), pgtest.Frame('B', []byte("a")), pgtest.Frame('D', []byte("Sx")), pgtest.Frame('E', []byte("x")), sync()), "E:08P01 Z:I E:08P01 Z:I"},
	}
	late := reportsLate(t)
	for how, knows := range map[string]bool{"aside": false, "at once": true} {
		d := rules()
		d.knows = knows
		client, server := governed(t, d)
		for _, test := range tests {
			t.Run(test.name+", decided "+how, func(t *testing.T) {
				client.Send(test.sends...)
				got, want := replies(client, strings.Count(test.want, "Z:")), test.want
				if !late {
					got, want = strings.ReplaceAll(got, "S ", ""), strings.ReplaceAll(want, "S ", "")
				}
				if got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			})
		}
		expectQuiet(t, client, server)
	}
}

// reportsLate tells whether the server reports settings that changed once, at
// the end of a statement, as Postgres does from version 14 on.
func reportsLate(t *testing.T) bool {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), postgres.ForTest(t).DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var version int
	if err := conn.QueryRow(t.Context(), "select current_setting('server_version_num')::int").Scan(&version); err != nil {
		t.Fatal(err)
	}
	return version >= 140000
}

// TestRefusal: the client sees the refusal and nothing of the planted word.
func TestRefusal(t *testing.T) {
	client, _ := governed(t, rules())
	client.Send(pgtest.Query("deny"))
	r := client.ExpectError("42501")
	want := wire.Report{Severity: "ERROR", Code: "42501", Message: "permission denied for table secrets", Detail: "a detail", Hint: "a hint"}
	if r != want {
		t.Errorf("got %+v", r)
	}
	client.Expect("Z")
	client.Send(pgtest.Parse("", "told"), pgtest.Describe('S', ""), pgtest.Frame('B', "", "", int16(0), int16(0), int16(1), int16(1)), pgtest.Execute("", 0), pgtest.Sync())
	bodies := client.Expect("1tT2DCZ")
	if string(bodies[1]) != "\x00\x00" {
		t.Errorf("the client sees parameters: %q", bodies[1])
	}
	if format := bodies[2][len(bodies[2])-2:]; string(format) != "\x00\x00" { // of the statement: not known yet
		t.Errorf("format of the description: %q", format)
	}
	if !strings.HasSuffix(string(bodies[4]), "what was told") {
		t.Errorf("row %q", bodies[4])
	}
}

// TestTransparent: a passthrough session is Postgres's own, copies included,
// and what it is owed is known when it is over.
func TestTransparent(t *testing.T) {
	q, parse, bind, exec, sync := pgtest.Query, pgtest.Parse, pgtest.Bind, pgtest.Execute, pgtest.Sync
	data, done, fail := pgtest.Frame('d', []byte("1\n")), pgtest.Frame('c'), pgtest.Frame('f', "no")
	bad := pgtest.Frame('d', []byte("x\n"))
	tests := []struct {
		name  string
		sends [][]byte
		want  string
	}{
		{"set up", all(q("create temp table c (i int)")), "C Z:I"},
		{"copy", all(q("copy c from stdin"), data, data, done), "G C Z:I"},
		{"copy with a Sync inside", all(q("copy c from stdin"), data, sync(), data, done, q("select 1")), "G C Z:I T D C Z:I"},
		{"copy that fails", all(q("copy c from stdin"), bad, data, done, q("select 1")), "G E:22P02 Z:I T D C Z:I"},
		{"copy that is given up", all(q("copy c from stdin"), data, fail, q("select 1")), "G E:57014 Z:I T D C Z:I"},
		{"two copies in a query", all(q("copy c from stdin; copy c from stdin"), data, done, data, sync(), done, q("select 1")), "G C G C Z:I T D C Z:I"},
		{"extended copy", all(parse("", "copy c from stdin"), bind("", ""), exec("", 0), sync(), data, done, sync(), q("select 1")), "1 2 G C Z:I T D C Z:I"},
		{"extended copy that fails", all(parse("", "copy c from stdin"), bind("", ""), exec("", 0), sync(), bad, done, sync(), q("select 1")), "1 2 G E:22P02 Z:I T D C Z:I"},
		{"extended copy out", all(parse("", "copy c to stdout"), bind("", ""), exec("", 0), sync()), "1 2 H d d d d d d d c C Z:I"},
		{"function call", all(pgtest.Frame('F', int32(1598), int16(0), int16(0), int16(0))), "V Z:I"},
		{"function call that fails", all(pgtest.Frame('F', int32(1), int16(0), int16(0), int16(0)), q("select 1")), "E:42883 Z:I T D C Z:I"},
		{"asked by name", all(parse("n", "deny ask"), sync(), parse("n", "told ask"), bind("", "n"), exec("", 0), sync()), "E:42501 Z:I 1 2 D C Z:I"},
		{"the name reused", all(pgtest.Close('S', "n"), parse("n", "select $1::text"), bind("", "n", "v"), exec("", 0), sync()), "3 1 2 D C Z:I"},
		{"capped", all(q("cap 2: select generate_series(1, 3) as ask")), "T D D N C Z:I"},
		{"too long to be judged", all(q("select 'ask' where '' < '"+strings.Repeat("x", 6000)+"'"), parse("", "select 'ask' where '' < '"+strings.Repeat("x", 100_000)+"'"), bind("", ""), exec("", 0), sync()),
			"T D C Z:I 1 2 D C Z:I"},
	}
	d := rules()
	d.governed = false
	client, server := governed(t, d)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			client.Send(test.sends...)
			if got := replies(client, strings.Count(test.want, "Z:")); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
	expectQuiet(t, client, server)
	for _, text := range d.judged() {
		if !stmt.MayAsk([]byte(text)) {
			t.Errorf("judged without need: %s", text)
		}
	}
}

// expectQuiet checks that the server knows that nothing is owed any more: only
// then does Shutdown end the session.
func expectQuiet(t *testing.T, client *pgtest.Peer, server *proxy.Server) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- server.Shutdown(t.Context()) }()
	client.ExpectError("57P01")
	client.Hangup()
	if err := <-done; err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

// replies reads up to the n-th ReadyForQuery.
func replies(p *pgtest.Peer, n int) string {
	var got []string
	for n > 0 {
		kind := p.Peek()
		body := p.Expect(string(kind))[0]
		switch kind {
		case 'E':
			got = append(got, "E:"+field(body, 'C'))
		case 'Z':
			got = append(got, "Z:"+string(body))
			n--
		default:
			got = append(got, string(kind))
		}
	}
	return strings.Join(got, " ")
}

// TestLongError: a statement ends with its error, however long that is, whoever
// sent it.
func TestLongError(t *testing.T) {
	for _, who := range []bool{true, false} {
		ended := make(chan pipeline.Outcome, 1)
		d := &decider{governed: who, query: func(context.Context, string) pipeline.Decision {
			return pipeline.Decision{Text: "select repeat('x', 100000)::int", Runs: []*pipeline.Run{capped(1, func(o pipeline.Outcome) []pipeline.Notice {
				ended <- o
				return nil
			})}}
		}}
		client, _ := governed(t, d)
		client.Send(pgtest.Query("ask 'something'"))
		client.ExpectError("22P02")
		client.Expect("Z")
		select {
		case o := <-ended:
			if o.SQLState != "22P02" {
				t.Errorf("governed %v: %+v", who, o)
			}
		default:
			t.Errorf("governed %v: nothing is known of its end", who)
		}
	}
}

// TestExecuteIsAsked: a portal that is bound is executed only while the decider lets
// it, and refused in its place of the conversation.
func TestExecuteIsAsked(t *testing.T) {
	d := rules()
	var asked atomic.Int32 // where a decision is made aside
	d.execute = func() *pipeline.Denial {
		if asked.Add(1) == 2 {
			return deny("denied_00000000000000000000000000000000").Denial
		}
		return nil
	}
	client, _ := governed(t, d)
	client.Send(pgtest.Parse("", "cap 9: select generate_series(1, 3)"), pgtest.Bind("", ""), pgtest.Execute("", 1), pgtest.Execute("", 1), pgtest.Execute("", 1), pgtest.Sync())
	client.Expect("12Ds")
	client.ExpectError("42501")
	client.Expect("Z")
	client.Send(pgtest.Query("select 1"))
	client.Expect("TDCZ")
	if n := asked.Load(); n != 3 {
		t.Errorf("asked %d times", n)
	}
}
