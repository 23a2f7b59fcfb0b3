package configs

import (
	"strings"
	"testing"
)

// A role that limits what models cost needs a price of each model that may be asked.
func TestPrices(t *testing.T) {
	const roles = "version: 1\nroles: {analyst: {mode: governed, limits: {daily_cost: 2.5, question_cost: 0.05}}}\n"
	for name, c := range map[string]struct{ config, want string }{
		"all": {"llm: {base_url: 'http://127.0.0.1:1', model: a.b-1, routing: {refiner: r}, prices: {a.b-1: {prompt: 2.5, completion: 10}, r: {prompt: 0}}}", ""},
		"one missing": {"llm: {base_url: 'http://127.0.0.1:1', model: m, routing: {refiner: r}, prices: {m: {prompt: 1}}}",
			"llm.prices in pgask.yaml has no price of model r, so that what it costs can't be limited"},
		"no model":    {"llm: {model: m}", ""},
		"half of one": {"llm: {prices: {m: {completion: 1}}}", "llm.prices.m"},
		"negative":    {"llm: {prices: {m: {prompt: -1}}}", "must be from 0"},
	} {
		all, faults := Load(folder(t, map[string]string{"pgask.yaml": c.config + "\nfiles: {policy: policy.yaml}\n", "policy.yaml": roles}), nil)
		got := ""
		for _, f := range faults {
			if !f.Warning {
				got += f.Error() + "\n"
			}
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if name == "all" && (all.Config.LLM.Prices["a.b-1"] != Price{2.5, 10} || all.Policy.Roles["analyst"].Limits.QuestionCost != 0.05) {
			t.Errorf("%+v", all.Config.LLM.Prices)
		}
	}
}
