package pipeline

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every kind of plan passes the policy, and gives what SQL over the asker's own
// rows gives.
func TestPlansOfEveryKind(t *testing.T) {
	f := newFixture(t)
	if _, err := f.conn.Exec(t.Context(), `CREATE SCHEMA own;
CREATE VIEW own.shops AS SELECT * FROM public.shops WHERE tenant_id = 1;
CREATE VIEW own.sales AS SELECT * FROM public.sales WHERE tenant_id = 1`); err != nil {
		t.Fatal(err)
	}
	s := f.session("clerk")
	const perShop = `{"from":{"table":"sales"},"select":[{"expr":{"column":"shop_id"}},{"expr":{"aggregate":{"func":"sum","arg":{"column":"amount"}}},"as":"total"}]}`
	for name, c := range map[string]struct{ plan, sql string }{
		"a value": {`"from":{"table":"sales"},"where":{"op":{"op":">","args":[{"column":"amount"},{"plan":{"from":{"table":"sales"},"select":[{"expr":{"aggregate":{"func":"avg","arg":{"column":"amount"}}}}]}}]}},
			"select":[{"expr":{"aggregate":{"func":"count"}},"as":"n"}]`, `SELECT count(*) FROM own.sales WHERE amount > (SELECT avg(amount) FROM own.sales)`},
		"membership": {`"from":{"table":"shops"},"where":{"op":{"op":"in","args":[{"column":"id"},{"plan":{"from":{"table":"sales"},"where":{"op":{"op":">","args":[{"column":"amount"},{"literal":{"value":595}}]}},
			"select":[{"expr":{"column":"shop_id"}}]}}]}},"select":[{"expr":{"column":"id"}}],"order_by":[{"item":"id"}]`, `SELECT id FROM own.shops WHERE id IN (SELECT shop_id FROM own.sales WHERE amount > 595) ORDER BY 1`},
		"rows of a correlated plan": {`"from":{"table":"shops","as":"s"},"where":{"op":{"op":"exists","args":[{"plan":{"from":{"table":"sales","as":"x"},"where":{"op":{"op":"and","args":[
			{"op":{"op":"=","args":[{"column":"x.shop_id"},{"column":"s.id"}]}},{"op":{"op":">","args":[{"column":"x.amount"},{"literal":{"value":595}}]}}]}},"select":[{"expr":{"column":"x.id"}}]}}]}},
			"select":[{"expr":{"column":"s.id"}}],"order_by":[{"item":"id"}]`, `SELECT id FROM own.shops WHERE id IN (SELECT shop_id FROM own.sales WHERE amount > 595) ORDER BY 1`},
		"an aggregate of aggregates": {`"from":{"as":"x","plan":` + perShop + `},"select":[{"expr":{"aggregate":{"func":"max","arg":{"column":"x.total"}}},"as":"m"}]`,
			`SELECT max(t) FROM (SELECT sum(amount) AS t FROM own.sales GROUP BY shop_id) x`},
		"a joined block": {`"from":{"table":"shops","as":"s"},"joins":[{"kind":"left","as":"x","on":[["s.id","x.shop_id"]],"plan":` + perShop + `}],
			"select":[{"expr":{"column":"s.city"}},{"expr":{"aggregate":{"func":"sum","arg":{"column":"x.total"}}},"as":"t"}],"order_by":[{"item":"city"}]`,
			`SELECT city, sum(amount) FROM own.shops s JOIN own.sales x ON x.shop_id = s.id GROUP BY 1 ORDER BY 1`},
		"full": {`"from":{"as":"a","plan":` + perShop + `},"joins":[{"kind":"full","as":"b","on":[["a.shop_id","b.shop_id"]],"plan":` + perShop + `}],
			"select":[{"expr":{"aggregate":{"func":"count","arg":{"column":"b.total"}}},"as":"n"}]`, `SELECT count(DISTINCT shop_id) FROM own.sales`},
		"a union": {`"set":{"op":"union","plans":[{"from":{"table":"shops"},"select":[{"expr":{"column":"id"}}]},{"from":{"table":"sales"},"where":{"op":{"op":"<","args":[{"column":"id"},{"literal":{"value":30}}]}},
			"select":[{"expr":{"column":"id"}}]}]},"order_by":[{"item":"id","desc":true}],"limit":5`,
			`SELECT id FROM own.shops UNION SELECT id FROM own.sales WHERE id < 30 ORDER BY 1 DESC LIMIT 5`},
		"windows": {`"from":{"as":"r","plan":{"from":{"table":"sales","as":"s"},"select":[{"expr":{"column":"s.shop_id"}},{"expr":{"column":"s.id"}},
			{"expr":{"window":{"func":"row_number","partition_by":[{"column":"s.shop_id"}],"order_by":[{"expr":{"column":"s.amount"},"desc":true}]}},"as":"place"},
			{"expr":{"window":{"func":"sum","args":[{"column":"s.amount"}],"order_by":[{"expr":{"column":"s.id"}}],"frame":{"unit":"rows","start":-1,"end":0}}},"as":"two"}]}},
			"where":{"op":{"op":"=","args":[{"column":"r.place"},{"literal":{"value":1}}]}},"select":[{"expr":{"column":"r.id"}},{"expr":{"column":"r.two"}}],"order_by":[{"item":"id"}]`,
			`SELECT id, two FROM (SELECT id, row_number() OVER (PARTITION BY shop_id ORDER BY amount DESC) AS place,
			sum(amount) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS two FROM own.sales) r WHERE place = 1 ORDER BY 1`},
		"aggregates": {`"from":{"table":"sales"},"select":[{"expr":{"aggregate":{"func":"median","arg":{"column":"amount"}}},"as":"m"},
			{"expr":{"aggregate":{"func":"percentile_disc","fraction":0.9,"arg":{"column":"amount"}}},"as":"p"},{"expr":{"aggregate":{"func":"stddev","arg":{"column":"amount"}}},"as":"d"}]`,
			`SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount::float8), percentile_disc(0.9) WITHIN GROUP (ORDER BY amount), stddev(amount) FROM own.sales`},
		"whether all are, where all can be seen": {`"from":{"table":"uncounted"},"select":[{"expr":{"aggregate":{"func":"bool_and","arg":{"op":{"op":">","args":[{"column":"id"},{"literal":{"value":0}}]}}}},"as":"b"}]`,
			`SELECT bool_and(id > 0) FROM uncounted`},
		"texts": {`"from":{"table":"shops"},"select":[{"expr":{"aggregate":{"func":"string_agg","distinct":true,"arg":{"call":{"func":"initcap","args":[{"call":{"func":"left","args":[{"column":"city"},{"literal":{"value":2}}]}}]}}}},"as":"x"}]`,
			`SELECT string_agg(DISTINCT left(city, 2), ', ') FROM own.shops`},
		"casts": {`"from":{"table":"shops"},"where":{"op":{"op":"=","args":[{"column":"city"},{"literal":{"value":"Oslo"}}]}},"select":[{"expr":{"aggregate":{"func":"count","arg":{"cast":{"arg":{"column":"city"},"to":"integer"}}}},"as":"n"},
			{"expr":{"aggregate":{"func":"count","arg":{"cast":{"arg":{"column":"city"},"to":"date"}}}},"as":"d"}]`, `SELECT 0, 0`},
		"periods": {`"from":{"table":"sales"},"where":{"period":{"column":"sold_on","unit":"year","last":200}},"select":[{"expr":{"call":{"func":"date_diff","unit":"month","args":[{"aggregate":{"func":"min","arg":{"column":"sold_on"}}},
			{"aggregate":{"func":"max","arg":{"column":"sold_on"}}}]}},"as":"n"}]`, `SELECT 9`},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := f.play(s.Query(t.Context(), "ASK 'x' USING PLAN '{"+`"version":1,`+c.plan+"}'"))
			results, err := f.conn.PgConn().Exec(t.Context(), c.sql).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			var want [][]string
			for _, row := range results[0].Rows {
				out := make([]string, len(row))
				for i, v := range row {
					out[i] = string(v)
				}
				want = append(want, out)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
