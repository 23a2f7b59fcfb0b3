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
	if v.prove(sql, riskPartial) == nil || v.prove(sql, riskCheap) == nil {
		return nil
	}
	return v.prove(sql, riskNone)
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
