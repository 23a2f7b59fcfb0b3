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
	levels := []riskLevel{riskPartial, riskCheap, riskNone}
	var err error
	for _, always := range levels {
		for _, special := range levels {
			for _, arrays := range []bool{true, false} {
				r := risk{always: always, onJSON: special, onTimes: special, onBig: special, arrays: arrays}
				if err = v.prove(sql, r); err == nil {
					return nil
				}
			}
		}
	}
	return err
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
