package integration

import (
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func sizedSchema() []string {
	return []string{
		`CREATE TABLE big (id int PRIMARY KEY, x text, tenant_id int, hidden int) WITH (autovacuum_enabled = off)`,
		`CREATE INDEX ON big (hidden)`,
		`INSERT INTO big SELECT i, 'x' || i, 1, i FROM generate_series(1, 20000) AS i`,
		`CREATE TABLE events (id int, at date, tenant_id int) PARTITION BY RANGE (at)`,
		`CREATE TABLE events_2021 PARTITION OF events FOR VALUES FROM ('2021-01-01') TO ('2022-01-01') WITH (autovacuum_enabled = off)`,
		`CREATE TABLE events_2022 PARTITION OF events FOR VALUES FROM ('2022-01-01') TO ('2023-01-01') WITH (autovacuum_enabled = off)`,
		`CREATE TABLE events_2023 PARTITION OF events FOR VALUES FROM ('2023-01-01') TO ('2024-01-01') WITH (autovacuum_enabled = off)`,
		`INSERT INTO events SELECT i, date '2021-01-01' + i % 1095, 1 FROM generate_series(1, 3285) AS i`,
		`CREATE TABLE fresh (id int) WITH (autovacuum_enabled = off)`,
		`ANALYZE big`, `ANALYZE events`,
		`INSERT INTO fresh SELECT generate_series(1, 5000)`,
		`CREATE TABLE grown (id int) WITH (autovacuum_enabled = off)`,
		`INSERT INTO grown SELECT generate_series(1, 1000)`, `ANALYZE grown`,
		`INSERT INTO grown SELECT generate_series(1, 9000)`,
	}
}

func sizedRules(limits string) string {
	return indented("search_path: [public]", "tables: {allow: [public.big, public.events, public.fresh, public.grown]}",
		"columns: [{table: public.big, deny: [hidden]}]",
		`scopes: [{tables: [public.big, public.events], where: "tenant_id = :tenant_id"}]`, "limits: {rows: 100, "+limits+"}")
}

// TestEstimates compares estimates with the sizes of the tables.
func TestEstimates(t *testing.T) {
	w := newGovernedWorld(t, "session", sizedRules("explain_rows: 100000"), sizedSchema()...)
	conn := w.connect(t)
	for _, c := range []struct {
		sql         string
		least, most int
	}{
		{"SELECT id FROM big WHERE id = 7", 1, 2},
		{"SELECT id FROM big WHERE id BETWEEN 10 AND 20", 5, 30},
		{"SELECT count(*) FROM big WHERE x = 'nothing'", 20000, 20000},
		{"SELECT id FROM big LIMIT 10", 20000, 20000},
		{"SELECT count(*) FROM events", 3285, 3285},
		{"SELECT count(*) FROM events WHERE at = '2022-05-05'", 1095, 1095},
		{"SELECT count(*) FROM events WHERE at < '2023-01-01'", 2190, 2190},
		{"SELECT count(*) FROM fresh", 2500, 12500},
		{"SELECT count(*) FROM grown WHERE id = 7", 5000, 15000},
		{"SELECT count(*) FROM (SELECT 1 FROM events UNION ALL SELECT 1 FROM big) u", 23285, 23285},
		{"SELECT count(*) FROM big a JOIN big b ON a.id = b.id WHERE a.id < 5", 1, 200},
		{"SELECT count(*) FROM generate_series(1, 50000)", 50000, 50000},
		{"COPY (SELECT id FROM big WHERE x = 'nothing') TO STDOUT", 20000, 20000},
	} {
		if err := protocols()["simple"](conn, c.sql); err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if got := estimated(t, conn); got < c.least || got > c.most {
			t.Errorf("%s: about %d rows, want %d to %d", c.sql, got, c.least, c.most)
		}
	}
	for sql, least := range map[string]int{"SELECT count(*) FROM events WHERE at = $1": 1095, "SELECT count(*) FROM big WHERE id = $1": 1} {
		value := "7"
		if strings.Contains(sql, "at =") {
			value = "2022-05-05"
		}
		if r := conn.PgConn().ExecParams(t.Context(), sql, [][]byte{[]byte(value)}, nil, nil, nil).Read(); r.Err != nil {
			t.Errorf("%s: %v", sql, r.Err)
		}
		if got := estimated(t, conn); got < least || got > least+100 {
			t.Errorf("%s: about %d rows, want %d", sql, got, least)
		}
	}
}

// estimated is what SHOW pgask.last says was expected of the last statement.
func estimated(t *testing.T, conn *pgx.Conn) int {
	t.Helper()
	n, err := strconv.Atoi(receipt(t, conn)["estimated_rows"])
	if err != nil {
		t.Errorf("no estimate: %v", err)
	}
	return n
}

// TestTooMuch refuses what reads too much, however it is sent, and says what and
// how to read less of it.
func TestTooMuch(t *testing.T) {
	w := newGovernedWorld(t, "session", sizedRules("explain_rows: 100000"), sizedSchema()...)
	conn := w.connect(t)
	const cross = "SELECT count(*) FROM big a, big b"
	for _, sql := range []string{
		cross, "COPY (" + cross + ") TO STDOUT", "PREPARE p AS " + cross, "BEGIN; DECLARE c CURSOR FOR " + cross, "SELECT 1; " + cross,
		"SELECT * FROM big a, big b LIMIT 1",
		"SELECT count(*) FROM big a JOIN big b ON abs(a.id - b.id) < 0 AND a.x || b.x = 'q' AND a.x || b.id::text = 'z'",
		"SELECT count(*) FROM big a WHERE (SELECT count(*) FROM big b WHERE b.x = a.x) > 3",
		"SELECT sum(n) FROM big a, LATERAL (SELECT count(*) AS n FROM big b WHERE b.x > a.x) q",
		"SELECT count(*) FROM generate_series(1, 1000000)",
	} {
		for name, send := range protocols() {
			if name == "extended" && strings.Contains(sql, ";") {
				continue
			}
			if got := sqlState(send(conn, sql)); got != "PA004" {
				t.Errorf("%s, %s: %s", name, sql, got)
			}
			table(t, conn, "ROLLBACK")
		}
	}
	for sql, want := range map[string]struct{ message, detail, hint string }{
		cross: {"this query would scan about 400 million rows; refine your filters", "of big.", "add a condition on an indexed column of big: id"},
		"SELECT count(*) FROM events a, events b, events c": {"rows; refine your filters", "of events.", "add a condition on at, by which events is partitioned"},
		"SELECT count(*) FROM fresh a, fresh b, fresh c":    {"rows; refine your filters", "of fresh.", "add a condition that selects fewer rows, or join along a key"},
	} {
		e := failure(t, conn, sql)
		if e.Code != "PA004" || !strings.Contains(e.Message, want.message) || !strings.Contains(e.Detail, want.detail) || e.Hint != want.hint {
			t.Errorf("%s: %+v", sql, e)
		}
		if all := e.Message + e.Detail + e.Hint; strings.Contains(all, "hidden") || strings.Contains(all, "events_") {
			t.Errorf("%s: %s", sql, all)
		}
	}
}

// TestPreflightLimits tries the limit on cost, and none.
func TestPreflightLimits(t *testing.T) {
	cost := newGovernedWorld(t, "session", sizedRules("explain_rows: 0, explain_cost: 50"), sizedSchema()...).connect(t)
	if e := failure(t, cost, "SELECT count(*) FROM big"); e.Code != "PA004" || !strings.Contains(e.Message, "the limit is 50") {
		t.Errorf("%+v", e)
	}
	table(t, cost, "SELECT x FROM big WHERE id = 7")
	none := newGovernedWorld(t, "session", sizedRules("explain_rows: 0, explain_cost: 0"), sizedSchema()...).connect(t)
	table(t, none, "SELECT count(*) FROM events a, events b LIMIT 1")
}
