package plan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/pipeline/plan"
)

// sub is a nested plan over a table.
func sub(table, rest string) string { return `{"from":{"table":"` + table + `"},` + rest + `}` }

func planExpr(p string) string { return `{"plan":` + p + `}` }

func op(name string, args ...string) string {
	return `{"op":{"op":"` + name + `","args":[` + strings.Join(args, ",") + `]}}`
}

// perAccount is a derived block of orders by account.
const perAccount = `{"from":{"table":"orders"},"select":[{"expr":{"column":"account_id"}},{"expr":{"aggregate":{"func":"count"}},"as":"n"}]}`

// perMonth is a derived block of a stock by account and month.
const perMonth = `{"from":{"table":"monthly_account_arr"},"select":[{"expr":{"column":"account_id"}},{"expr":{"column":"month"}},{"expr":{"metric":"arr"}}]}`

// atMonth is a derived block of a stock at one month.
func atMonth(month string) string {
	return `{"from":{"table":"monthly_account_arr"},"where":` + eq(col("month"), lit(`"`+month+`"`)) + `,"select":[{"expr":{"column":"account_id"}},{"expr":{"metric":"arr"}}]}`
}

func derived(block, rest string) string {
	return `{"version":1,"from":{"plan":` + block + `,"as":"x"},` + rest + `}`
}

// rank is a window ordered by id.
func rank(name, arg, rest string) string {
	return `{"window":{"func":"` + name + `","args":[` + arg + `],"order_by":[{"expr":` + col("id") + `}]` + rest + `}}`
}

func union(rest string, plans ...string) string {
	return `{"version":1,"set":{"op":"union","plans":[` + strings.Join(plans, ",") + `]}` + rest + `}`
}

// perStatus is a block that measures orders by their status, as n.
func perStatus(measure string) string {
	return `{"from":{"table":"orders"},"select":[{"expr":` + col("status") + `},{"expr":` + measure + `,"as":"n"}]}`
}

func TestNestedRejections(t *testing.T) {
	c := testContext(t)
	for _, test := range nestedRejections() {
		t.Run(test.name, func(t *testing.T) { checkRejection(t, test, c) })
	}
}

// nestedRejections are of blocks inside blocks, windows and set operations.
func nestedRejections() []rejection {
	names, ids := sub("ports", sel(col("name"))), sub("ports", sel(col("id")))
	return []rejection{
		{"a value of many rows", from + `"ports"},"where":` + eq(col("name"), planExpr(names)) + `,` + sel(col("id")) + `}`, "PA005",
			[]string{"WRONG_SUBPLAN /where/op/args/1/plan"}, false, "test membership in several values with in"},
		{"a value of two columns", from + `"ports"},"where":` + eq(col("id"), planExpr(sub("ports", sel(agg("max", col("id")), agg("min", col("id")))))) + `,` + sel(col("id")) + `}`,
			"PA005", []string{"WRONG_SUBPLAN /where/op/args/1/plan/select"}, false, ""},
		{"in a list of another type", from + `"ports"},"where":` + op("in", col("name"), planExpr(ids)) + `,` + sel(col("id")) + `}`, "PA005", []string{"TYPE_MISMATCH /where/op"}, false, ""},
		{"exists of a value", from + `"ports"},"where":` + op("exists", col("id")) + `,` + sel(col("id")) + `}`, "PA005", []string{"UNSUPPORTED /where/op/args/0"}, false, ""},
		{"a fault inside", from + `"ports"},"where":` + op("in", col("id"), planExpr(sub("ports", sel(col("zzz"))))) + `,` + sel(col("i")) + `}`, "PA005",
			[]string{"COLUMN_NOT_FOUND /where/op/args/1/plan/select/0/expr/column", "COLUMN_NOT_FOUND /select/0/expr/column"}, false, ""},
		{"an outer aggregate", from + `"ports","as":"p"},` + sel(planExpr(sub("flights", sel(agg("sum", col("p.id")))))) + `}`, "PA005",
			[]string{"UNSUPPORTED /select/0/expr/plan/select/0/expr/aggregate"}, false, ""},
		{"an outer column of a derived block", `{"version":1,"from":{"table":"ports","as":"p"},"joins":[{"as":"x","plan":` + sub("flights", sel(col("origin"), col("p.id"))) +
			`}],` + sel(col("p.id")) + `}`, "PA005", []string{"ALIAS_NOT_FOUND /joins/0/plan/select/1/expr/column"}, false, ""},
		{"an outer column that isn't grouped", from + `"ports","as":"p"},` + sel(agg("count", ""), op("+", agg("max", col("p.id")),
			planExpr(`{"from":{"table":"flights","as":"f"},"where":`+eq(col("f.origin"), col("p.id"))+`,`+sel(agg("count", ""))+`}`))) + `}`, "PA005",
			[]string{"NOT_GROUPED /select/1/expr/op/args/1/plan/where/op/args/1/column"}, true, ""},

		{"a derived block without alias", `{"version":1,"from":{"plan":` + names + `},` + sel(lit("1")) + `}`, "PA005", []string{"MISSING /from"}, true, ""},
		{"a table and a plan", `{"version":1,"from":{"plan":` + names + `,"table":"ports","as":"x"},` + sel(lit("1")) + `}`, "PA005", []string{"NOT_ONE_OF /from"}, false, ""},
		{"a column that the block hasn't", derived(perAccount, sel(col("x.status"))), "PA005", []string{"COLUMN_NOT_FOUND /select/0/expr/column"}, false, ""},
		{"two blocks without relationship", derived(perAccount, `"joins":[{"as":"y","plan":`+names+`}],`+sel(col("x.n"))), "PA005", []string{"JOIN_NOT_DECLARED /joins/0"}, false, ""},
		{"two blocks that share their key", derived(perAccount, `"joins":[{"as":"y","plan":`+perAccount+`}],`+sel(col("x.n"))), "PA005",
			[]string{"JOIN_NOT_DECLARED /joins/0"}, true, "join it on what both have"},
		{"on what is not the same", derived(perAccount, `"joins":[{"table":"products","as":"p","on":[["x.n","p.id"]]}],`+sel(col("x.n"))), "PA005", []string{"JOIN_NOT_DECLARED /joins/0/on"}, false, ""},
		{"on what is not the same in tables", from + `"ports","as":"p"},"joins":[{"table":"products","on":[["p.id","products.id"]]}],` + sel(col("p.id")) + `}`, "PA005",
			[]string{"JOIN_NOT_DECLARED /joins/0/on"}, false, ""},
		{"on columns of two types", derived(perAccount, `"joins":[{"table":"public.accounts","as":"a","on":[["x.account_id","a.name"]]}],`+sel(col("x.n"))), "PA005", []string{"TYPE_MISMATCH /joins/0/on/0"}, false, ""},
		{"many to many", derived(perMonth, `"joins":[{"table":"orders","as":"o","on":[["x.account_id","o.account_id"]]}],`+sel(col("x.arr"))), "PA005",
			[]string{"JOIN_NOT_DECLARED /joins/0"}, false, "group one of the two by what they are joined on"},
		{"on another than to", derived(perAccount, `"joins":[{"table":"orders","as":"o","to":"o","on":[["x.account_id","o.account_id"]]}],`+sel(col("x.n"))), "PA005",
			[]string{"JOIN_NOT_DECLARED /joins/0/to"}, true, ""},
		{"a pair of three", derived(perAccount, `"joins":[{"table":"orders","as":"o","on":[["x.account_id","o.account_id","o.id"]]}],`+sel(col("x.n"))), "PA005", []string{"WRONG_ARITY /joins/0/on/0"}, false, ""},
		{"a key and on", derived(perAccount, `"joins":[{"table":"public.accounts","as":"a","key":"orders_account_id_fkey","on":[["x.account_id","a.id"]]}],`+sel(col("x.n"))), "PA005", []string{"NOT_ONE_OF /joins/0"}, true, ""},
		{"a full join's own where", derived(perAccount, `"joins":[{"table":"public.accounts","as":"a","kind":"full","where":`+eq(col("a.id"), lit("1"))+`}],`+sel(col("x.n"))), "PA005",
			[]string{"UNSUPPORTED /joins/0/where"}, false, ""},

		{"a block's sum that a table repeats", from + `"orders","as":"o"},"joins":[{"as":"x","plan":` + perAccount + `,"on":[["o.account_id","x.account_id"]]}],` + sel(agg("sum", col("x.n"))) + `}`,
			"PA006", []string{"FAN_OUT /select/0/expr/aggregate"}, true, ""},
		{"a sum that a block repeats", from + `"public.accounts","as":"a"},"joins":[{"as":"m","plan":` + perMonth + `,"on":[["a.id","m.account_id"]]}],` + sel(agg("sum", col("a.tenant_id"))) + `}`,
			"PA006", []string{"FAN_OUT /select/0/expr/aggregate"}, true, ""},
		{"a stock added up outside", derived(perMonth, sel(agg("sum", col("x.arr")))), "PA006", []string{"NOT_ADDITIVE /select/0/expr/aggregate"}, true, "group by x.month, or take its average"},
		{"a stock added up two blocks outside", derived(`{"from":{"plan":`+perMonth+`,"as":"y"},`+sel(col("y.month"), agg("sum", col("y.arr")))+`}`, sel(agg("sum", col("x.sum")))), "PA006",
			[]string{"NOT_ADDITIVE /select/0/expr/aggregate"}, true, "group by x.month, or take its average"},
		{"averages added up", derived(perStatus(agg("avg", col("id"))), sel(agg("sum", col("x.n")))), "PA006",
			[]string{"NOT_ADDITIVE /select/0/expr/aggregate"}, false, "take its average, or measure it in the block that shows it"},
		{"distinct values of parts added up", derived(perStatus(`{"aggregate":{"func":"count","distinct":true,"arg":`+col("account_id")+`}}`), sel(agg("sum", col("x.n")))), "PA006",
			[]string{"NOT_ADDITIVE /select/0/expr/aggregate"}, false, "take its average, or measure it in the block that shows it"},
		{"a stock of two months added up", derived(union("", atMonth("2026-01-01"), atMonth("2026-02-01")), sel(agg("sum", col("x.arr")))), "PA006",
			[]string{"NOT_ADDITIVE /select/0/expr/aggregate"}, false, "take its average, or measure it in the block that shows it"},
		{"each account's last stock added up", from + `"public.accounts","as":"a"},` + sel(agg("sum", planExpr(`{"from":{"table":"monthly_account_arr","as":"m"},"where":`+eq(col("m.account_id"), col("a.id"))+`,`+sel(`{"metric":"arr"}`)+`}`))) + `}`, "PA006",
			[]string{"NOT_ADDITIVE /select/0/expr/aggregate"}, false, "take its average, or measure it in the block that shows it"},
		{"a stock's average times the number of its rows", from + `"monthly_account_arr","as":"m"},` + sel(op("*", agg("avg", col("m.arr")), agg("count", ""))) + `}`, "PA006",
			[]string{"NOT_ADDITIVE /select/0/expr"}, false, "use the metric arr, its value at the last month, or group by month"},
		{"a stock's average times the number of its months, outside", derived(perMonth, sel(op("*", agg("avg", col("x.arr")), agg("count", "")))), "PA006",
			[]string{"NOT_ADDITIVE /select/0/expr"}, false, "take its average alone, or measure it in the block that shows it"},
		{"a ratio's average times the number of its groups", derived(`{"from":{"table":"order_items","as":"i"},"joins":[{"table":"orders"}],`+sel(col("orders.account_id"), `{"metric":"average order value"}`)+`}`,
			sel(op("*", agg("count", ""), agg("avg", col(`x.\"average order value\"`))))), "PA006", []string{"NOT_ADDITIVE /select/0/expr"}, false, "take its average alone, or measure it in the block that shows it"},
		{"a stock's average times the number of its months, over a window", from + `"monthly_account_arr","as":"m"},` + sel(col("m.month"), op("*", `{"window":{"func":"avg","args":[{"metric":"arr"}]}}`, `{"window":{"func":"count","args":[{"metric":"arr"}]}}`)) + `}`, "PA006",
			[]string{"NOT_ADDITIVE /select/1/expr"}, false, "take the average alone"},
		{"some months of a stock added up by a filter", from + `"monthly_account_arr","as":"m"},` + sel(`{"aggregate":{"func":"sum","arg":`+col("m.arr")+`,"filter":`+op(">", col("m.month"), lit(`"2026-01-01"`))+`}}`) + `}`, "PA006",
			[]string{"NOT_ADDITIVE /select/0/expr/aggregate"}, false, "use the metric arr, its value at the last month, or group by month"},
		{"a ratio added up", derived(`{"from":{"table":"order_items","as":"i"},"joins":[{"table":"orders"}],`+sel(col("orders.account_id"), `{"metric":"average order value"}`)+`}`,
			sel(agg("sum", col(`x.\"average order value\"`)))), "PA006", []string{"NOT_ADDITIVE /select/0/expr/aggregate"}, false, "take its average, or measure it in the block that shows it"},

		{"a window in where", from + `"ports"},"where":` + eq(rank("rank", "", ""), lit("1")) + `,` + sel(col("id")) + `}`, "PA005", []string{"WINDOW_NOT_ALLOWED /where/op/args/0/window"}, false,
			"select it in a derived block under a name, and use that name in the block around: a filter on a rank is that block's where"},
		{"a window in an aggregate", from + `"ports"},` + sel(agg("sum", rank("rank", "", ""))) + `}`, "PA005", []string{"WINDOW_NOT_ALLOWED /select/0/expr/aggregate/arg/window"}, false,
			"select it in a derived block under a name, and use that name in the block around: a filter on a rank is that block's where"},
		{"a rank without order", from + `"ports"},` + sel(`{"window":{"func":"rank"}}`) + `}`, "PA005", []string{"MISSING /select/0/expr/window"}, false, ""},
		{"a rank with a frame", from + `"ports"},` + sel(rank("rank", "", `,"frame":{"unit":"rows"}`)) + `}`, "PA005", []string{"UNSUPPORTED /select/0/expr/window/frame"}, false, ""},
		{"a frame backwards", from + `"ports"},` + sel(rank("sum", col("id"), `,"frame":{"unit":"rows","start":1,"end":-1}`)) + `}`, "PA005", []string{"WRONG_SHAPE /select/0/expr/window/frame"}, false, ""},
		{"a frame of the least number", from + `"ports"},` + sel(rank("sum", col("id"), `,"frame":{"unit":"rows","start":-9223372036854775808}`)) + `}`, "PA005", []string{"WRONG_SHAPE /select/0/expr/window/frame"}, false, ""},
		{"a date at the least number", from + `"orders"},"where":` + op(">", col("ordered_at"), `{"date":{"unit":"day","offset":-9223372036854775808}}`) + `,` + sel(col("id")) + `}`, "PA005", []string{"WRONG_SHAPE /where/op/args/1/date"}, false, ""},
		{"a frame of a range", from + `"ports"},` + sel(rank("sum", col("id"), `,"frame":{"unit":"range"}`)) + `}`, "PA005", []string{"INVALID_CHOICE /select/0/expr/window/frame/unit"}, false, ""},
		{"a window that isn't one", from + `"ports"},` + sel(rank("ranc", "", "")) + `}`, "PA005", []string{"INVALID_CHOICE /select/0/expr/window/func"}, false, ""},
		{"a rank of something", from + `"ports"},` + sel(rank("rank", col("id"), "")) + `}`, "PA005", []string{"WRONG_ARITY /select/0/expr/window/args"}, false, ""},
		{"a window as a call", from + `"ports"},` + sel(`{"call":{"func":"row_number"}}`) + `}`, "PA005", []string{"FUNCTION_NOT_FOUND /select/0/expr/call/func"}, false, ""},
		{"a window over what isn't grouped", from + `"ports"},` + sel(agg("count", ""), rank("rank", "", "")) + `}`, "PA005", []string{"NOT_GROUPED /select/1/expr/window/order_by/0/expr"}, true, ""},
		{"a window's sum of repeated rows", from + `"public.accounts","as":"a"},"joins":[{"table":"orders"}],` + sel(`{"window":{"func":"sum","args":[`+col("a.tenant_id")+`]}}`) + `}`, "PA006",
			[]string{"FAN_OUT /select/0/expr/window"}, false, "ask for it without public.orders, or for both in two questions"},
		{"a running total of a stock", from + `"monthly_account_arr","as":"m"},` + sel(col("m.month"),
			`{"window":{"func":"sum","args":[{"metric":"arr"}],"order_by":[{"expr":`+col("m.month")+`}]}}`) + `}`, "PA006",
			[]string{"NOT_ADDITIVE /select/1/expr/window"}, false, "take its average, or divide the window by its time"},

		{"one plan", union("", names), "PA005", []string{"WRONG_ARITY /set/plans"}, false, ""},
		{"other columns", union("", names, sub("ports", sel(col("name"), col("id")))), "PA005", []string{"TYPE_MISMATCH /set/plans/1"}, false, ""},
		{"other types", union("", names, ids), "PA005", []string{"TYPE_MISMATCH /set/plans/1"}, false, ""},
		{"a union of json", union("", sub("public.accounts", sel(col("extra"))), sub("public.accounts", sel(col("extra")))), "PA005", []string{"TYPE_MISMATCH /set/plans/1"}, false, ""},
		{"a set with a where", union(`,"where":`+eq(col("id"), lit("1")), names, names), "PA005", []string{"NOT_ONE_OF /set"}, false, ""},
		{"a set ordered by an expression", union(`,"order_by":[{"expr":`+col("name")+`}]`, names, names), "PA005", []string{"NOT_ONE_OF /order_by/0"}, false, ""},
		{"a set ordered by what isn't there", union(`,"order_by":[{"item":"nam"}]`, names, names), "PA005", []string{"ITEM_NOT_FOUND /order_by/0/item"}, false, ""},
		{"an offset of a set without order", union(`,"offset":1`, names, names), "PA005", []string{"INVALID_LIMIT /offset"}, false, ""},
		{"another operation", `{"version":1,"set":{"op":"minus","plans":[` + names + `,` + names + `]}}`, "PA005", []string{"INVALID_CHOICE /set/op"}, false, ""},
		{"another version inside", union("", names, `{"version":2,"from":{"table":"ports"},`+sel(col("name"))+`}`), "PA005", []string{"UNSUPPORTED_VERSION /set/plans/1/version"}, false, ""},
	}
}

// A join on a key's columns is the join by that key, in either direction.
func TestOnAKeyIsTheKey(t *testing.T) {
	c := testContext(t)
	for by, on := range map[string]string{
		`{"table":"employees","as":"b","key":"employees_manager"}`:                   `{"table":"employees","as":"b","on":[["a.manager_id","b.id"]]}`,
		`{"table":"employees","as":"b","key":"employees_manager","reverse":true}`:    `{"table":"employees","as":"b","on":[["b.manager_id","a.id"]]}`,
		`{"table":"employees","as":"b","kind":"semi","key":"employees_manager"}`:     `{"table":"employees","as":"b","kind":"semi","on":[["b.id","a.manager_id"]]}`,
		`{"plan":` + sub("employees", sel(col("id"))) + `,"as":"b","reverse":false}`: `{"plan":` + sub("employees", sel(col("id"))) + `,"as":"b","on":[["a.manager_id","b.id"]]}`,
	} {
		first, _ := sqlOf(t, from+`"employees","as":"a"},"joins":[`+by+`],`+sel(col("a.name"))+`}`, c)
		second, sql := sqlOf(t, from+`"employees","as":"a"},"joins":[`+on+`],`+sel(col("a.name"))+`}`, c)
		if first.Hash() != second.Hash() {
			t.Errorf("%s and %s: %s", by, on, sql)
		}
	}
}

func TestTooManyBlocks(t *testing.T) {
	deep := sub("ports", sel(col("id")))
	for range 10 {
		deep = `{"from":{"plan":` + deep + `,"as":"x"},` + sel(col("x.id")) + `}`
	}
	var wide []string
	for range 50 {
		wide = append(wide, sub("ports", sel(col("id"))))
	}
	for _, source := range []string{strings.Replace(deep, "{", `{"version":1,`, 1), union("", wide...)} {
		p, err := plan.Decode([]byte(source))
		if err != nil {
			t.Fatal(err)
		}
		if r := reject(t, p, testContext(t)); r.All[0].Code != plan.CodeTooLarge {
			t.Error(r.Detail())
		}
	}
}

// A short plan can't make a tree without end of the forms that say an operand
// more than once.
func TestTooMuchSQL(t *testing.T) {
	wrap := map[string]func(string) string{
		"roots": func(x string) string { return `{"call":{"func":"sqrt","args":[` + x + `]}}` },
		"casts": func(x string) string {
			return `{"cast":{"to":"text","arg":{"cast":{"to":"integer","arg":` + x + `}}}}`
		},
		"dates": func(x string) string {
			return `{"call":{"func":"date_diff","unit":"month","args":[{"date":{"unit":"day"}},{"call":{"func":"date_add","unit":"day","args":[` + col("created_at") + `,` + x + `]}}]}}`
		},
		"sub-plans": func(x string) string {
			value := sub("ports", `"select":[{"expr":{"aggregate":{"func":"max","arg":`+x+`}},"as":"x"}]`)
			for range 3 {
				value = sub("ports", `"select":[{"expr":{"aggregate":{"func":"max","arg":{"call":{"func":"sqrt","args":[{"call":{"func":"sqrt","args":[{"call":{"func":"sqrt","args":[{"plan":`+value+`}]}}]}}]}}}},"as":"x"}]`)
			}
			return planExpr(value)
		},
	}
	for name, f := range wrap {
		t.Run(name, func(t *testing.T) {
			x := col("id")
			for range map[string]int{"roots": 30, "casts": 18, "dates": 18, "sub-plans": 1}[name] {
				x = f(x)
			}
			if name == "casts" {
				x = strings.Replace(x, col("id"), col("email"), 1)
			}
			if name == "sub-plans" {
				for range 3 {
					x = planExpr(sub("ports", `"select":[{"expr":{"aggregate":{"func":"max","arg":{"call":{"func":"sqrt","args":[{"call":{"func":"sqrt","args":[{"call":{"func":"sqrt","args":[`+x+`]}}]}}]}}}},"as":"x"}]`))
				}
			}
			p, err := plan.Decode([]byte(from + `"public.accounts"},` + sel(x) + `}`))
			if err != nil {
				t.Fatal(err)
			}
			if r := reject(t, p, testContext(t)); r.All[0].Code != plan.CodeTooLarge {
				t.Error(r.Detail())
			}
		})
	}
}

// Within rows that the asker may not all see, nothing can be known to be absent,
// however the plan asks for it.
func TestGuaranteeNested(t *testing.T) {
	accounts := from + `"public.accounts","as":"a"},`
	buyers := planExpr(sub("orders", sel(col("account_id"))))
	theirs := planExpr(`{"from":{"table":"orders","as":"o"},"where":` + eq(col("o.account_id"), col("a.id")) + `,` + sel(col("o.id")) + `}`)
	number := planExpr(`{"from":{"table":"orders","as":"o"},"where":` + eq(col("o.account_id"), col("a.id")) + `,` + sel(agg("count", "")) + `}`)
	tests := []struct {
		name, plan string
		refused    bool
	}{
		{"in", accounts + `"where":` + op("in", col("a.id"), buyers) + `,` + sel(col("a.id")) + `}`, false},
		{"not in", accounts + `"where":` + op("not_in", col("a.id"), buyers) + `,` + sel(col("a.id")) + `}`, true},
		{"not of in", accounts + `"where":` + op("not", op("or", op("in", col("a.id"), buyers), eq(col("a.id"), lit("1")))) + `,` + sel(col("a.id")) + `}`, true},
		{"not of not in", accounts + `"where":` + op("not", op("not_in", col("a.id"), buyers)) + `,` + sel(col("a.id")) + `}`, false},
		{"exists", accounts + `"where":` + op("exists", theirs) + `,` + sel(col("a.id")) + `}`, false},
		{"not exists", accounts + `"where":` + op("and", op("not_exists", theirs), eq(col("a.region"), lit(`"EMEA"`))) + `,` + sel(col("a.id")) + `}`, true},
		{"exists as a value", accounts + sel(op("exists", theirs)) + `}`, true},
		{"in compared", accounts + `"where":` + eq(op("in", col("a.id"), buyers), lit("false")) + `,` + sel(col("a.id")) + `}`, true},
		{"in a case", accounts + `"where":{"case":{"when":[{"if":` + op("exists", theirs) + `,"then":` + lit("false") + `}],"else":` + lit("true") + `}},` + sel(col("a.id")) + `}`, true},
		{"in a filter", accounts + sel(`{"aggregate":{"func":"count","filter":`+op("not_in", col("a.id"), buyers)+`}}`) + `}`, true},
		{"a count of none", accounts + `"where":` + eq(number, lit("0")) + `,` + sel(col("a.id")) + `}`, true},
		{"a count of some", accounts + `"where":` + op(">", number, lit("2")) + `,` + sel(col("a.id")) + `}`, false},
		{"more than their number", accounts + `"where":` + op(">", col("a.id"), number) + `,` + sel(col("a.id")) + `}`, true},
		{"a number shown", accounts + sel(col("a.id"), number) + `}`, false},
		{"a block without row", accounts + `"joins":[{"as":"x","kind":"left","plan":` + perAccount + `}],"where":` + op("is_null", col("x.n")) + `,` + sel(col("a.id")) + `}`, true},
		{"a block's number or none", accounts + `"joins":[{"as":"x","kind":"left","plan":` + perAccount + `}],"where":` +
			eq(`{"call":{"func":"coalesce","args":[`+col("x.n")+`,`+lit("0")+`]}}`, lit("0")) + `,` + sel(col("a.id")) + `}`, true},
		{"a count of none, shown first", derived(`{"from":{"table":"public.accounts","as":"a"},"joins":[{"table":"orders","as":"o","kind":"left"}],`+
			`"select":[{"expr":{"column":"a.id"}},{"expr":{"aggregate":{"func":"count","arg":{"column":"o.id"}}},"as":"n"}]}`, `"where":`+eq(col("x.n"), lit("0"))+`,`+sel(col("x.id"))), true},
		{"a count of some, shown first", derived(`{"from":{"table":"public.accounts","as":"a"},"joins":[{"table":"orders","as":"o","kind":"left"}],`+
			`"select":[{"expr":{"column":"a.id"}},{"expr":{"aggregate":{"func":"count","arg":{"column":"o.id"}}},"as":"n"}]}`, `"where":`+op(">=", col("x.n"), lit("2"))+`,`+sel(col("x.id"))), false},
		{"no latest, shown first", derived(`{"from":{"table":"public.accounts","as":"a"},"joins":[{"table":"orders","as":"o","kind":"left"}],`+
			`"select":[{"expr":{"column":"a.id"}},{"expr":{"aggregate":{"func":"max","arg":{"column":"o.ordered_at"}}},"as":"latest"}]}`, `"where":`+op("is_null", col("x.latest"))+`,`+sel(col("x.id"))), true},
		{"a sub-plan's count, shown first", derived(`{"from":{"table":"public.accounts","as":"a"},"select":[{"expr":{"column":"a.id"}},{"expr":`+number+`,"as":"n"}]}`,
			`"where":`+op("<", col("x.n"), lit("1"))+`,`+sel(col("x.id"))), true},
		{"a right join's other side", from + `"orders","as":"o"},"joins":[{"table":"public.accounts","as":"a","kind":"right"}],"where":` + op("is_null", col("o.id")) + `,` + sel(col("a.id")) + `}`, true},
		{"an anti joined block", accounts + `"joins":[{"as":"x","kind":"anti","plan":` + perAccount + `}],` + sel(col("a.id")) + `}`, true},
		{"except", `{"version":1,"set":{"op":"except","plans":[` + sub("products", sel(col("id"))) + `,` + sub("orders", sel(col("account_id"))) + `]}}`, true},
		{"except the other way", `{"version":1,"set":{"op":"except","plans":[` + sub("orders", sel(col("account_id"))) + `,` + sub("products", sel(col("id"))) + `]}}`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := plan.Decode([]byte(test.plan))
			if err != nil {
				t.Fatalf("%v\n%s", err, test.plan)
			}
			if _, err := plan.Validate(p, testContext(t)); err != nil {
				t.Fatalf("unrestricted: %v", err)
			}
			checked, err := plan.Validate(p, restricted(t))
			var r *plan.Rejections
			switch {
			case test.refused && !errors.As(err, &r):
				t.Fatalf("it passed: %v", err)
			case test.refused && (r.SQLState() != "PA007" || r.Hint() == ""):
				t.Errorf("%s %v, hint %q", r.SQLState(), r, r.Hint())
			case !test.refused && err != nil:
				t.Errorf("%v", err)
			case !test.refused && checked.Annotations().Guarantee != "scoped":
				t.Errorf("%+v", checked.Annotations())
			}
		})
	}
}

// What a nested plan masks and reads is told of the whole.
func TestNestedQualifiers(t *testing.T) {
	p, err := plan.Decode([]byte(derived(sub("public.accounts", sel(col("email"))), sel(agg("count", col("x.email"))))))
	if err != nil {
		t.Fatal(err)
	}
	checked, err := plan.Validate(p, restricted(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"within what you may see: public.accounts", "masked: public.accounts.email"}
	if diff := cmp.Diff(want, checked.Qualifiers()); diff != "" {
		t.Error(diff)
	}
	if tables := checked.Tables(); len(tables) != 1 || tables[0].Table != "accounts" {
		t.Error(tables)
	}
}
