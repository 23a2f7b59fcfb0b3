package configs

import (
	"maps"
	"slices"
)

// maxMoney is more than a call or a day costs in any unit.
const maxMoney = 1_000_000_000

// prices reads what models cost, by name.
func prices(dst *map[string]Price) setter {
	return func(v value) {
		out := map[string]Price{}
		v.entries(func(model string, child value) {
			p := Price{}
			child.object(fields{"prompt": number(&p.Prompt, 0, maxMoney), "completion": number(&p.Completion, 0, maxMoney)})
			child.need("prompt", p.Prompt > 0)
			out[model] = p
		})
		*dst = out
	}
}

// pricesOfPolicy checks that every model has a price where a role limits what models
// cost: one without would be free.
func pricesOfPolicy(all *All) []Fault {
	c := all.Config.LLM
	if c.BaseURL == "" && c.Replay == "" {
		return nil
	}
	models := map[string]bool{}
	for _, task := range []string{"planner", "refiner", "matcher", "narrator"} {
		if m := c.Routing[task]; m != "" {
			models[m] = true
		} else {
			models[c.Model] = true
		}
	}
	var faults []Fault
	for _, name := range slices.Sorted(maps.Keys(all.Policy.Roles)) {
		r := all.Policy.Roles[name]
		if r.Limits.QuestionCost == 0 && r.Limits.DailyCost == 0 {
			continue
		}
		for _, m := range slices.Sorted(maps.Keys(models)) {
			if _, known := c.Prices[m]; !known {
				faults = append(faults, Fault{Pos: r.Pos, Key: "roles." + name + ".limits", Msg: "llm.prices in pgask.yaml has no price of model " + m + ", so that what it costs can't be limited"})
			}
		}
	}
	return faults
}
