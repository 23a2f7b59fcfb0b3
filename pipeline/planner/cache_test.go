package planner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// shelf is a store that a test looks into.
type shelf struct {
	plans map[string][]byte
	err   error
}

func (s *shelf) Get(_ context.Context, keys []string) ([]byte, error) {
	for _, k := range keys {
		if p := s.plans[k]; p != nil {
			return p, s.err
		}
	}
	return nil, s.err
}

func (s *shelf) Keep(key string, plan []byte) { s.plans[key] = plan }

func cachedCase(t *testing.T, s *shelf) (*Cache, *[]string) {
	var heard []string
	return NewCache(s, "v1", func(o string) { heard = append(heard, o) }, slog.New(slog.DiscardHandler)), &heard
}

const countOrders = `{"version":1,"from":{"table":"public.orders"},"where":{"op":{"op":">=","args":[{"column":"orders.ordered_at"},{"date":{"unit":"month","offset":-1}}]}},"select":[{"expr":{"aggregate":{"func":"count"}},"as":"n"}]}`

func decoded(t *testing.T, text string) *plan.Plan {
	t.Helper()
	p, err := plan.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func askedInput(t *testing.T, question string) Input {
	in := modelInput(t, question)
	in.SchemaVersion, in.Sees = "s1", "all"
	return in
}

// TestCacheKeys keeps one plan and asks in other words and worlds.
func TestCacheKeys(t *testing.T) {
	s := &shelf{plans: map[string][]byte{}}
	c, heard := cachedCase(t, s)
	c.Learn(askedInput(t, "How many orders  since last month?"), decoded(t, countOrders))()
	for name, k := range map[string]struct {
		change func(*Input)
		hit    bool
	}{
		"the same":                {func(*Input) {}, true},
		"case, spaces, full stop": {func(in *Input) { in.Question = " how MANY orders since\nlast month ;" }, true},
		"another day":             {func(in *Input) { in.Now = in.Now.AddDate(0, 1, 0) }, true},
		"another word":            {func(in *Input) { in.Question = "how many orders since last year" }, false},
		"another schema":          {func(in *Input) { in.SchemaVersion = "s2" }, false},
		"no schema version":       {func(in *Input) { in.SchemaVersion = "" }, false},
		"another database":        {func(in *Input) { in.Database = "other" }, false},
		"another view":            {func(in *Input) { in.Sees = "less" }, false},
		"columns":                 {func(in *Input) { in.Columns = []plan.Column{{Name: "n"}} }, false},
		"another semantic model":  {func(in *Input) { m := *in.Semantic; m.Version = "2"; in.Semantic = &m }, false},
		"no semantic model":       {func(in *Input) { in.Semantic = &semantic.Model{Version: "none"} }, false},
	} {
		in := askedInput(t, "How many orders since last month")
		k.change(&in)
		p, err := c.Plan(t.Context(), in)
		if (err == nil) != k.hit || k.hit && (p.Source != "cache" || p.ModelCalls != 0 || p.Made != nil) {
			t.Errorf("%s: %+v %v", name, p, err)
		}
	}
	other := NewCache(s, "v2", func(string) {}, slog.New(slog.DiscardHandler))
	if _, err := other.Plan(t.Context(), askedInput(t, "how many orders since last month")); err == nil {
		t.Error("a plan of another planner's")
	}
	hits := 0
	for _, o := range *heard {
		if o == "hit" {
			hits++
		}
	}
	if hits != 3 || len(*heard) != 10 {
		t.Errorf("heard %v", *heard)
	}
}

// TestCacheOfAValue keeps a plan with a value of the question's, which another case may
// make another.
func TestCacheOfAValue(t *testing.T) {
	c, _ := cachedCase(t, &shelf{plans: map[string][]byte{}})
	where := func(value string) *plan.Plan {
		return decoded(t, `{"version":1,"from":{"table":"public.accounts"},"where":{"op":{"op":"=","args":[{"column":"accounts.name"},{"literal":{"value":"`+value+`"}}]}},"select":[{"expr":{"aggregate":{"func":"count"}},"as":"n"}]}`)
	}
	c.Learn(askedInput(t, "how many accounts are called us"), where("us"))()
	c.Learn(askedInput(t, "how many Accounts of the best"), where("Acme"))()
	for question, hit := range map[string]bool{"how many accounts are called  us?": true, "how many accounts are called US": false, "How many accounts of the BEST": true} {
		if _, err := c.Plan(t.Context(), askedInput(t, question)); (err == nil) != hit {
			t.Errorf("%s: %v", question, err)
		}
	}
}

// TestCacheOfTheDay keeps a plan with a date of its own for its day.
func TestCacheOfTheDay(t *testing.T) {
	c, _ := cachedCase(t, &shelf{plans: map[string][]byte{}})
	in := askedInput(t, "how many orders since last month")
	c.Learn(in, decoded(t, `{"version":1,"from":{"table":"public.orders"},"where":{"op":{"op":">=","args":[{"column":"orders.ordered_at"},{"literal":{"value":"2026-10-01"}}]}},"select":[{"expr":{"aggregate":{"func":"count"}},"as":"n"}]}`))()
	if _, err := c.Plan(t.Context(), in); err != nil {
		t.Errorf("on the same day: %v", err)
	}
	later := in
	later.Now = in.Now.AddDate(0, 0, 1)
	if _, err := c.Plan(t.Context(), later); err == nil {
		t.Error("the next day it is right no more")
	}
	later.Today = dateOf(in)
	if _, err := c.Plan(t.Context(), later); err != nil {
		t.Errorf("where the day is set: %v", err)
	}
}

func TestDated(t *testing.T) {
	where := func(expr string) string {
		return `{"version":1,"limit":25,"from":{"table":"t"},"select":[{"expr":{"column":"a"},"as":"2026-11"}],"reasoning":"since 2026-11-01","where":` + expr + `}`
	}
	literal := func(v any) string {
		b, _ := json.Marshal(v)
		return where(fmt.Sprintf(`{"op":{"op":"=","args":[{"column":"a"},{"literal":{"value":%s}}]}}`, b))
	}
	date := func(unit string, offset, days int) string {
		return where(fmt.Sprintf(`{"date":{"unit":%q,"offset":%d,"days":%d}}`, unit, offset, days))
	}
	for _, c := range []struct {
		question, text string
		want           bool
	}{
		{"completed ones", literal("completed"), false},
		{"this month", literal("2026-11-01"), true},
		{"this month", literal("2026-11"), true},
		{"this year", literal("2026"), true},
		{"this year", literal(2026), true},
		{"in 2026", literal(2026), false},
		{"since 2026-11-01", literal("2026-11-01"), false},
		{"this month", literal("November"), true},
		{"in november", literal("November"), false},
		{"today", literal("Monday"), true},
		{"this month", literal(11), true},
		{"more than five", literal(5), false},
		{"open ones", literal(true), false},
		{"of nobody", literal(nil), false},
		{"last month", date("month", -1, 0), false},
		{"this month", date("month", 0, 0), false},
		{"since january", date("month", -10, 0), true},
		{"past 30 days", date("day", -30, 0), false},
		{"since the 15th", date("month", 0, 14), true},
		{"the past 6 months", where(`{"period":{"column":"a","unit":"month","last":6}}`), false},
		{"since june", where(`{"period":{"column":"a","unit":"month","last":6}}`), true},
		{"this month a year ago", where(`{"period":{"column":"a","unit":"month","back":12}}`), false},
		{"june", where(`{"period":{"column":"a","unit":"month","back":5}}`), true},
	} {
		if got := dated([]byte(c.text), c.question); got != c.want {
			t.Errorf("%s with %s: %t", c.question, c.text, got)
		}
	}
	if !dated([]byte("no plan"), "") {
		t.Error("what can't be read is not dated")
	}
}

// TestCacheDeclines has plans that don't fit any more, and a store that fails.
func TestCacheDeclines(t *testing.T) {
	in := askedInput(t, "how many orders")
	for name, s := range map[string]*shelf{
		"not a plan":     {plans: map[string][]byte{"": []byte("{}")}},
		"a table gone":   {plans: map[string][]byte{"": []byte(`{"version":1,"from":{"table":"public.payroll"},"select":[{"expr":{"aggregate":{"func":"count"}},"as":"n"}]}`)}},
		"a failed store": {plans: map[string][]byte{"": []byte(countOrders)}, err: errors.New("gone")},
	} {
		c, _ := cachedCase(t, s)
		s.plans[c.key(in, false, "")] = s.plans[""]
		_, err := c.Plan(t.Context(), in)
		var d *Declined
		if !errors.As(err, &d) || d.Steps[0].Outcome != "declined" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestChainLearns has the cache hear of the model's first attempts only.
func TestChainLearns(t *testing.T) {
	s := &shelf{plans: map[string][]byte{}}
	c, _ := cachedCase(t, s)
	in := askedInput(t, "how many orders")
	for made, want := range map[*plan.Plan]int{nil: 0, decoded(t, countOrders): 1} {
		clear(s.plans)
		p, err := New(c, fakePlanner{name: "model", proposal: Proposal{Source: "model", Made: made}}).Plan(t.Context(), in)
		if err != nil || len(s.plans) != 0 {
			t.Fatalf("%v, %d plans before it ran", err, len(s.plans))
		}
		if p.Ran != nil {
			p.Ran()
		}
		if len(s.plans) != want {
			t.Errorf("%d plans, want %d", len(s.plans), want)
		}
	}
}
