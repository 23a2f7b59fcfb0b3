package plan_test

import (
	"errors"
	"testing"

	"github.com/pgask/pgask/pipeline/plan"
)

func call(name string, args ...string) string {
	out := `{"call":{"func":"` + name + `","args":[`
	for i, a := range args {
		if i > 0 {
			out += ","
		}
		out += a
	}
	return out + `]}}`
}

func when(cond, then, otherwise string) string {
	return `{"case":{"when":[{"if":` + cond + `,"then":` + then + `}],"else":` + otherwise + `}}`
}

// A condition that holds where a restricted row isn't visible is an anti join, however
// it is put; one that holds only where it is visible is none. Products are seen
// whole, of their order items only some.
func TestAbsenceInOtherWords(t *testing.T) {
	q, n, m := col("i.quantity"), agg("count", col("i.quantity")), agg("max", col("i.quantity"))
	const joined = `"from":{"table":"products","as":"p"},"joins":[{"table":"order_items","as":"i","kind":"left"}],`
	where := func(cond string) string {
		return `{"version":1,` + joined + `"where":` + cond + `,` + sel(col("p.id")) + `}`
	}
	having := func(cond string) string {
		return `{"version":1,` + joined + `"having":` + cond + `,` + sel(col("p.id")) + `}`
	}
	shown := func(item string) string {
		return `{` + joined + `"select":[{"expr":` + col("p.id") + `},{"expr":` + item + `,"as":"x"}]}`
	}
	outside := func(item, cond string) string {
		return derived(shown(item), `"where":`+cond+`,`+sel(col("x.id")))
	}
	of := func(item string) string {
		return planExpr(`{"from":{"table":"order_items","as":"i"},"where":` + eq(col("i.product_id"), col("p.id")) + `,` + sel(item) + `}`)
	}
	compared := func(cond string) string {
		return from + `"products","as":"p"},"where":` + cond + `,` + sel(col("p.id")) + `}`
	}
	x, zero, one, none := col("x.x"), lit("0"), lit("1"), lit(`"none"`)
	for _, test := range []struct {
		name, plan string
		refused    bool
	}{
		{"a value for none", where(eq(call("coalesce", q, lit("-1")), lit("-1"))), true},
		{"another value than that for none", where(eq(call("coalesce", q, lit("-1")), one)), false},
		{"not some", where(op("not", op(">", call("coalesce", q, zero), zero))), true},
		{"not none", where(op("not", op("is_null", q))), false},
		{"joined to a text", where(eq(call("concat", q, none), none)), true},
		{"the greatest of none", where(eq(call("greatest", q, lit("-5")), lit("-5"))), true},
		{"a case without it", where(eq(when(op(">", q, zero), one, zero), zero)), true},
		{"a case with it", where(eq(when(op(">", q, zero), one, zero), one)), false},
		{"there and none", where(op("and", op("is_not_null", q), op("<", call("coalesce", q, zero), one))), false},
		{"there or cheap", where(op("or", op(">", q, one), op("<", col("p.id"), lit("5")))), false},
		{"none or cheap", where(op("or", op("is_null", q), op("<", col("p.id"), lit("5")))), true},
		{"not both", where(op("not", op("and", op("is_not_null", q), op("<", col("p.id"), lit("5"))))), true},
		{"of none, compared with its own", where(op("<", call("coalesce", q, zero), col("p.id"))), true},
		{"a list that has none", where(op("in", call("coalesce", q, zero), zero, one)), true},
		{"a list that hasn't none", where(op("in", call("coalesce", q, zero), lit("2"), one)), false},
		{"beyond a range", where(op("not_between", call("coalesce", q, zero), one, lit("9"))), true},
		{"not counted", having(op("not", op(">", n, zero))), true},
		{"a count with another sign", having(op(">=", op("-", n), zero)), true},
		{"another count", having(op("<>", n, one)), true},
		{"less than a count", having(op(">", op("-", one, n), zero)), true},
		{"a count of those without", having(op(">", `{"aggregate":{"func":"count","arg":`+col("p.id")+`,"distinct":true,"filter":`+op("is_null", q)+`}}`, zero)), true},
		{"a largest of none", having(op("is_null", m)), true},
		{"a sum of some", having(op(">", call("coalesce", agg("sum", q), zero), lit("9"))), false},
		{"a ratio of some", having(op(">", op("/", agg("sum", q), n), lit("9"))), false},
		{"a truth shown first", outside(op("is_null", q), x), true},
		{"a truth shown first, compared", outside(op("is_null", q), eq(x, lit("true"))), true},
		{"a truth shown first, denied", outside(op("is_null", q), op("not", x)), false},
		{"a word shown first", outside(when(op("is_null", q), none, lit(`"some"`)), eq(x, none)), true},
		{"another word shown first", outside(when(op("is_null", q), none, lit(`"some"`)), eq(x, lit(`"some"`))), false},
		{"a number of a window", outside(`{"window":{"func":"rank","order_by":[{"expr":`+n+`,"desc":true}]}}`, op("<=", x, lit("3"))), false},
		{"shown first in a union", `{"version":1,"from":{"as":"x","plan":{"set":{"op":"union","all":true,"plans":[` + shown(q) + `,` + shown(q) + `]}}},"where":` + op("is_null", x) + `,` + sel(col("x.id")) + `}`, true},
		{"not the number of a sub-plan", compared(op("not", op(">", of(agg("count", "")), zero))), true},
		{"less than the number of a sub-plan", compared(op(">", op("-", one, of(agg("count", ""))), zero)), true},
		{"a value for no largest", compared(eq(call("coalesce", of(agg("max", q)), lit("-1")), lit("-1"))), true},
		{"not a largest", compared(op("not", op("is_not_null", of(agg("max", q))))), true},
		{"a largest of some", compared(op("<", of(agg("max", q)), lit("9"))), false},
		{"a join on none", from + `"public.accounts","as":"a"},"joins":[{"table":"orders","as":"o","kind":"left"},{"table":"monthly_account_arr","as":"m","to":"a","where":` + op("is_null", col("o.id")) + `}],` + sel(col("a.id")) + `}`, true},
		{"counted where none is", `{"version":1,` + joined + sel(`{"aggregate":{"func":"count","arg":`+col("p.id")+`,"distinct":true,"filter":`+op("is_null", q)+`}}`) + `}`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := plan.Decode([]byte(test.plan))
			if err != nil {
				t.Fatalf("%v\n%s", err, test.plan)
			}
			if _, err := plan.Validate(p, testContext(t)); err != nil {
				t.Fatalf("unrestricted: %v", err)
			}
			_, err = plan.Validate(p, restricted(t))
			var r *plan.Rejections
			switch {
			case !test.refused && err != nil:
				t.Error(err)
			case test.refused && !errors.As(err, &r):
				t.Errorf("it passed: %v", err)
			case test.refused && (r.SQLState() != "PA007" || r.Hint() == ""):
				t.Errorf("%s %v, hint %q", r.SQLState(), r, r.Hint())
			}
		})
	}
}
