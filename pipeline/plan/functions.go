package plan

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// Function is a scalar function of the language, for prompts and messages.
type Function struct {
	Name string
	// Args and Result spell the types; Doc is one sentence.
	Args, Result, Doc string
	// min and max bound the number of arguments; max 0 is no limit.
	min, max int
	build    func(c *checker, call *Call, args []*typed, at string) *typed
}

// Functions lists the scalar functions by name. What could fail on a value
// that a table may hold is left out or guarded.
func Functions() []Function {
	return []Function{
		{"abs", "number", "same", "the value without its sign", 1, 1, numeric("abs")},
		{"ceil", "number", "same, integers stay", "the next whole number above", 1, 1, whole("ceil")},
		{"coalesce", "any, any …", "common type", "the first that is not null", 2, 0, coalesce},
		{"concat", "any, any …", "text", "the values as text, joined; null is empty", 1, 0, concat},
		{"date", "date or time", "date", "the day, in the session's time zone", 1, 1, toDate},
		{"date_add", "unit; date or time, integer", "same", "moved by so many units; negative is back", 2, 2, dateAdd},
		{"date_diff", "unit; date or time, date or time", "integer", "how many units start after the first, up to the second", 2, 2, dateDiff},
		{"date_part", "unit; date or time", "integer", "the year, quarter, month, week or day as a number", 1, 1, datePart},
		{"date_trunc", "unit; date or time", "same", "the start of the year, quarter, month, week or day", 1, 1, dateTrunc},
		{"dow", "date or time", "integer", "the day of the week, 0 is Sunday", 1, 1, partOf("dow")},
		{"fiscal_quarter", "date or time", "integer", "1 to 4, of the fiscal year", 1, 1, fiscalPart("fiscal_quarter", "quarter")},
		{"fiscal_year", "date or time", "integer", "the fiscal year, called after the year in which it ends", 1, 1, fiscalPart("fiscal_year", "year")},
		{"floor", "number", "same, integers stay", "the next whole number below", 1, 1, whole("floor")},
		{"greatest", "any, any …", "common type", "the largest that is not null", 2, 0, minMax(pg_query.MinMaxOp_IS_GREATEST)},
		{"hour", "date or time", "integer", "the hour of the day, 0 to 23", 1, 1, partOf("hour")},
		{"hour_start", "date or time", "same", "the start of the hour", 1, 1, hourStart},
		{"initcap", "text", "text", "with the first letter of each word in upper case", 1, 1, text("initcap", typeText)},
		{"least", "any, any …", "common type", "the smallest that is not null", 2, 0, minMax(pg_query.MinMaxOp_IS_LEAST)},
		{"left", "text, literal count", "text", "the first characters", 2, 2, ends("left")},
		{"length", "text", "integer", "the number of characters", 1, 1, text("length", typeInt)},
		{"lower", "text", "text", "in lower case", 1, 1, text("lower", typeText)},
		{"ltrim", "text", "text", "without spaces at the start", 1, 1, text("ltrim", typeText)},
		{"mod", "number, number", "same", "the remainder; null for a divisor of zero", 2, 2, mod},
		{"nullif", "any, any", "the first's", "null where both are equal", 2, 2, nullIf},
		{"numeric", "number", "numeric", "as an exact number", 1, 1, toNumeric},
		{"power", "number, literal 0 … 9", "numeric", "to a whole power", 2, 2, power},
		{"replace", "text, text, text", "text", "with every occurrence of the second replaced by the third", 3, 3, text("replace", typeText)},
		{"right", "text, literal count", "text", "the last characters", 2, 2, ends("right")},
		{"round", "number [, literal digits]", "numeric", "rounded half away from zero", 1, 2, round},
		{"rtrim", "text", "text", "without spaces at the end", 1, 1, text("rtrim", typeText)},
		{"sign", "number", "numeric", "-1, 0 or 1", 1, 1, signOf},
		{"split_part", "text, text, literal number", "text", "the part of that number, from 1, between separators", 3, 3, splitPart},
		{"sqrt", "number", "numeric or double precision", "the square root; null below zero", 1, 1, sqrt},
		{"strpos", "text, text", "integer", "where the second starts in the first; 0 where it isn't there", 2, 2, text("strpos", typeInt)},
		{"substring", "text, literal from [, literal count]", "text", "the characters from a place, the first is 1", 2, 3, substring},
		{"text", "any", "text", "as text", 1, 1, toText},
		{"trim", "text", "text", "without spaces at both ends", 1, 1, text("btrim", typeText)},
		{"trunc", "number [, literal digits]", "numeric", "without the digits behind", 1, 2, trunc},
		{"upper", "text", "text", "in upper case", 1, 1, text("upper", typeText)},
	}
}

// call checks a scalar function.
func (c *checker) call(e *Expr, at string, env env) *typed {
	at += "/call"
	functions := Functions()
	i := slices.IndexFunc(functions, func(f Function) bool { return f.Name == strings.ToLower(e.Call.Func) })
	args, ok := c.exprs(e.Call.Args, at+"/args", env)
	if i < 0 {
		c.noFunction(e.Call, at, functions)
		return nil
	}
	f := functions[i]
	if n := len(e.Call.Args); n < f.min || f.max > 0 && n > f.max {
		c.faultf(stageStructure, CodeArity, at+"/args", "%s takes %s, not %d", f.Name, arguments(f.min, f.max), n)
		return nil
	}
	if takesUnit := strings.HasPrefix(f.Name, "date_"); e.Call.Unit != "" && !takesUnit {
		c.faultf(stageStructure, CodeUnsupported, at+"/unit", "%s takes no unit", f.Name)
		return nil
	}
	if !ok {
		return nil
	}
	given := *e.Call
	t := f.build(c, &given, args, at)
	if t == nil {
		return nil
	}
	t.parts = args
	canonical := &Call{Func: f.Name, Unit: strings.ToLower(e.Call.Unit)}
	for _, a := range args {
		canonical.Args = append(canonical.Args, a.expr)
	}
	t.expr = Expr{Call: canonical}
	return t
}
