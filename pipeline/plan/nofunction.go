package plan

import (
	"fmt"
	"slices"
	"strings"
)

// otherNames are functions of SQL under the name that the language has for
// them, with the same arguments.
var otherNames = map[string]string{"ceiling": "ceil", "char_length": "length", "character_length": "length", "len": "length",
	"substr": "substring", "pow": "power", "btrim": "trim", "ifnull": "coalesce", "nvl": "coalesce", "lcase": "lower", "ucase": "upper",
	"instr": "strpos", "datepart": "date_part", "datetrunc": "date_trunc"}

// otherForms are what SQL writes as functions and the language says otherwise.
var otherForms = map[string]string{
	"distinct":     `write "distinct": true in the plan for rows without repeats, or in an aggregate, as in {"aggregate": {"func": "count", "arg": …, "distinct": true}}`,
	"now":          `write {"date": {"unit": "day"}} for today`,
	"current_date": `write {"date": {"unit": "day"}} for today`,
	"today":        `write {"date": {"unit": "day"}} for today`,
	"extract":      `call date_part with a unit of year, quarter, month, week or day`,
	"age":          `call date_diff with a unit for whole years or days between two dates`,
	"datediff":     `call date_diff with a unit, the earlier date first`,
	"dateadd":      `call date_add with a unit, the date first`,
	"to_char":      `call date_part or date_trunc with a unit of year, quarter, month, week or day`,
	"strftime":     `call date_part or date_trunc with a unit of year, quarter, month, week or day`,
	"position":     `call strpos with the text first`,
	"if":           `write a case`,
	"iif":          `write a case`,
	"cast":         `write {"cast": {"arg": …, "to": …}}`,
	"exists":       `write {"op": {"op": "exists", "args": [{"plan": …}]}}`,
}

// noFunction refuses a call with the legal form, as far as it is known.
func (c *checker) noFunction(call *Call, at string, functions []Function) {
	name := strings.ToLower(call.Func)
	f := c.faultf(stageNames, CodeFunction, at+"/func", "there is no function %s", call.Func)
	switch {
	case slices.Contains(aggregateNames, name):
		f.Message = fmt.Sprintf("%s is an aggregate: write it as aggregate, not as call", call.Func)
	case slices.Contains(windowNames, name):
		f.Message = fmt.Sprintf("%s is a window function: write it as window, not as call", call.Func)
	case otherForms[name] != "":
		f.Message = fmt.Sprintf("%s is not a function of a plan: %s", call.Func, otherForms[name])
	case otherNames[name] != "":
		f.Nearest = []string{otherNames[name]}
		f.Repair = Repair{{"replace", at + "/func", otherNames[name]}}
		f.Safe = true
	case slices.Contains(dateUnits, name) && len(call.Args) == 1:
		f.Message = fmt.Sprintf("%s is not a function of a plan: call date_part with it as unit", call.Func)
		f.Repair = Repair{{"replace", at, Call{Func: "date_part", Unit: name, Args: call.Args}}}
		f.Safe = true
	default:
		var names []string
		for _, x := range functions {
			names = append(names, x.Name)
		}
		if f.Nearest = nearest(name, names); len(f.Nearest) == 0 {
			f.Nearest = names
		}
	}
}
