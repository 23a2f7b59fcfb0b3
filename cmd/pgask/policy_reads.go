package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/policy"
)

// roleChanges compares what a user's roles add up to, apart from tables.
func (d *difference) roleChanges(who auth.Principal) []string {
	var sums [2]*policy.Role
	for i, s := range d.sides {
		role, err := s.policy.compiled.RoleFor(who)
		if err != nil {
			role = nil
		}
		sums[i] = role
	}
	before, after := sums[0], sums[1]
	switch {
	case before == nil && after == nil:
		return nil
	case after == nil:
		return []string{"can't log in any more: the roles are gone or don't go together"}
	case before == nil:
		return []string{"can log in"}
	}
	var out []string
	compare := func(what string, a, b any) {
		if x, y := fmt.Sprint(a), fmt.Sprint(b); x != y {
			out = append(out, what+" "+x+" → "+y)
		}
	}
	mode := map[bool]string{true: "governed", false: "passthrough"}
	compare("mode", mode[before.Governed], mode[after.Governed])
	compare("governed_as", orNone(before.GovernedAs), orNone(after.GovernedAs))
	compare("ask", before.Ask, after.Ask)
	compare("approve", before.Approve, after.Approve)
	compare("model", onOff(before.Model), onOff(after.Model))
	compare("planner_mode", orNone(before.PlannerMode), orNone(after.PlannerMode))
	compare("abstain", orDefault(before.Abstain), orDefault(after.Abstain))
	compare("databases", orAll(before.Databases), orAll(after.Databases))
	compare("backend", loginName(before), loginName(after))
	compare("search_path", before.SearchPath, after.SearchPath)
	compare("refusals explicit", before.Explicit, after.Explicit)
	a, b := before.Limits, after.Limits
	compare("rows", limit(a.Rows), limit(b.Rows))
	compare("on_truncate", a.OnTruncate, b.OnTruncate)
	compare("explain_rows", limit(a.ExplainRows), limit(b.ExplainRows))
	compare("explain_cost", limit(a.ExplainCost), limit(b.ExplainCost))
	compare("statement_timeout", limit(a.StatementTimeout), limit(b.StatementTimeout))
	compare("question_tokens", limit(a.QuestionTokens), limit(b.QuestionTokens))
	compare("daily_tokens", limit(a.DailyTokens), limit(b.DailyTokens))
	compare("question_cost", limit(a.QuestionCost), limit(b.QuestionCost))
	compare("daily_cost", limit(a.DailyCost), limit(b.DailyCost))
	for _, list := range []struct {
		what string
		of   func(configs.Access[string]) []string
	}{
		{"functions allowed", func(a configs.Access[string]) []string { return a.Allow }},
		{"functions denied", func(a configs.Access[string]) []string { return a.Deny }},
	} {
		if line := gainedAndLost(d.sides[0].functions(who, list.of), d.sides[1].functions(who, list.of)); line != "" {
			out = append(out, list.what+line)
		}
	}
	return out
}

// functions are those that a user's roles name.
func (s *side) functions(who auth.Principal, of func(configs.Access[string]) []string) []string {
	var out []string
	for _, name := range who.Roles {
		out = append(out, of(s.policy.Roles[name].Functions)...)
	}
	return unique(out)
}

// masks are the expressions that a user's roles show in place of columns.
func (s *side) masks(who auth.Principal) map[string]string {
	out := map[string]string{}
	for _, name := range who.Roles {
		for _, c := range s.policy.Roles[name].Columns {
			for column, expression := range c.Mask {
				out[configs.ColumnRef{Name: c.Table, Column: column}.String()] = expression
			}
		}
	}
	return out
}

// readChanges compares what SHOW pgask.policy would list. Passthrough roles
// read what their login may.
func (d *difference) readChanges(ctx context.Context, who auth.Principal, database string) ([]string, error) {
	var lists [2][]policy.TableGrant
	for i, s := range d.sides {
		role, err := s.policy.compiled.RoleFor(who)
		if err != nil || !role.Governed || !role.AllowsDatabase(database) {
			continue
		}
		snap, err := s.databases.get(database).Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		view, err := role.View(snap, who.Attributes)
		if err != nil {
			continue
		}
		lists[i] = view.Describe()
	}
	before, after := lists[0], lists[1]
	var out []string
	for _, g := range before {
		if find(after, g) == nil {
			out = append(out, "- "+g.SQL())
		}
	}
	for _, g := range after {
		old := find(before, g)
		if old == nil {
			out = append(out, "+ "+g.SQL()+" ("+strings.Join(g.Columns, ", ")+")"+extras(g))
			continue
		}
		if line := d.tableChanges(who, *old, g); line != "" {
			out = append(out, "~ "+g.SQL()+line)
		}
	}
	return out, nil
}

// tableChanges words what changes of a table that both policies allow.
func (d *difference) tableChanges(who auth.Principal, before, after policy.TableGrant) string {
	line := ""
	if c := gainedAndLost(before.Columns, after.Columns); c != "" {
		line += "; columns" + c
	}
	if c := gainedAndLost(before.Masked, after.Masked); c != "" {
		line += "; masked" + c
	}
	old, now := d.sides[0].masks(who), d.sides[1].masks(who)
	for _, column := range after.Masked {
		key := after.SQL() + "." + configs.Spell(column)
		if slices.Contains(before.Masked, column) && old[key] != now[key] {
			line += "; mask of " + configs.Spell(column) + " " + old[key] + " → " + now[key]
		}
	}
	if before.Scope != after.Scope {
		line += "; scope " + orNone(before.Scope) + " → " + orNone(after.Scope)
	}
	if c := gainedAndLost(before.Partition, after.Partition); c != "" {
		line += "; partition" + c
	}
	return line
}

func extras(g policy.TableGrant) string {
	line := ""
	if len(g.Masked) > 0 {
		line += "; masked " + strings.Join(g.Masked, ", ")
	}
	if g.Scope != "" {
		line += "; scope " + g.Scope
	}
	if len(g.Partition) > 0 {
		line += "; partition " + strings.Join(g.Partition, ", ")
	}
	return line
}

func find(list []policy.TableGrant, g policy.TableGrant) *policy.TableGrant {
	for i := range list {
		if list[i].Table == g.Table {
			return &list[i]
		}
	}
	return nil
}

func loginName(r *policy.Role) string {
	if r.Login == nil {
		return "the dsn's"
	}
	return r.Login.User
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func orDefault(a *configs.Abstain) string {
	if a == nil {
		return "default"
	}
	return fmt.Sprintf("confidence %g, completeness %s, guarantee %s", a.Confidence, a.Completeness, a.Guarantee)
}

func orAll(names []string) string {
	if len(names) == 0 {
		return "all"
	}
	return listed(names)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// limit words a limit, of which 0 is none.
func limit[T ~int64 | ~float64](n T) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}
