package integration

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
)

func asError(err error, target **pgconn.PgError) bool { return errors.As(err, target) }

// question is something asked and the SQL that somebody would have written for
// it, with the tenant in its WHERE.
type question struct {
	ask     string
	sql     string
	ordered bool
	mayFail bool // an honest refusal with a HINT will do
}

func questions() []question {
	const revenue = "sum(i.quantity * i.unit_price * (1 - i.discount))"
	const from = ` from order_items i join orders o on o.id = i.order_id join products p on p.id = i.product_id
		join accounts a on a.id = o.account_id where o.status = 'completed' and o.tenant_id = TENANT `
	return []question{
		{ask: "ASK 'how many completed orders per region last month'",
			sql: `select a.region, count(*) from orders o join accounts a on a.id = o.account_id
				where o.status = 'completed' and o.tenant_id = TENANT
				and o.ordered_at >= date_trunc('month', now()) - interval '1 month' and o.ordered_at < date_trunc('month', now())
				group by a.region`},
		{ask: "ASK 'top 5 products by revenue this year'", ordered: true,
			sql: "select p.name, " + revenue + from + "and o.ordered_at >= date_trunc('year', now()) group by p.name order by 2 desc limit 5"},
		{ask: "ASK 'average order value by segment'",
			sql: "select a.segment, " + revenue + " / count(distinct o.id)" + from + "group by a.segment"},
		{ask: "ASK 'customers in EMEA without orders'", mayFail: true,
			sql: `select a.id from accounts a where a.region = 'EMEA' and a.tenant_id = TENANT
				and not exists (select from orders o where o.account_id = a.id)`},
		{ask: "SELECT count(*) FROM ask('orders per month') a",
			sql: "select count(distinct date_trunc('month', ordered_at)) from orders where tenant_id = TENANT"},
		{ask: "WITH m AS (SELECT * FROM ask('revenue by region') AS a (region, revenue)) SELECT region, revenue FROM m WHERE region <> 'APAC'",
			sql: "select a.region, " + revenue + from + "and a.region <> 'APAC' group by a.region"},
		{ask: "ASK 'top 3 products by revenue'", ordered: true,
			sql: "select p.name, " + revenue + from + "group by p.name order by 2 desc limit 3"},
		{ask: "/* ask: orders by status */ SELECT 'a tool that insists on SQL'",
			sql: "select status, count(*) from orders where tenant_id = TENANT group by status"},
		{ask: "ASK 'arr by segment today'", ordered: true,
			sql: `select a.segment, sum(m.arr), count(*) from monthly_account_arr m join accounts a on a.id = m.account_id
				where a.tenant_id = TENANT and m.month = (select max(month) from monthly_account_arr) group by 1 order by 2 desc`},
	}
}

// TestQuestions asks as two tenants' analysts and compares with SQL run direct.
func TestQuestions(t *testing.T) {
	f := acme(t)
	direct := f.Direct(t)
	for _, user := range []struct{ name, tenant string }{{"ana", "1"}, {"ben", "2"}} {
		conn := f.Connect(t, user.name)
		for _, q := range questions() {
			t.Run(user.name+"/"+q.ask, func(t *testing.T) {
				got, err := tryTable(conn, q.ask)
				if q.mayFail && honest(err) {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				want := table(t, direct, strings.ReplaceAll(q.sql, "TENANT", user.tenant))
				if q.mayFail { // which columns describe a customer is the answer's choice
					if len(got) != len(want) {
						t.Errorf("%d rows, want %d", len(got), len(want))
					}
					return
				}
				if !q.ordered {
					got, want = sorted(got), sorted(want)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
				if len(want) == 0 {
					t.Error("the comparison has no rows, so it shows nothing")
				}
			})
		}
	}
}

// honest tells whether an error is a refusal to answer that says how to go on.
func honest(err error) bool {
	var coded *pgconn.PgError
	return asError(err, &coded) && strings.HasPrefix(coded.Code, "PA00") && coded.Hint != ""
}

// TestFinance sees both tenants, and still not the payroll.
func TestFinance(t *testing.T) {
	f := acme(t)
	conn, direct := f.Connect(t, "finn"), f.Direct(t)
	got := sorted(table(t, conn, "ASK 'orders by status'"))
	want := sorted(table(t, direct, "select status, count(*) from orders group by status"))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := tryTable(conn, "SELECT count(*) FROM payroll"); sqlState(err) != "42501" {
		t.Errorf("payroll: %v", err)
	}
}

// TestAnswerInForms asks one question in every form that gives its rows.
func TestAnswerInForms(t *testing.T) {
	f := acme(t)
	conn, direct := f.Connect(t, "ana"), f.Direct(t)
	want := sorted(table(t, direct, "select status, count(*) from orders where tenant_id = 1 group by status"))
	plan := table(t, conn, "ASK PLAN 'orders by status'")[0]
	plan = plan[:strings.LastIndex(plan, " | ")]
	for _, sql := range []string{
		"ask 'orders by status';",
		"  /* a comment */ Ask $q$orders by status$q$",
		"ASK E'orders by status'",
		"SELECT a.* FROM ask('orders by status') AS a",
		"SELECT s, n FROM ask('orders by status') AS a (s, n)",
		"SELECT a.* FROM (SELECT 1) AS one CROSS JOIN LATERAL ask('orders by status') AS a",
		fmt.Sprintf("ASK 'orders by status' USING PLAN '%s'", strings.ReplaceAll(plan, "'", "''")),
	} {
		got, err := tryTable(conn, sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if diff := cmp.Diff(want, sorted(got)); diff != "" {
			t.Errorf("%s: %s", sql, diff)
		}
	}
}

// TestAskSQL runs what ASK SQL shows and wants the rows of ASK.
func TestAskSQL(t *testing.T) {
	f := acme(t)
	conn, direct := f.Connect(t, "ana"), f.Direct(t)
	results, err := conn.PgConn().Exec(t.Context(), "ASK SQL 'revenue by region'").ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got := sorted(table(t, direct, string(results[0].Rows[0][0])))
	want := sorted(table(t, conn, "ASK 'revenue by region'"))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if source := string(results[0].Rows[0][1]); source != "builtin" {
		t.Errorf("source %q", source)
	}
}
