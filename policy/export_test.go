package policy

import (
	"maps"
	"slices"

	"github.com/pgask/pgask/pipeline/stmt"
)

// AccessFunctions are the names of the catalog access functions.
func AccessFunctions() []string { return slices.Sorted(maps.Keys(accessRules())) }

// Prove runs the second judge alone over a text, fenced or not.
func (v *View) Prove(sql string) error {
	for _, r := range []risk{{always: riskPartial}, {always: riskCheap}, {onJSON: riskCheap}, {onTimes: riskCheap}, {arrays: true}} {
		if v.prove(sql, r) == nil {
			return nil
		}
	}
	return v.prove(sql, risk{})
}

func (v *View) prove(sql string, r risk) error {
	n, err := stmt.ParseOne(sql, wide())
	if err != nil {
		return err
	}
	j := newJudge(v, Options{})
	j.verify, j.risk = true, r
	if _, _, err := j.statement(n); err != nil {
		return err
	}
	return j.complete(n)
}
