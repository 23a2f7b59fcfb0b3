package plan_test

import "strings"

// rejection is what a faulty plan gives: SQLSTATE, then the codes and paths of
// all faults. Repaired tells that applying the first repair gives a valid plan.
type rejection struct {
	name     string
	plan     string
	state    string
	faults   []string
	repaired bool
	hint     string
}

// from is the start of most plans below.
const from = `{"version":1,"from":{"table":`

func eq(a, b string) string { return `{"op":{"op":"=","args":[` + a + `,` + b + `]}}` }
func col(name string) string {
	return `{"column":"` + name + `"}`
}
func lit(v string) string { return `{"literal":{"value":` + v + `}}` }
func agg(f, arg string) string {
	if arg == "" {
		return `{"aggregate":{"func":"` + f + `"}}`
	}
	return `{"aggregate":{"func":"` + f + `","arg":` + arg + `}}`
}
func sel(exprs ...string) string {
	var items []string
	for _, e := range exprs {
		items = append(items, `{"expr":`+e+`}`)
	}
	return `"select":[` + strings.Join(items, ",") + `]`
}

var rejections = []rejection{
	{"version", `{"version":2,"from":{"table":"ports"},` + sel(col("name")) + `}`, "PA005", []string{"UNSUPPORTED_VERSION /version"}, true, ""},
	{"nothing selected", from + `"ports"},"select":[]}`, "PA005", []string{"MISSING /select"}, false, ""},
	{"unknown table", from + `"public.product"},` + sel(col("name")) + `}`, "PA005", []string{"TABLE_NOT_FOUND /from/table"}, true, ""},
	{"name in two schemas", from + `"accounts"},` + sel(col("id")) + `}`, "PA005", []string{"AMBIGUOUS_NAME /from/table"}, false, ""},
	{"unknown column", from + `"ports"},` + sel(col("nam")) + `}`, "PA005", []string{"COLUMN_NOT_FOUND /select/0/expr/column"}, true, ""},
	{"column of two tables", from + `"order_items"},"joins":[{"table":"products"}],` + sel(col("unit_price")) + `}`, "PA005",
		[]string{"AMBIGUOUS_NAME /select/0/expr/column"}, false, ""},
	{"unknown alias", from + `"ports","as":"p"},` + sel(col("q.name")) + `}`, "PA005", []string{"ALIAS_NOT_FOUND /select/0/expr/column"}, false, ""},
	{"one alias twice", from + `"ports"},"joins":[{"table":"flights","key":"flights_origin"},{"table":"ports","to":"flights","key":"flights_destination"}],` +
		sel(col("flights.id")) + `}`, "PA005", []string{"ALIAS_IN_USE /joins/1"}, true, ""},
	{"every fault at once", from + `"ports"},"joins":[{"table":"nowhere"}],"where":` + eq(col("nam"), lit(`"x"`)) + `,` + sel(col("nowhere.x"), col("ports.x")) + `,"limit":-1}`,
		"PA005", []string{"INVALID_LIMIT /limit", "TABLE_NOT_FOUND /joins/0/table", "COLUMN_NOT_FOUND /select/1/expr/column"}, false, ""},

	{"no relationship", from + `"products"},"joins":[{"table":"ports"}],` + sel(col("products.name")) + `}`, "PA005", []string{"JOIN_NOT_DECLARED /joins/0"}, false, ""},
	{"two keys", from + `"flights"},"joins":[{"table":"ports"}],` + sel(col("ports.name")) + `}`, "PA005", []string{"JOIN_AMBIGUOUS /joins/0"}, false, ""},
	{"a key that isn't there", from + `"flights"},"joins":[{"table":"ports","key":"flights_pkey"}],` + sel(col("ports.name")) + `}`, "PA005", []string{"JOIN_NOT_DECLARED /joins/0"}, false, ""},
	{"join kind", from + `"orders"},"joins":[{"table":"order_items","kind":"cross"}],` + sel(col("orders.id")) + `}`, "PA005", []string{"INVALID_CHOICE /joins/0/kind"}, false, ""},
	{"columns of a semi join", from + `"orders"},"joins":[{"table":"order_items","kind":"semi"}],` + sel(col("order_items.quantity")) + `}`, "PA005",
		[]string{"ALIAS_NOT_FOUND /select/0/expr/column"}, false, ""},

	{"no form", from + `"ports"},` + sel(`{}`) + `}`, "PA005", []string{"NOT_ONE_OF /select/0/expr"}, false, ""},
	{"two forms", from + `"ports"},` + sel(`{"column":"id","metric":"arr"}`) + `}`, "PA005", []string{"NOT_ONE_OF /select/0/expr"}, false, ""},
	{"operator", from + `"ports"},"where":{"op":{"op":"similar","args":[` + col("name") + `,` + lit(`"x"`) + `]}},` + sel(col("id")) + `}`, "PA005", []string{"INVALID_CHOICE /where/op/op"}, false, ""},
	{"arity", from + `"ports"},"where":{"op":{"op":"=","args":[` + col("name") + `]}},` + sel(col("id")) + `}`, "PA005", []string{"WRONG_ARITY /where/op/args"}, false, ""},
	{"number for text", from + `"ports"},"where":` + eq(col("name"), lit(`5`)) + `,` + sel(col("id")) + `}`, "PA005", []string{"TYPE_MISMATCH /where/op/args/1/literal"}, true, ""},
	{"text for a number", from + `"ports"},"where":` + eq(col("id"), lit(`"five"`)) + `,` + sel(col("id")) + `}`, "PA005", []string{"INVALID_LITERAL /where/op/args/1/literal"}, false, ""},
	{"no such day", from + `"public.accounts"},"where":` + eq(col("created_at"), lit(`"2026-13-45"`)) + `,` + sel(col("id")) + `}`, "PA005", []string{"INVALID_LITERAL /where/op/args/1/literal"}, false, ""},
	{"no such label", from + `"public.accounts"},"where":` + eq(col("mood"), lit(`"hapy"`)) + `,` + sel(col("id")) + `}`, "PA005", []string{"INVALID_LITERAL /where/op/args/1/literal"}, false, ""},
	{"not a uuid", from + `"public.accounts"},"where":` + eq(col("ref"), lit(`"x"`)) + `,` + sel(col("id")) + `}`, "PA005", []string{"INVALID_LITERAL /where/op/args/1/literal"}, false, ""},
	{"number for text in an order", from + `"ports"},"where":{"op":{"op":">","args":[` + col("name") + `,` + lit(`5`) + `]}},` + sel(col("id")) + `}`, "PA005", []string{"TYPE_MISMATCH /where/op/args/1/literal"}, false, "compare a cast of the text to a number"},
	{"numbers between texts", from + `"ports"},"where":{"op":{"op":"between","args":[` + col("name") + `,` + lit(`5`) + `,` + lit(`"6"`) + `]}},` + sel(col("id")) + `}`, "PA005", []string{"TYPE_MISMATCH /where/op/args/1/literal"}, false, "compare a cast of the text to a number"},
	{"numbers in a list of texts", from + `"ports"},"where":{"op":{"op":"in","args":[` + col("name") + `,` + lit(`5`) + `,` + lit(`"6"`) + `]}},` + sel(col("id")) + `}`, "PA005", []string{"TYPE_MISMATCH /where/op/args/1/literal"}, true, ""},
	{"text and number columns", from + `"ports"},"where":` + eq(col("name"), col("id")) + `,` + sel(col("id")) + `}`, "PA005", []string{"TYPE_MISMATCH /where/op"}, false, ""},
	{"null compared", from + `"ports"},"where":` + eq(col("name"), lit(`null`)) + `,` + sel(col("id")) + `}`, "PA005", []string{"INVALID_LITERAL /where/op/args/1"}, true, ""},
	{"json compared", from + `"public.accounts"},"where":` + eq(col("extra"), lit(`"{}"`)) + `,` + sel(col("id")) + `}`, "PA005", []string{"TYPE_MISMATCH /where/op/args/0"}, false, ""},
	{"a condition that isn't", from + `"ports"},"where":` + col("name") + `,` + sel(col("id")) + `}`, "PA005", []string{"TYPE_MISMATCH /where"}, false, ""},
	{"a date for text", from + `"ports"},"where":` + eq(col("name"), `{"date":{"unit":"day"}}`) + `,` + sel(col("id")) + `}`, "PA005", []string{"TYPE_MISMATCH /where/op/args/1/date"}, false, ""},
	{"unknown function", from + `"ports"},` + sel(`{"call":{"func":"pg_sleep","args":[`+lit(`1`)+`]}}`) + `}`, "PA005", []string{"FUNCTION_NOT_FOUND /select/0/expr/call/func"}, false, ""},
	{"aggregate as call", from + `"ports"},` + sel(`{"call":{"func":"sum","args":[`+col("id")+`]}}`) + `}`, "PA005", []string{"FUNCTION_NOT_FOUND /select/0/expr/call/func"}, false, ""},
	{"DISTINCT as a call", from + `"ports"},` + sel(`{"call":{"func":"DISTINCT","args":[`+col("name")+`]}}`) + `}`, "PA005", []string{"FUNCTION_NOT_FOUND /select/0/expr/call/func"}, false, ""},
	{"DISTINCT as an aggregate", from + `"ports"},` + sel(agg("COUNT_DISTINCT", col("name"))) + `}`, "PA005", []string{"INVALID_CHOICE /select/0/expr/aggregate/func"}, true, ""},
	{"a function's other name", from + `"ports"},` + sel(`{"call":{"func":"CHAR_LENGTH","args":[`+col("name")+`]}}`) + `}`, "PA005", []string{"FUNCTION_NOT_FOUND /select/0/expr/call/func"}, true, ""},
	{"a unit as a function", from + `"orders"},` + sel(`{"call":{"func":"YEAR","args":[`+col("ordered_at")+`]}}`) + `}`, "PA005", []string{"FUNCTION_NOT_FOUND /select/0/expr/call/func"}, true, ""},
	{"day of the week as a unit", from + `"orders"},` + sel(`{"call":{"func":"date_part","unit":"dow","args":[`+col("ordered_at")+`]}}`) + `}`, "PA005", []string{"INVALID_CHOICE /select/0/expr/call/unit"}, true, ""},
	{"hour as a unit", from + `"orders"},` + sel(`{"call":{"func":"date_trunc","unit":"hour","args":[`+col("ordered_at")+`]}}`) + `}`, "PA005", []string{"INVALID_CHOICE /select/0/expr/call/unit"}, true, ""},
	{"cast to nowhere", from + `"ports"},` + sel(`{"cast":{"arg":`+col("name")+`,"to":"json"}}`) + `}`, "PA005", []string{"INVALID_CHOICE /select/0/expr/cast/to"}, false, ""},
	{"cast of a date to a number", from + `"public.accounts"},` + sel(`{"cast":{"arg":`+col("created_at")+`,"to":"integer"}}`) + `}`, "PA005", []string{"TYPE_MISMATCH /select/0/expr/cast"}, false, ""},
	{"cast of a literal that isn't one", from + `"ports"},` + sel(`{"cast":{"arg":`+lit(`"2026-02-30"`)+`,"to":"date"}}`) + `}`, "PA005", []string{"INVALID_LITERAL /select/0/expr/cast/arg/literal"}, false, ""},
	{"percentile without its fraction", from + `"ports"},` + sel(agg("percentile_cont", col("id"))) + `}`, "PA005", []string{"MISSING /select/0/expr/aggregate"}, false, ""},
	{"a fraction of two", from + `"ports"},` + sel(`{"aggregate":{"func":"percentile_cont","fraction":2,"arg":`+col("id")+`}}`) + `}`, "PA005", []string{"WRONG_SHAPE /select/0/expr/aggregate/fraction"}, false, ""},
	{"median of texts", from + `"ports"},` + sel(agg("median", col("name"))) + `}`, "PA005", []string{"TYPE_MISMATCH /select/0/expr/aggregate/arg"}, false, ""},
	{"sum with a separator", from + `"ports"},` + sel(`{"aggregate":{"func":"sum","separator":",","arg":`+col("id")+`}}`) + `}`, "PA005", []string{"UNSUPPORTED /select/0/expr/aggregate"}, false, ""},
	{"unit", from + `"orders"},` + sel(`{"call":{"func":"date_trunc","unit":"decade","args":[`+col("ordered_at")+`]}}`) + `}`, "PA005", []string{"INVALID_CHOICE /select/0/expr/call/unit"}, false, ""},
	{"sum of text", from + `"ports"},` + sel(agg("sum", col("name"))) + `}`, "PA005", []string{"TYPE_MISMATCH /select/0/expr/aggregate/arg"}, false, ""},
	{"not grouped", from + `"ports"},` + sel(`{"op":{"op":"+","args":[`+col("id")+`,`+agg("count", "")+`]}}`) + `}`, "PA005", []string{"NOT_GROUPED /select/0/expr/op/args/0"}, true, ""},
	{"nested aggregates", from + `"ports"},` + sel(agg("sum", agg("count", ""))) + `}`, "PA005", []string{"NESTED_AGGREGATE /select/0/expr/aggregate/arg/aggregate"}, false, ""},
	{"aggregate in where", from + `"ports"},"where":{"op":{"op":">","args":[` + agg("count", "") + `,` + lit("1") + `]}},` + sel(col("id")) + `}`, "PA005", []string{"AGGREGATE_NOT_ALLOWED /where/op/args/0/aggregate"}, false, ""},
	{"two outputs of one name", from + `"ports"},"select":[{"expr":` + col("id") + `,"as":"x"},{"expr":` + col("name") + `,"as":"x"}]}`, "PA005", []string{"DUPLICATE_OUTPUT /select/1/expr"}, false, ""},
	{"unknown item", from + `"ports"},` + sel(col("name")) + `,"order_by":[{"item":"nam"}]}`, "PA005", []string{"ITEM_NOT_FOUND /order_by/0/item"}, false, ""},
	{"offset without order", from + `"ports"},` + sel(col("name")) + `,"offset":5}`, "PA005", []string{"INVALID_LIMIT /offset"}, false, ""},
	{"order by a constant", from + `"ports"},` + sel(col("name")) + `,"order_by":[{"expr":` + lit("1") + `}]}`, "PA005", []string{"UNSUPPORTED /order_by/0"}, false, ""},
	{"order of distinct rows", from + `"ports"},` + sel(col("name")) + `,"distinct":true,"order_by":[{"expr":` + col("id") + `}]}`, "PA005", []string{"NOT_GROUPED /order_by/0"}, false, ""},
	{"order of json", from + `"public.accounts"},` + sel(col("extra")) + `,"order_by":[{"item":"extra"}]}`, "PA005", []string{"TYPE_MISMATCH /order_by/0"}, false, ""},
	{"distinct json", from + `"public.accounts"},"distinct":true,` + sel(col("extra")) + `}`, "PA005", []string{"TYPE_MISMATCH /select/0/expr"}, false, ""},
	{"escape at the end", from + `"ports"},"where":{"op":{"op":"like","args":[` + col("name") + `,` + lit(`"a\\"`) + `]}},` + sel(col("id")) + `}`, "PA005", []string{"INVALID_LITERAL /where/op/args/1"}, false, ""},

	{"metric without its table", from + `"products"},` + sel(col("name"), `{"metric":"revenue"}`) + `}`, "PA006", []string{"METRIC_TABLE_MISSING /select/1/expr/metric"}, true, ""},
	{"unknown metric", from + `"employees","as":"e"},` + sel(`{"metric":"revenu"}`) + `}`, "PA005", []string{"METRIC_NOT_FOUND /select/0/expr/metric"}, false, ""},
	{"metric fanned out", from + `"orders"},"joins":[{"table":"order_items"}],` + sel(`{"metric":"orders"}`) + `}`, "PA006", []string{"FAN_OUT /select/0/expr/metric"}, true, ""},
	{"two facts", from + `"public.accounts","as":"a"},"joins":[{"table":"orders","to":"a"},{"table":"monthly_account_arr","to":"a"}],` +
		sel(col("a.region"), `{"metric":"arr"}`, `{"metric":"orders"}`) + `}`, "PA006", []string{"FAN_OUT /select/1/expr/metric", "FAN_OUT /select/2/expr/metric"}, true, ""},
	{"sum fanned out", from + `"public.accounts","as":"a"},"joins":[{"table":"orders"},{"table":"order_items"}],` + sel(agg("sum", col("a.tenant_id"))) + `}`, "PA006",
		[]string{"FAN_OUT /select/0/expr/aggregate"}, true, ""},
	{"count of a repeated key", from + `"public.accounts","as":"a"},"joins":[{"table":"orders"}],` + sel(agg("count", col("a.id"))) + `}`, "PA006",
		[]string{"FAN_OUT /select/0/expr/aggregate"}, true, ""},
	{"chasm", from + `"public.accounts","as":"a"},"joins":[{"table":"orders","to":"a"},{"table":"monthly_account_arr","to":"a"}],` + sel(agg("count", "")) + `}`, "PA006",
		[]string{"FAN_OUT /select/0/expr/aggregate"}, false, ""},
	{"count of missing rows", from + `"public.accounts","as":"a"},"joins":[{"table":"orders","kind":"left"}],` + sel(col("a.name"), agg("count", "")) + `}`, "PA006",
		[]string{"COUNTS_MISSING_ROWS /select/1/expr/aggregate"}, true, ""},
	{"sum of a stock", from + `"monthly_account_arr","as":"m"},` + sel(agg("sum", col("m.arr"))) + `}`, "PA006", []string{"NOT_ADDITIVE /select/0/expr/aggregate"}, true,
		"use the metric arr, its value at the last month, or group by month"},
	{"unknown dimension", from + `"order_items"},` + sel(`{"dimension":"lime sise"}`) + `}`, "PA005", []string{"DIMENSION_NOT_FOUND /select/0/expr/dimension"}, false, ""},
	{"a dimension spelled as columns are", from + `"order_items"},` + sel(`{"dimension":"line_size"}`) + `}`, "PA005", []string{"DIMENSION_NOT_FOUND /select/0/expr/dimension"}, true, ""},
	{"dimension of a table that isn't joined", from + `"order_items"},` + sel(`{"dimension":"home"}`, `{"metric":"revenue"}`) + `}`, "PA005", []string{"DIMENSION_TABLE_MISSING /select/0/expr/dimension"}, true, ""},
	{"dimension behind a join", from + `"order_items"},"joins":[{"table":"orders"}],` + sel(`{"dimension":"home"}`, `{"metric":"revenue"}`) + `}`, "PA005", []string{"DIMENSION_TABLE_MISSING /select/0/expr/dimension"}, true, ""},
	{"dimension that no way leads to", from + `"products"},` + sel(`{"dimension":"line size"}`) + `}`, "PA005", []string{"DIMENSION_TABLE_MISSING /select/0/expr/dimension"}, false, ""},
	{"dimension that two ways lead to", from + `"flights"},` + sel(`{"dimension":"city"}`) + `}`, "PA005", []string{"DIMENSION_TABLE_MISSING /select/0/expr/dimension"}, false, ""},
	{"dimension of one of two", from + `"flights"},"joins":[{"table":"ports","as":"o","key":"flights_origin"},{"table":"ports","as":"d","key":"flights_destination"}],` + sel(`{"dimension":"city"}`) + `}`,
		"PA005", []string{"AMBIGUOUS_NAME /select/0/expr/dimension"}, false, ""},
	{"dimension of another alias", from + `"order_items","as":"i"},"joins":[{"table":"orders","as":"o"}],` + sel(`{"dimension":"o.line size"}`) + `}`, "PA005", []string{"ALIAS_NOT_FOUND /select/0/expr/dimension"}, false, ""},
	{"dimension of a semi joined table", from + `"orders"},"joins":[{"table":"order_items","kind":"semi"}],` + sel(`{"dimension":"line size"}`) + `}`, "PA005", []string{"DIMENSION_TABLE_MISSING /select/0/expr/dimension"}, false, ""},
	{"dimension of a derived block", from[:len(from)-len(`"table":`)] + `"plan":{"from":{"table":"order_items"},` + sel(col("quantity")) + `},"as":"b"},` + sel(`{"dimension":"line size"}`) + `}`, "PA005",
		[]string{"DIMENSION_TABLE_MISSING /select/0/expr/dimension"}, false, ""},
	{"dimension that isn't grouped", from + `"order_items"},` + sel(`{"op":{"op":"||","args":[{"dimension":"line size"},{"call":{"func":"text","args":[`+agg("count", "")+`]}}]}}`) + `}`, "PA005",
		[]string{"NOT_GROUPED /select/0/expr/op/args/0"}, true, ""},
	{"dimension of another type", from + `"order_items"},"where":` + eq(`{"dimension":"line size"}`, col("quantity")) + `,` + sel(col("order_id")) + `}`, "PA005", []string{"TYPE_MISMATCH /where/op"}, false, ""},
	{"stock by a dimension of more than its time", from + `"monthly_account_arr"},` + sel(`{"dimension":"own month"}`, `{"metric":"arr"}`) + `}`, "PA006", []string{"METRIC_GRAIN /select/0/expr"}, false, ""},
	{"sum of a stock by a dimension of its time", from + `"monthly_account_arr","as":"m"},` + sel(`{"dimension":"half"}`, agg("sum", col("m.arr"))) + `}`, "PA006", []string{"NOT_ADDITIVE /select/1/expr/aggregate"}, true,
		"use the metric arr, its value at the last month, or group by month"},
	{"the latest period of a dimension", from + `"public.accounts","as":"a"},"where":{"period":{"column":"a.joined","unit":"year","latest":true}},` + sel(agg("count", "")) + `}`, "PA005", []string{"UNSUPPORTED /where/period/latest"}, false, "put the period into the block that reads the table"},
	{"a period of a dimension that isn't a date", from + `"public.accounts","as":"a"},"where":{"period":{"column":"a.home","unit":"year"}},` + sel(agg("count", "")) + `}`, "PA005", []string{"TYPE_MISMATCH /where/period/column"}, false, ""},
	{"sum of a dimension of a stock", from + `"monthly_account_arr"},` + sel(agg("sum", `{"dimension":"thousands"}`)) + `}`, "PA006", []string{"NOT_ADDITIVE /select/0/expr/aggregate"}, false,
		"use the metric arr, its value at the last month, or group by month"},
	{"period over two tables", from + `"monthly_account_arr","as":"m"},"joins":[{"table":"public.accounts","as":"a"}],"where":{"op":{"op":"or","args":[` +
		eq(col("a.region"), lit(`"EMEA"`)) + `,{"op":{"op":">","args":[` + col("m.month") + `,` + lit(`"2026-01-01"`) + `]}}]}},` + sel(`{"metric":"arr"}`) + `}`, "PA006",
		[]string{"METRIC_GRAIN /where"}, false, ""},
}
