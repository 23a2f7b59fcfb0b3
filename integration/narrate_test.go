package integration

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/pgask/pgask/integration/postgres"
)

// withPoolMode runs a second pgask over the sample company whose pools have that mode.
func withPoolMode(t *testing.T, mode string) *fixture {
	t.Helper()
	return secondProxy(t, func(text string) string {
		return strings.Replace(text, "pool: {mode: session,", "pool: {mode: "+mode+",", 1)
	})
}

// secondPolicy runs a second pgask with policy.yaml changed.
func secondPolicy(t *testing.T, change func(string) string) *fixture {
	t.Helper()
	f := unstarted(t, same)
	edit(t, filepath.Join(filepath.Dir(f.Config), "policy.yaml"), change)
	var err error
	if f.Proxy, err = startServe(f.Config, f.Proxy.addr); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Proxy.stop(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// commas is a number as it is told.
func commas(n string) string {
	for i := len(n) - 3; i > 0; i -= 3 {
		n = n[:i] + "," + n[i:]
	}
	return n
}

// TestTold asks for words and charts by every way that a statement can take, and
// wants what the rows say, from where the client's statements run.
func TestTold(t *testing.T) {
	for _, mode := range poolModes {
		t.Run(mode, func(t *testing.T) {
			f := withPoolMode(t, mode)
			ana, direct := f.Connect(t, "ana"), f.Direct(t)
			all := table(t, direct, "SELECT count(*) FROM orders WHERE tenant_id = 1")[0]
			const qualifier = "\nNote: within what you may see: public.orders"
			want := "There are " + commas(all) + " orders." + qualifier
			const ask = "ASK NARRATE 'how many orders'"
			ctx := context.Background()

			for name, got := range map[string][]string{
				"simple":            table(t, ana, ask),
				"several":           several(t, ana, "SELECT 1; "+ask+"; SELECT 2")[1],
				"prepared by SQL":   several(t, ana, "PREPARE told AS "+ask+"; EXECUTE told; EXECUTE told")[2],
				"in a transaction":  several(t, ana, "BEGIN; "+ask+"; COMMIT")[1],
				"executed, unnamed": textRows(ana.PgConn().ExecParams(ctx, ask, nil, nil, nil, nil).Read()),
				"in binary":         textRows(ana.PgConn().ExecParams(ctx, ask, nil, nil, nil, []int16{1}).Read()),
				"EXECUTE, parsed":   textRows(ana.PgConn().ExecParams(ctx, "EXECUTE told", nil, nil, nil, nil).Read()),
			} {
				if !slices.Equal(got, []string{want}) {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			toldDescribed(t, ana, ask, "answer", pgtype.TextOID, want)
			toldDescribed(t, ana, "ASK CHART 'how many orders' WITH (format = text)", "chart", pgtype.TextOID, "How many orders\norders "+commas(all)+qualifier)
			toldDescribed(t, ana, "ASK CHART 'how many orders'", "spec", pgtype.JSONOID, "")
			toldInPieces(t, f, ask, want)
			toldInOrder(t, f, ask, want)
			toldErrors(t, ana)
			toldTransaction(t, f.Connect(t, "dba"))
		})
	}
}

// several are the rows of each statement of a message.
func several(t *testing.T, conn *pgx.Conn, sql string) [][]string {
	t.Helper()
	results, err := conn.PgConn().Exec(context.Background(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var out [][]string
	for _, r := range results {
		out = append(out, textRows(r))
	}
	return out
}

// toldDescribed prepares a statement, has it described, and then runs it twice.
func toldDescribed(t *testing.T, conn *pgx.Conn, ask, column string, oid uint32, want string) {
	t.Helper()
	ctx := context.Background()
	name := "described " + column
	d, err := conn.PgConn().Prepare(ctx, name, ask, nil)
	if err != nil {
		t.Fatal(ask, err)
	}
	if len(d.Fields) != 1 || d.Fields[0].Name != column || d.Fields[0].DataTypeOID != oid || len(d.ParamOIDs) != 0 {
		t.Errorf("%s is described as %+v with parameters %v", ask, d.Fields, d.ParamOIDs)
	}
	for _, format := range []int16{0, 1} {
		r := conn.PgConn().ExecPrepared(ctx, name, nil, nil, []int16{format}).Read()
		if r.Err != nil || len(r.Rows) != 1 || r.CommandTag.String() != "SELECT 1" {
			t.Fatalf("%s in format %d: %v, %d rows, tag %s", ask, format, r.Err, len(r.Rows), r.CommandTag)
		}
		if got := string(r.Rows[0][0]); want != "" && got != want {
			t.Errorf("%s in format %d: %q, want %q", ask, format, got, want)
		}
		if oid == pgtype.JSONOID && !json.Valid(r.Rows[0][0]) {
			t.Errorf("%s in format %d is no JSON: %s", ask, format, r.Rows[0][0])
		}
	}
}

// toldInPieces reads a portal row by row.
func toldInPieces(t *testing.T, f *fixture, ask, want string) {
	t.Helper()
	got := hijack(t, f.Through("ana")).converse(t, 1, &pgproto3.Parse{Query: ask}, &pgproto3.Bind{}, &pgproto3.Execute{MaxRows: 1},
		&pgproto3.Execute{MaxRows: 1}, &pgproto3.Sync{})
	var kinds string
	for _, frame := range got {
		kinds += frame[:1]
	}
	if kinds != "12DsNCZ" || got[2] != fmt.Sprintf("D %q", "\x00\x01"+string(binary.BigEndian.AppendUint32(nil, uint32(len(want))))+want) {
		t.Errorf("in pieces: %s %q", kinds, got)
	}
}

// toldInOrder sends more behind a question whose words are still to be made: what
// follows comes behind them.
func toldInOrder(t *testing.T, f *fixture, ask, want string) {
	t.Helper()
	s := hijack(t, f.Through("ana"))
	for name, messages := range map[string][]pgproto3.FrontendMessage{
		"queries": {&pgproto3.Query{String: ask}, &pgproto3.Query{String: "SELECT 'behind'"}, &pgproto3.Query{String: ask}},
		"batches": {&pgproto3.Parse{Query: ask}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Sync{}, &pgproto3.Parse{Query: "SELECT 'behind'"}, &pgproto3.Bind{},
			&pgproto3.Execute{}, &pgproto3.Sync{}, &pgproto3.Parse{Query: ask}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Sync{}},
	} {
		var rows []string
		for _, frame := range s.converse(t, 3, messages...) {
			if strings.HasPrefix(frame, "D ") {
				rows = append(rows, frame)
			}
		}
		if len(rows) != 3 || rows[0] != rows[2] || !strings.Contains(rows[1], "behind") || !strings.Contains(rows[0], strings.Split(want, "\n")[0]) {
			t.Errorf("%s: %q", name, rows)
		}
	}
}

// toldErrors: the errors of an answer that is told are those of the answer.
func toldErrors(t *testing.T, ana *pgx.Conn) {
	t.Helper()
	for ask, state := range map[string]string{
		"ASK NARRATE 'how many unicorns'": "PA002", "ASK CHART 'how many unicorns'": "PA002",
		"ASK NARRATE 'products without order items'": "PA007", "ASK CHART 'orders by region' WITH (format = png)": "42601", "ASK NARRATE $1": "42601",
	} {
		if e := failure(t, ana, ask); e.Code != state {
			t.Errorf("%s: %s %s, want %s", ask, e.Code, e.Message, state)
		}
	}
	table(t, ana, "BEGIN")
	if e := failure(t, ana, "SELECT 1 / 0"); e.Code != "22012" {
		t.Fatal(e)
	}
	if e := failure(t, ana, "ASK NARRATE 'how many orders'"); e.Code != "25P02" {
		t.Errorf("in a failed transaction: %s %s", e.Code, e.Message)
	}
	table(t, ana, "ROLLBACK")
}

// toldTransaction tells what a transaction that hasn't ended has done.
func toldTransaction(t *testing.T, dba *pgx.Conn) {
	t.Helper()
	before, err := new(big.Int).SetString(table(t, dba, "SELECT count(*) FROM products")[0], 10)
	if !err {
		t.Fatal("no number of products")
	}
	all := several(t, dba, "BEGIN; INSERT INTO products (id, name, category, unit_price) VALUES (9999, 'x', 'x', 1); ASK NARRATE 'how many products'; ROLLBACK")
	if want := fmt.Sprintf("There are %s products.", before.Add(before, big.NewInt(1))); !slices.Equal(all[2], []string{want}) {
		t.Errorf("in a transaction: %q, want %q", all[2], want)
	}
}

// TestToldOfCut: what is told of a cut answer says so, in words, in the notice and in
// the receipt, and is refused where the role wants that.
func TestToldOfCut(t *testing.T) {
	f := acme(t)
	bot, notices := noticing(t, f.Through("bot"))
	got := table(t, bot, "ASK NARRATE 'list accounts'")[0]
	if !strings.Contains(got, "result truncated at 100 rows") || !slices.Contains(*notices, "01004 result truncated at 100 rows") {
		t.Errorf("%q with notices %q", got, *notices)
	}
	if last := receipt(t, bot); last["truncated"] != "t" || last["rows"] != "1" || last["row_cap"] != "100" {
		t.Errorf("receipt %v", last)
	}
	strict := secondPolicy(t, func(text string) string {
		return strings.Replace(text, "rows: 100, on_truncate: notice", "rows: 100, on_truncate: error", 1)
	})
	if e := failure(t, strict.Connect(t, "bot"), "ASK NARRATE 'list accounts'"); e.Code != "PA011" {
		t.Errorf("where truncation is an error: %s %s", e.Code, e.Message)
	}
}

// TestToldReceipt: the receipt of what is told is that of the rows, and a follow-up
// amends it.
func TestToldReceipt(t *testing.T) {
	f := acme(t)
	ana := f.Connect(t, "ana")
	table(t, ana, "ASK NARRATE 'orders by region'")
	told := receipt(t, ana)
	table(t, ana, "ASK 'orders by region'")
	shown := receipt(t, ana)
	for _, column := range []string{"source", "plan_hash", "scopes", "qualifiers", "verdict", "row_cap"} {
		if told[column] != shown[column] {
			t.Errorf("%s is %q where it is told and %q where it is shown", column, told[column], shown[column])
		}
	}
	if got := table(t, ana, "ASK MORE 'only EMEA'"); len(got) != 1 {
		t.Errorf("a follow-up gives %v", got)
	}
}

// TestToldOfDemo: the sample company's own questions are told, and drawn on a terminal
// of 80 columns.
func TestToldOfDemo(t *testing.T) {
	f := acme(t)
	ana := f.Connect(t, "ana")
	for _, question := range []string{"how many completed orders per region last month", "top 3 products by revenue this year", "average order value by segment",
		"revenue per month this year", "orders by region and status", "arr by month", "list accounts", "orders by month and region"} {
		rows := table(t, ana, "ASK '"+question+"'")
		told := table(t, ana, "ASK NARRATE '"+question+"'")[0]
		qualifiers := strings.Split(strings.Trim(receipt(t, ana)["qualifiers"], `{}"`), `","`)
		chart := table(t, ana, "ASK CHART '"+question+"' WITH (format = text)")[0]
		for _, q := range qualifiers {
			if !strings.Contains(told, q) {
				t.Errorf("%s: %q is missing from %q", question, q, told)
			}
		}
		first, _, _ := strings.Cut(rows[0], " | ")
		if len(rows) < 6 && !strings.Contains(told, first) {
			t.Errorf("%s: %q is missing from %q", question, first, told)
		}
		for _, line := range strings.Split(chart, "\n") {
			if len([]rune(line)) > 78 {
				t.Errorf("%s: a line of %d characters: %q", question, len([]rune(line)), line)
			}
		}
		var spec struct {
			Title struct{ Subtitle []string }
			Data  struct{ Values []map[string]any }
		}
		err := json.Unmarshal([]byte(table(t, ana, "ASK CHART '"+question+"'")[0]), &spec)
		drawn, note := len(spec.Data.Values), fmt.Sprintf("only the first %d of %d rows are drawn", len(spec.Data.Values), len(rows))
		if err != nil || drawn != len(rows) && !slices.Contains(spec.Title.Subtitle, note) {
			t.Errorf("%s: %d rows in the chart, want %d or %q: %v", question, drawn, len(rows), note, err)
		}
	}
}

// TestUntold: rows that can't be read say so, and the session goes on.
func TestUntold(t *testing.T) {
	server := postgres.ForTest(t)
	database := server.CreateDatabase(t)
	direct := connect(t, server.DSN(database))
	if _, err := direct.Exec(t.Context(), "CREATE TABLE deep (id int PRIMARY KEY, j json); INSERT INTO deep SELECT 1, (repeat('[', 11000) || repeat(']', 11000))::json; "+
		"CREATE TABLE names (id int PRIMARY KEY, name text); INSERT INTO names VALUES (1, 'Müller')"); err != nil {
		t.Fatal(err)
	}
	p := serveFiles(t, fmt.Sprintf("databases:\n  world: {dsn: %s, pool: {size: 4}}\n", quoted(server.DSN(database))), map[string]string{
		"policy.yaml": "version: 1\nroles:\n  any: {mode: passthrough, ask: true, databases: [world]}\n",
		"users.yaml":  fmt.Sprintf("users: [{name: any, password: %q, role: any}]\n", verifier(t)),
	})
	conn := connect(t, (&url.URL{Scheme: "postgres", User: url.UserPassword("any", "analyst"), Host: p.addr, Path: "/world", RawQuery: "sslmode=disable"}).String())
	table(t, conn, "SET client_encoding = 'LATIN1'")
	for column, why := range map[string]string{"deep j": "nested too deeply", "names name": "client_encoding is not UTF8"} {
		from, name, _ := strings.Cut(column, " ")
		for _, form := range []string{"NARRATE 'q'", "CHART 'q'"} {
			ask := fmt.Sprintf(`ASK %s USING PLAN '{"version":1,"from":{"table":%q},"select":[{"expr":{"column":%q}}]}'`, form, from, name)
			if got := table(t, conn, ask); len(got) != 1 || !strings.Contains(got[0], why) {
				t.Errorf("%s: %q", ask, got)
			}
		}
	}
}
