package pipeline

import "testing"

func TestWeigh(t *testing.T) {
	const seq = `{"Node Type": "Seq Scan", "Relation Name": "big", "Schema": "s", "Plan Rows": 3`
	sizes := map[relation]float64{{"s", "big"}: 1000}
	for _, c := range []struct {
		name, plan string
		rows       float64
	}{
		{"a sequential scan reads all", seq + `}`, 1000},
		{"an index scan reads what it finds", `{"Node Type": "Index Scan", "Relation Name": "big", "Schema": "s", "Plan Rows": 3, "Index Cond": "(id = 1)"}`, 3},
		{"without a condition it reads all", `{"Node Type": "Index Only Scan", "Relation Name": "big", "Schema": "s", "Plan Rows": 3}`, 1000},
		{"nearest neighbours", `{"Node Type": "Index Scan", "Relation Name": "big", "Schema": "s", "Plan Rows": 3, "Order By": "(x <-> 1)"}`, 3},
		{"a bitmap is read before its filter", `{"Node Type": "Bitmap Heap Scan", "Relation Name": "big", "Schema": "s", "Plan Rows": 3,
			"Plans": [{"Node Type": "Bitmap Index Scan", "Parent Relationship": "Outer", "Plan Rows": 50}]}`, 50},
		{"a sample", `{"Node Type": "Sample Scan", "Sampling Method": "bernoulli", "Relation Name": "big", "Schema": "s", "Plan Rows": 3}`, 1000},
		{"members add up", `{"Node Type": "Append", "Plan Rows": 6, "Plans": [` + seq + `, "Parent Relationship": "Member"}, ` + seq + `, "Parent Relationship": "Member"}]}`, 2000},
		{"the inner side of a nested loop is read again and again", `{"Node Type": "Nested Loop", "Plan Rows": 1, "Plans": [
			{"Node Type": "Function Scan", "Parent Relationship": "Outer", "Plan Rows": 20}, ` + seq + `, "Parent Relationship": "Inner"}]}`, 20_000},
		{"or what was kept of it", `{"Node Type": "Nested Loop", "Plan Rows": 1, "Plans": [
			{"Node Type": "Function Scan", "Parent Relationship": "Outer", "Plan Rows": 20},
			{"Node Type": "Materialize", "Parent Relationship": "Inner", "Plan Rows": 100, "Plans": [` + seq + `, "Parent Relationship": "Outer"}]}]}`, 1000 + 19*100},
		{"the inner side of a hash join once", `{"Node Type": "Hash Join", "Plan Rows": 1, "Plans": [
			{"Node Type": "Function Scan", "Parent Relationship": "Outer", "Plan Rows": 20}, ` + seq + `, "Parent Relationship": "Inner"}]}`, 1000},
		{"a subplan for every row", `{"Node Type": "Seq Scan", "Relation Name": "big", "Schema": "s", "Plan Rows": 3, "Filter": "((SubPlan 1) > 3)", "Plans": [` + seq + `, "Parent Relationship": "SubPlan", "Subplan Name": "SubPlan 1"}]}`, 1000 + 1000*1000},
		{"a hashed one once", `{"Node Type": "Seq Scan", "Relation Name": "big", "Schema": "s", "Plan Rows": 3, "Filter": "(hashed SubPlan 1)", "Plans": [` + seq + `, "Parent Relationship": "SubPlan", "Subplan Name": "SubPlan 1"}]}`, 2000},
		{"the largest node", `{"Node Type": "Function Scan", "Plan Rows": 7000}`, 7000},
		{"workers share a scan", `{"Node Type": "Gather", "Workers Planned": 2, "Plan Rows": 9, "Plans": [` + seq + `, "Parallel Aware": true, "Parent Relationship": "Outer"}]}`, 1000},
		{"and the rows of a join", `{"Node Type": "Gather", "Workers Planned": 2, "Plan Rows": 9, "Plans": [{"Node Type": "Hash Join", "Plan Rows": 1000, "Parent Relationship": "Outer"}]}`, 2400},
	} {
		n, err := readPlan(`[{"Plan": ` + c.plan + `}]`)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if e := weigh(n, sizes); e.rows != c.rows {
			t.Errorf("%s: %g, want %g", c.name, e.rows, c.rows)
		}
	}
	for _, text := range []string{"", "[]", "[{}, {}]", "{}"} {
		if n, err := readPlan(text); err == nil {
			t.Errorf("%q: %+v", text, n)
		}
	}
}
