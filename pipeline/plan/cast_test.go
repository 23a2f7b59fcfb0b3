package plan_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
)

// oddities are texts that look like values of other types, and numbers at the
// ends of theirs.
const oddities = `
CREATE TABLE odd (id serial PRIMARY KEY, t text, n numeric, f double precision, b bigint);
INSERT INTO odd (t) SELECT unnest(ARRAY['', ' ', '7', ' -8 ', '+9', '1.5', '.5', '5.', '1e3', '1e400', '99999999999', '9999999999999999999', '0x10', '1_000',
  'NaN', 'Infinity', 'x7', '7x', E'7\n', '2024-02-29', '2023-02-29', '1900-02-29', '2000-02-29', '0000-01-01', '2024-13-01', '2024-04-31', '2024-12-31 23:59',
  '2024-12-31T23:59:59.5', '2024-12-31 24:00', '20241231', 'now', 'infinity', 'true', ' T ', 'yes', 'off', '0', '1', 'maybe', NULL]);
INSERT INTO odd (n, f, b) VALUES (1e400, 1e300, 9223372036854775807), ('NaN', 'NaN', 2147483648), (2147483647.5, 2147483647.4, -2147483648),
  (-1.5, 'Infinity', 0), (0.5, '-Infinity', 1), (9223372036854775807.4, -0.5, -1), (9223372036854775807.6, 9.3e18, NULL);
CREATE FUNCTION tried(v anyelement, type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text;
BEGIN
  EXECUTE format('SELECT ($1::%s)::text', type) INTO r USING v;
  RETURN r;
EXCEPTION WHEN OTHERS THEN RETURN NULL;
END $$;`

// No value makes a cast fail, and what it gives is what Postgres gives. Some of
// what Postgres reads is null: words such as now and infinity, other spellings.
func TestCastsOfOddities(t *testing.T) {
	conn, _ := database(t)
	ctx := context.Background()
	if _, err := conn.Exec(ctx, oddities); err != nil {
		t.Fatal(err)
	}
	s, err := catalog.Read(ctx, conn, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := plan.Context{Catalog: s}
	nulls := map[string]int{
		"t integer": 3, "t bigint": 3, "t numeric": 5, "t double precision": 6, "t date": 5, "t timestamp": 5,
		"n double precision": 1, "f numeric": 3,
	}
	for _, column := range []string{"t", "n", "f", "b"} {
		for _, to := range []string{"text", "integer", "bigint", "numeric", "double precision", "boolean", "date", "timestamp"} {
			if column != "t" && (to == "date" || to == "timestamp" || to == "boolean") {
				continue
			}
			t.Run(column+" "+to, func(t *testing.T) {
				_, sql := sqlOf(t, from+`"odd"},"select":[{"expr":{"column":"id"}},{"expr":{"cast":{"arg":{"column":"`+column+`"},"to":"`+to+`"}},"as":"x"}],"order_by":[{"item":"id"}]}`, c)
				differ, lost := compareCasts(t, conn, sql, column, to)
				for _, d := range differ {
					t.Error(d)
				}
				if lost > nulls[column+" "+to] {
					t.Errorf("%d values are null that Postgres casts", lost)
				}
			})
		}
	}
}

// compareCasts lists the values that differ from Postgres's own cast, and counts
// those that are null here alone.
func compareCasts(t *testing.T, conn *pgx.Conn, sql, column, to string) (differ []string, lost int) {
	t.Helper()
	rows, err := conn.Query(context.Background(), "SELECT coalesce(o."+column+"::text, 'null'), q.x::text, tried(o."+column+", '"+to+"') FROM odd o JOIN ("+sql+") q USING (id)")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var value string
		var got, want *string
		if err := rows.Scan(&value, &got, &want); err != nil {
			t.Fatal(err)
		}
		switch {
		case got == nil && want != nil:
			t.Logf("%q is null, Postgres has %s", value, *want)
			lost++
		case got != nil && (want == nil || *got != *want):
			differ = append(differ, value+" gives "+*got)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	return differ, lost
}
