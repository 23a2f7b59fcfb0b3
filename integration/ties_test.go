package integration

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestTies: where a limit leaves out rows that are equal to the last in what they are sorted by,
// the answer says so, in every form, and where it leaves out none it doesn't. The rows are as
// many as were asked for.
func TestTies(t *testing.T) {
	dsn, direct := asShopkeeper(t, namesakes, "{rows: 2, on_truncate: error}")
	conn, notices := noticing(t, dsn)
	simple := func(sql string) *pgconn.Result {
		results, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return results[len(results)-1]
	}
	extended := func(sql string) *pgconn.Result {
		return conn.PgConn().ExecParams(t.Context(), sql, nil, nil, nil, nil).Read()
	}
	n := 0
	prepared := func(execute func(string) *pgconn.Result) func(string) *pgconn.Result {
		return func(sql string) *pgconn.Result {
			n++
			simple(fmt.Sprintf("PREPARE p%d AS %s", n, sql))
			return execute(fmt.Sprintf("EXECUTE p%d", n))
		}
	}
	for _, c := range []struct {
		question, want string
		tied           bool
	}{
		{"the most expensive product", "SELECT name FROM products WHERE id = 1", true},
		{"the cheapest product", "SELECT name FROM products WHERE id = 4", false},
		{"the 2 most expensive products", "SELECT name FROM products WHERE id IN (1, 3) ORDER BY id", false},
		{"top 2 products by price", "SELECT name FROM products WHERE id IN (1, 3) ORDER BY id", false},
		{"which customer has the most orders", "SELECT name FROM customers WHERE id = 3", false},
		{"top 2 customers by number of orders", "VALUES ('Cleo'), ('Ada')", true},
	} {
		ask := "ASK '" + c.question + "'"
		for name, run := range map[string]func(string) *pgconn.Result{"simple": simple, "extended": extended, "EXECUTE, simple": prepared(simple), "EXECUTE, extended": prepared(extended)} {
			*notices = nil
			r := run(ask)
			if r.Err != nil {
				t.Errorf("%s: %s: %v", name, c.question, r.Err)
				continue
			}
			var got []string
			for _, row := range r.Rows {
				got = append(got, string(row[0]))
			}
			if want := table(t, direct, c.want); !slices.Equal(got, want) {
				t.Errorf("%s: %s: %v, want %v", name, c.question, got, want)
			}
			if want := fmt.Sprint("SELECT ", len(r.Rows)); r.CommandTag.String() != want {
				t.Errorf("%s: %s: tag %q, want %q", name, c.question, r.CommandTag, want)
			}
			const says = "and were left out"
			if said := strings.Contains(strings.Join(*notices, "\n"), says); said != c.tied || len(*notices) != 1 {
				t.Errorf("%s: %s: notices %q", name, c.question, *notices)
			}
			last := receipt(t, conn)
			if said := strings.Contains(last["qualifiers"], says); said != c.tied || last["truncated"] != "f" || last["rows"] != fmt.Sprint(len(r.Rows)) {
				t.Errorf("%s: %s: SHOW pgask.last %v", name, c.question, last)
			}
		}
		for _, form := range []string{"ASK NARRATE '%s'", "ASK CHART '%s'", "ASK CHART '%s' WITH (format = text)"} {
			*notices = nil
			told := strings.Join(strings.Fields(string(simple(fmt.Sprintf(form, c.question)).Rows[0][0])), " ")
			if said := strings.Contains(told, "tie with"); said != c.tied || strings.Contains(strings.Join(*notices, "\n"), "tie with") != c.tied {
				t.Errorf(form+": %s, notices %q", c.question, told, *notices)
			}
		}
	}
}

// TestTiesUnseen: what a larger statement makes of the rows, nobody sees, so that it is said that
// rows may be left out, unless the order tells all apart. The role's cap goes first.
func TestTiesUnseen(t *testing.T) {
	dsn, _ := asShopkeeper(t, namesakes, "{rows: 1, on_truncate: error}")
	conn, notices := noticing(t, dsn)
	for question, says := range map[string]bool{"the most expensive product": true, "how many orders": false} {
		*notices = nil
		table(t, conn, "SELECT count(*) FROM ask('"+question+"') AS a")
		if said := strings.Contains((*notices)[0], "others that tie with the last of the 1 rows may be left out"); said != says {
			t.Errorf("%s: notices %q", question, *notices)
		}
	}
	if e := failure(t, conn, "ASK 'top 2 products by price'"); e.Code != "PA011" {
		t.Errorf("%s %s", e.Code, e.Message)
	}
}
