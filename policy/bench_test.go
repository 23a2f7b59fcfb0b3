package policy_test

import (
	"slices"
	"testing"
	"time"

	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// fiveJoins is a report of some 800 bytes over six relations, five of them with
// row rules.
const fiveJoins = `SELECT a.region, p.name AS product, date_trunc('month', o.ordered_at) AS month,
  count(DISTINCT o.id) AS orders, sum(i.quantity * p.price) AS revenue,
  round(avg(o.amount), 2) AS average, max(d.id) AS newest
FROM public.accounts a
JOIN public.orders o ON o.account_id = a.id AND o.tenant_id = a.tenant_id
JOIN public.order_items i ON i.order_id = o.id
JOIN public.products p ON p.id = i.product_id
LEFT JOIN public.events e ON e.tenant_id = a.tenant_id AND e.id = o.id
LEFT JOIN public.docs d ON d.tenant_id = a.tenant_id
WHERE o.status = 'completed' AND o.ordered_at >= timestamptz '2026-01-01' AND o.ordered_at < now()
  AND a.region IN ('EMEA', 'APAC', 'AMER') AND p.price BETWEEN 10 AND 5000 AND e.id IS NULL
GROUP BY a.region, p.name, date_trunc('month', o.ordered_at)
HAVING count(*) > 3
ORDER BY revenue DESC NULLS LAST, a.region
LIMIT 100`

// BenchmarkJudge is what a text costs that was never seen before, from its bytes
// to the approved text; BenchmarkParser the parser's and printer's part of it.
func BenchmarkJudge(b *testing.B) {
	v := view(b, attributes, "analyst")
	b.ReportAllocs()
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := authorize(v, fiveJoins, policy.Options{Cap: true}); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2]), "p50-ns/op")
}

func BenchmarkParser(b *testing.B) {
	v := view(b, attributes, "analyst")
	a, err := authorize(v, fiveJoins, policy.Options{Cap: true})
	if err != nil {
		b.Fatal(err)
	}
	tree, err := stmt.ParseOne(a.SQL(), stmt.DefaultLimits())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := stmt.ParseOne(fiveJoins, stmt.DefaultLimits()); err != nil {
			b.Fatal(err)
		}
		text, err := stmt.Print(tree)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := stmt.ParseOne(text, stmt.DefaultLimits()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkView is what the first session of a user costs.
func BenchmarkView(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		view(b, attributes, "analyst")
	}
}
