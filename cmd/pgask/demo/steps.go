package demo

import (
	"slices"
	"strings"
)

// steps are the tour. TODAY in their comparisons is the date that the questions
// are relative to.
func steps(today string) []step {
	list := slices.Concat(questions(), governance(), larger())
	date := "current_date"
	if today != "" {
		date = "date '" + today + "'"
	}
	for i := range list {
		list[i].same = strings.ReplaceAll(list[i].same, "TODAY", date)
	}
	return list
}

func questions() []step {
	const completed = `select a.region, count(*) from accounts a join orders o on o.account_id = a.id
		where o.status = 'completed' and o.tenant_id = TENANT and a.tenant_id = TENANT
		and o.ordered_at >= date_trunc('month', TODAY) - interval '1 month' and o.ordered_at < date_trunc('month', TODAY)
		group by a.region`
	const top = `select p.name, sum(i.quantity * i.unit_price * (1 - i.discount)) as revenue
		from order_items i join orders o on o.id = i.order_id join products p on p.id = i.product_id
		where o.status = 'completed' and o.tenant_id = 1
		and o.ordered_at >= date_trunc('year', TODAY) and o.ordered_at < date_trunc('year', TODAY) + interval '1 year'
		group by p.name order by revenue desc limit 5`
	const average = `select a.segment, sum(i.quantity * i.unit_price * (1 - i.discount)) / count(distinct o.id)
		from order_items i join orders o on o.id = i.order_id join accounts a on a.id = o.account_id
		where o.status = 'completed' group by a.segment`
	return []step{
		{say: "A question is a statement. The rows come from Postgres, and a notice says how they came about.",
			user: "ana", sql: "ASK 'how many completed orders per region last month'",
			same: strings.ReplaceAll(completed, "TENANT", "1"), notice: "00000"},
		{say: "The same question of another tenant's analyst. The policy adds the tenant, not the question.",
			user: "ben", sql: "ASK 'how many completed orders per region last month'",
			same: strings.ReplaceAll(completed, "TENANT", "2"), notice: "00000"},
		{say: "What would run? No model is needed for this one, and nothing runs.",
			user: "ana", sql: "ASK SQL 'how many completed orders per region last month'", rows: 1},
		{say: "Revenue is defined once, in semantic.yaml, and belongs to somebody.",
			user: "ana", sql: "ASK 'top 5 products by revenue this year'", same: top, ordered: true, notice: "00000"},
		{user: "finn", sql: "ASK 'average order value by segment'", same: average, notice: "00000"},
		{say: "The answer in words, which say what they are about, and as a chart.",
			user: "ana", sql: "ASK NARRATE 'revenue per month this year'", rows: 1, holds: "\nNote: within what you may see: ", notice: "00000"},
		{user: "ana", sql: "ASK CHART 'revenue by region' WITH (format = text)", rows: 1, holds: "\nAMER █", notice: "00000"},
	}
}

func governance() []step {
	return []step{
		{say: "Ordinary SQL is held to the same policy: rows of one tenant, e-mail addresses masked.",
			user: "ana", sql: "SELECT name, region, email FROM accounts ORDER BY id LIMIT 3",
			same: "select name, region, '***@' || split_part(email, '@', 2) from accounts where tenant_id = 1 order by id limit 3", ordered: true},
		{say: "What a role may not read is refused before Postgres sees it, and so is every write.",
			user: "ana", sql: "SELECT * FROM payroll", refused: "42501"},
		{user: "ana", sql: "SELECT tax_id FROM accounts", refused: "42501"},
		{user: "ana", sql: "DELETE FROM orders", refused: "25006"},
		{say: "Long results are cut, and say so.",
			user: "ana", sql: "SELECT id, status, ordered_at FROM orders ORDER BY id",
			same:    "select id, status, ordered_at from orders where tenant_id = 1 order by id limit 1000",
			ordered: true, notice: "01004"},
		{user: "ana", sql: "SELECT count(*) FROM order_items a, order_items b, products c", refused: "PA004"},
	}
}

func larger() []step {
	const curated = `select p.name, sum(i.quantity * i.unit_price * (1 - i.discount)) as revenue
		from order_items i join orders o on o.id = i.order_id join products p on p.id = i.product_id
		where o.status = 'completed' and o.tenant_id = 1 group by p.name order by revenue desc, p.name limit 3`
	return []step{
		{say: "An answer is a table, too.",
			user: "ana", sql: "SELECT count(*) AS months FROM ask('orders per month') AS a",
			same: "select count(distinct date_trunc('month', ordered_at)) from orders where tenant_id = 1", notice: "00000"},
		{say: "A question that somebody has verified gets that SQL, with its own number in it.",
			user: "ana", sql: "ASK 'top 3 products by revenue'", same: curated, ordered: true, notice: "00000"},
		{say: "The last answer's receipt.",
			user: "ana", sql: "SHOW pgask.last", rows: 1},
		{say: "The administrator's SQL passes untouched.",
			user: "dba", sql: "SELECT department, count(*) FROM payroll GROUP BY department ORDER BY department",
			same: "select department, count(*) from payroll group by department order by department", ordered: true},
	}
}
