package integration

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// noticing is a session whose notices are kept.
func noticing(t *testing.T, dsn string) (*pgx.Conn, *[]string) {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	var notices []string
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { notices = append(notices, n.Code+" "+n.Message) }
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn, &notices
}

// TestCut reads one row more than the cap, exactly the cap, and one less.
func TestCut(t *testing.T) {
	f := acme(t)
	conn, notices := noticing(t, f.Through("ana"))
	for asked, want := range map[int]int{999: 999, 1000: 1000, 1001: 1000} {
		for name, run := range map[string]func(string) *pgconn.Result{
			"simple": func(sql string) *pgconn.Result {
				results, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
				if err != nil {
					t.Fatal(err)
				}
				return results[0]
			},
			"extended": func(sql string) *pgconn.Result {
				return conn.PgConn().ExecParams(t.Context(), sql, nil, nil, nil, nil).Read()
			},
		} {
			*notices = nil
			result := run(fmt.Sprintf("SELECT id FROM orders ORDER BY id LIMIT %d", asked))
			if result.Err != nil || len(result.Rows) != want || result.CommandTag.String() != fmt.Sprint("SELECT ", want) {
				t.Errorf("%s, %d rows: got %d, tag %q, error %v", name, asked, len(result.Rows), result.CommandTag, result.Err)
			}
			var wantNotices []string
			if asked > 1000 {
				wantNotices = []string{"01004 result truncated at 1000 rows"}
			}
			if diff := cmp.Diff(wantNotices, *notices); diff != "" {
				t.Errorf("%s, %d rows: notices %s", name, asked, diff)
			}
			last := receipt(t, conn)
			if got, want := last["truncated"], map[bool]string{true: "t", false: "f"}[asked > 1000]; got != want {
				t.Errorf("%s, %d rows: SHOW pgask.last has truncated %q", name, asked, got)
			}
			if got := last["rows"]; got != fmt.Sprint(want) {
				t.Errorf("%s, %d rows: SHOW pgask.last has rows %q", name, asked, got)
			}
		}
	}
}

// receipt is SHOW pgask.last by column.
func receipt(t *testing.T, conn *pgx.Conn) map[string]string {
	t.Helper()
	results, err := conn.PgConn().Exec(t.Context(), "SHOW pgask.last").ReadAll()
	if err != nil || len(results) != 1 || len(results[0].Rows) != 1 {
		t.Fatalf("SHOW pgask.last: %d results, error %v", len(results), err)
	}
	last := map[string]string{}
	for i, f := range results[0].FieldDescriptions {
		last[f.Name] = string(results[0].Rows[0][i])
	}
	return last
}

// TestReceipt wants the columns of CONTRACT's SHOW pgask.last after an answer.
func TestReceipt(t *testing.T) {
	f := acme(t)
	conn, notices := noticing(t, f.Through("ana"))
	table(t, conn, "ASK 'revenue by region'")
	if len(*notices) != 1 || !strings.HasPrefix((*notices)[0], "00000 ") || !strings.Contains((*notices)[0], "builtin") {
		t.Errorf("notices %q", *notices)
	}
	last := receipt(t, conn)
	for _, column := range strings.Fields("request_id source plan_hash schema_version policy_version curated verdict scopes qualifiers row_cap model_calls rows estimated_rows truncated ms") {
		if _, ok := last[column]; !ok {
			t.Errorf("no column %s", column)
		}
	}
	for column, want := range map[string]string{"source": "builtin", "verdict": "allowed", "row_cap": "1000", "model_calls": "0", "rows": "3", "truncated": "f"} {
		if last[column] != want {
			t.Errorf("%s is %q, want %q", column, last[column], want)
		}
	}
}

// TestPreflight refuses a cross join before it runs: all that Postgres sees of
// it is its EXPLAIN.
func TestPreflight(t *testing.T) {
	f := acme(t)
	conn := f.Connect(t, "ana")
	mark := "mark_" + strings.ToLower(rand.Text())
	_, err := tryTable(conn, "SELECT count(*) AS "+mark+" FROM order_items a, order_items b, products c")
	if sqlState(err) != "PA004" {
		t.Errorf("SQLSTATE %s", sqlState(err))
	}
	log, err := f.Server.Log(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(log) {
		if strings.Contains(line, mark) && !strings.Contains(strings.ToUpper(line), "EXPLAIN") {
			t.Errorf("arrived: %s", line)
		}
	}
}

// TestMask reads masked e-mail addresses wherever they are used.
func TestMask(t *testing.T) {
	f := acme(t)
	conn, direct := f.Connect(t, "ana"), f.Direct(t)
	for through, round := range map[string]string{
		"SELECT id, email FROM accounts ORDER BY id LIMIT 20":             "select id, '***@' || split_part(email, '@', 2) from accounts where tenant_id = 1 order by id limit 20",
		"SELECT count(*) FROM accounts WHERE email LIKE 'billing%'":       "select 0",
		"SELECT min(length(email)), max(email) FROM accounts":             "select min(length(m)), max(m) from (select '***@' || split_part(email, '@', 2) from accounts where tenant_id = 1) x (m)",
		"SELECT count(*) FROM order_items":                                "select count(*) from order_items i join orders o on o.id = i.order_id where o.tenant_id = 1",
		"SELECT sum(arr) FROM monthly_account_arr":                        "select sum(arr) from monthly_account_arr m join accounts a on a.id = m.account_id where a.tenant_id = 1",
		"SELECT count(*) FROM orders WHERE tenant_id = 2":                 "select 0",
		"SELECT count(*) FROM products p LEFT JOIN orders o ON o.id = -1": "select 40",
	} {
		if diff := cmp.Diff(table(t, direct, round), table(t, conn, through)); diff != "" {
			t.Errorf("%s: %s", through, diff)
		}
	}
}
