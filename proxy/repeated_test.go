package proxy_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
)

// repeater judges nothing and knows all that: queries may be executed by
// statements that were prepared before, and whatever sets something is said to.
func repeater() proxy.Decider {
	judge := func(text string) pipeline.Decision {
		if strings.HasPrefix(text, "select ") && !strings.Contains(text, ";") {
			return pipeline.Decision{Text: text, Repeats: 1}
		}
		return pipeline.Decision{Untouched: true, Alters: strings.Contains(text, "set ") || strings.Contains(text, "all")}
	}
	return &decider{governed: true, knows: true, parse: judge,
		query: func(_ context.Context, text string) pipeline.Decision { return judge(text) }}
}

// repeatedTexts are queries over tables that change; what $1 is for comes with
// a Bind.
var repeatedTexts = []string{
	"select a, b from t order by a", "select b from t where a = 1", "select * from t where false", "select a::text || b from t order by 1", "select from t",
	"select x from v", "select 1/0", "select a / 0 from t", "select '01.02.2026'::date", "select '2026-11-30 12:00'::timestamptz", "select 1 as one where a",
	"select generate_series(1, 3)", "select '1 day'::interval, 0.1::float8", "select count(*) from pg_prepared_statements where name not like 'pgask%'",
}

var changesOfTables = []string{
	"alter table t alter a type bigint", "alter table t alter a type int", "alter table t alter b type varchar(7)", "alter table t alter b type text",
	"alter table t add c int", "alter table t drop column if exists c", "alter table t rename b to d", "alter table t rename d to b",
	"drop table if exists t cascade", "create table t (a int, b text); insert into t values (1, 'x'), (2, 'y')",
	"create or replace view v as select 1 as x", "drop view if exists v; create view v as select now()::date - current_date as x", "drop view v", "analyze",
}

var otherTexts = []string{
	"begin", "begin", "commit", "commit", "rollback", "savepoint s", "rollback to s", "set datestyle = 'German'", "set datestyle = 'ISO, MDY'", "set timezone = 'Asia/Tokyo'",
	"set local timezone = 'UTC'", "set intervalstyle = 'iso_8601'", "reset all", "deallocate all", "discard all", "select 1; select 2", "", "syntax error", "close all",
	"declare c cursor for select generate_series(1, 9)", "fetch 2 from c", "set application_name = 'z'",
}

// turnOf is what a client sends at once, before it waits.
func turnOf(t *rapid.T, turn int, status byte) (frames [][]byte, text, marker string) {
	sql := rapid.SampledFrom(repeatedTexts).Draw(t, "query")
	kind := rapid.IntRange(0, 9).Draw(t, "kind")
	if kind > 7 && status != 'I' {
		kind = 0 // a Query that fails leaves a portal that a governed session doesn't have
	}
	switch kind {
	case 0, 1, 2:
		return [][]byte{pgtest.Query(sql)}, "Q " + sql, ""
	case 3:
		sql = rapid.SampledFrom(otherTexts).Draw(t, "other")
		return [][]byte{pgtest.Query(sql)}, "Q " + sql, ""
	case 4: // with a parameter, which may be none
		value := rapid.SampledFrom([]string{"1", "2", "no number"}).Draw(t, "value")
		return [][]byte{pgtest.Parse("", "select b from t where a = $1"), pgtest.Bind("", "", value), pgtest.Describe('P', ""), pgtest.Execute("", 0), pgtest.Sync()}, "P $1 " + value, ""
	case 5, 6, 7:
		most := rapid.IntRange(0, 1).Draw(t, "most")
		frames = [][]byte{pgtest.Parse("", sql), pgtest.Bind("", ""), pgtest.Describe('P', ""), pgtest.Execute("", most), pgtest.Sync()}
		if rapid.Bool().Draw(t, "undescribed") {
			frames = append(frames[:2], frames[3:]...)
		}
		return frames, fmt.Sprintf("P %s, most %d", sql, most), ""
	case 8: // the statement or the portal of a turn before
		n := rapid.IntRange(0, 6).Draw(t, "leftover")
		return [][][]byte{
			{pgtest.Bind("", ""), pgtest.Execute("", 0), pgtest.Sync()}, {pgtest.Describe('S', ""), pgtest.Sync()}, {pgtest.Describe('P', ""), pgtest.Sync()},
			{pgtest.Close('S', ""), pgtest.Sync()}, {pgtest.Execute("", 0), pgtest.Sync()}, {pgtest.Parse("", "syntax error"), pgtest.Sync()}, {pgtest.Parse("", sql), pgtest.Sync()},
		}[n], fmt.Sprintf("leftover %d (%s)", n, sql), ""
	}
	var texts []string
	for range rapid.IntRange(2, 9).Draw(t, "messages") {
		frame, text := messageOf(t, "", "", sql, repeatedTexts)
		frames, texts = append(frames, frame), append(texts, text)
	}
	marker = fmt.Sprintf("marker %d", turn)
	return append(frames, pgtest.Sync(), pgtest.Query("rollback"), pgtest.Query("select '"+marker+"'")), strings.Join(texts, " "), marker
}

// TestRepeatedCancel: a cancel request reaches what runs by a prepared statement,
// and is heard of once.
func TestRepeatedCancel(t *testing.T) {
	db := postgres.ForTest(t).CreateDatabase(t)
	_, addr := serve(t, proxy.Options{Gate: realBackend(t, db, repeater)})
	client := pgtest.Dial(t, addr)
	key := client.Login(password, "user", "ana", "database", db)
	const text = "select 'runs' from generate_series(1, 2) g, pg_sleep(60 * (g - 1))"
	for _, frames := range [][][]byte{
		{pgtest.Query(text)}, {pgtest.Query(text)},
		{pgtest.Parse("", text), pgtest.Bind("", ""), pgtest.Execute("", 0), pgtest.Sync()},
	} {
		client.Send(frames...)
		cancelled(t, addr, key, client)
		client.Expect("Z")
		expect(t, client, "select 7", "7", 'I')
	}
}

// hear is every frame up to the first ReadyForQuery, or with a marker that of its
// row: whole, but for errors, of which a governed client sees less.
func hear(p *pgtest.Peer, marker string) (heard string, status byte) {
	var all strings.Builder
	for last := marker == ""; ; {
		kind := p.Peek()
		body := p.Expect(string(kind))[0]
		switch kind {
		case 'E', 'N':
			fmt.Fprintf(&all, "%c %s ", kind, field(body, 'C'))
		default:
			fmt.Fprintf(&all, "%c %q ", kind, body)
		}
		last = last || kind == 'D' && strings.Contains(string(body), marker)
		if kind == 'Z' && last {
			return unportaled(all.String()), body[0]
		}
	}
}

// TestRepeatedAsDirect: sessions in which texts come again and again, while
// somebody changes what they read, hear every frame that Postgres gives directly.
func TestRepeatedAsDirect(t *testing.T) {
	t.Run("session", func(t *testing.T) {
		db := postgres.ForTest(t).CreateDatabase(t)
		_, addr := serve(t, proxy.Options{Gate: realBackend(t, db, repeater)})
		repeatedAsDirect(t, db, addr, false)
	})
	t.Run("transaction", func(t *testing.T) {
		db := postgres.ForTest(t).CreateDatabase(t)
		repeatedAsDirect(t, db, transactions(t, db, 1, 20*time.Second, repeater), true)
	})
}

func repeatedAsDirect(t *testing.T, db, addr string, lent bool) {
	admin := direct(t, db)
	var clients [2][2]*pgtest.Peer // each directly and through
	for i := range clients {
		through := pgtest.Dial(t, addr)
		through.Login(password, "user", "ana", "database", db)
		clients[i] = [2]*pgtest.Peer{direct(t, db), through}
	}
	prepared, first := 0, ""
	var history []string
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(strings.Join(history, "\n"))
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		if first != "" {
			t.Fatal(first)
		}
		for _, change := range changesOfTables[8:11] {
			_, _ = run(admin, change)
		}
		history = nil
		statuses := [2]byte{'I', 'I'}
		for turn := range rapid.IntRange(1, 30).Draw(t, "turns") {
			if statuses == [2]byte{'I', 'I'} && rapid.IntRange(0, 3).Draw(t, "changes") == 0 {
				change := rapid.SampledFrom(changesOfTables).Draw(t, "change")
				_, _ = run(admin, change) // whether it fails is Postgres's affair
				history = append(history, "admin: "+change)
				for _, c := range clients { // an unnamed statement of before may work where Postgres's doesn't
					_, _ = run(c[0], "select 1")
					_, _ = run(c[1], "select 1")
				}
			}
			i := rapid.IntRange(0, 1).Draw(t, "client")
			if lent && statuses[1-i] != 'I' {
				i = 1 - i // who has the only backend
			}
			frames, text, marker := turnOf(t, turn, statuses[i])
			history = append(history, fmt.Sprintf("%d: %s", i, text))
			var heard [2]string
			for way, c := range clients[i] {
				c.Send(frames...)
				heard[way], statuses[i] = hear(c, marker)
			}
			if heard[0] != heard[1] && first == "" { // what is left behind makes the rest doubtful
				first = fmt.Sprintf("%s\nthrough: %s\ndirect:  %s", strings.Join(history, "\n"), heard[1], heard[0])
			}
			if first != "" {
				t.Fatal(first)
			}
		}
		if statuses[1] != 'I' {
			slices.Reverse(clients[:]) // who has the only backend comes first
		}
		for _, c := range clients {
			for way := range c {
				_, _ = run(c[way], "rollback")
				if reply, _ := run(c[way], "select count(*) from pg_prepared_statements where name like 'pgask%'"); way == 1 && reply > "1" {
					prepared++
				}
				_, _ = run(c[way], "discard all")
				_, _ = run(c[way], "reset all")
			}
		}
	})
	if prepared == 0 {
		t.Error("nothing was prepared")
	}
}
