package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// RoleFor adds up the principal's roles. The error is a *Denied 28000 when one
// isn't known or they don't fit together.
func (p *Policy) RoleFor(who auth.Principal) (*Role, error) {
	parts, err := p.parts(who.Roles)
	if err != nil {
		return nil, deny(stateNoRole, "user %q: %v", who.User, err)
	}
	r := sum(parts)
	r.Names, r.User = slices.Clone(who.Roles), who.User
	if who.Login != nil {
		r.Login = who.Login
	}
	return r, nil
}

// CheckRoles tells why one user can't have these roles together; nil when the
// user can.
func (p *Policy) CheckRoles(names []string) error {
	_, err := p.parts(names)
	return err
}

func (p *Policy) parts(names []string) ([]*rules, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("has no role")
	}
	var parts []*rules
	for _, n := range names {
		r := p.roles[n]
		if r == nil {
			return nil, fmt.Errorf("role %q is not in the policy", n)
		}
		if len(parts) > 0 && r.config.Mode != parts[0].config.Mode {
			return nil, fmt.Errorf("roles %q and %q have different modes", parts[0].config.Name, n)
		}
		parts = append(parts, r)
	}
	for i, a := range parts {
		for _, b := range parts[:i] {
			if t, ok := sameColumnRules(a, b); !ok {
				return nil, fmt.Errorf("roles %q and %q state different column rules for %s", b.config.Name, a.config.Name, spell(t))
			}
		}
	}
	return parts, nil
}

// sameColumnRules tells whether two roles that allow the same table state the
// same column rules for it; else it returns the table.
func sameColumnRules(a, b *rules) (catalog.Name, bool) {
	for _, side := range []*rules{a, b} {
		for n := range side.columns {
			if a.allows(n) && b.allows(n) && !a.columns[n].equal(b.columns[n]) {
				return n, false
			}
		}
	}
	return catalog.Name{}, true
}

func (r *rules) allows(n catalog.Name) bool {
	return matching(r.config.Tables.Allow, n) != nil && matching(r.config.Tables.Deny, n) == nil
}

func (c *columnRule) equal(o *columnRule) bool {
	if c == nil || o == nil {
		return c.empty() && o.empty()
	}
	return maps.Equal(c.deny, o.deny) && maps.EqualFunc(c.mask, o.mask, func(a, b *template) bool { return a.text == b.text })
}

func (c *columnRule) empty() bool { return c == nil || len(c.deny) == 0 && len(c.mask) == 0 }

// sum adds roles up as the policy's users see it: scopes are OR-ed when the
// role is bound to a schema, everything else here.
func sum(parts []*rules) *Role {
	first := parts[0].config
	r := &Role{rules: parts, Governed: first.Mode == modeGoverned, Model: true, Explicit: true,
		SearchPath: searchPath(first), Limits: first.Limits, PlannerMode: first.PlannerMode}
	for i, p := range parts {
		c := p.config
		r.Ask, r.Approve = r.Ask || c.Ask, r.Approve || c.Approve
		r.Model = r.Model && c.Model != "off"
		r.PlannerMode = stricterMode(r.PlannerMode, c.PlannerMode)
		r.Abstain = stricterAbstain(r.Abstain, c.Abstain)
		r.Explicit = r.Explicit && c.Refusals == "explicit"
		if r.GovernedAs == "" {
			r.GovernedAs = c.GovernedAs
		}
		if r.Login == nil && c.Backend != nil {
			r.Login = &auth.Login{User: c.Backend.User, Password: c.Backend.Password}
		}
		if i > 0 {
			r.Limits = smallest(r.Limits, c.Limits)
		}
	}
	r.Databases = databases(parts)
	return r
}

// stricterMode is plan where one of two says so, and sql only where both do.
func stricterMode(a, b string) string {
	switch {
	case a == b:
		return a
	case a == "plan" || b == "plan":
		return "plan"
	}
	return ""
}

// searchPath is the role's search_path without what only a database knows.
func searchPath(c *configs.Role) []string {
	var out []string
	for _, s := range c.SearchPath {
		if s != "$user" && s != "" {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		out = []string{"public"}
	}
	return out
}

// databases are those that any role may use; a role without a list may use
// all.
func databases(parts []*rules) []string {
	var out []string
	for _, p := range parts {
		if len(p.config.Databases) == 0 {
			return nil
		}
		for _, d := range p.config.Databases {
			if !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// smallest takes each limit's smaller value; zero is no limit.
func smallest(a, b configs.RoleLimits) configs.RoleLimits {
	out := configs.RoleLimits{Rows: tighter(a.Rows, b.Rows), OnTruncate: a.OnTruncate,
		ExplainRows: tighter(a.ExplainRows, b.ExplainRows), ExplainCost: tighter(a.ExplainCost, b.ExplainCost),
		StatementTimeout: tighter(a.StatementTimeout, b.StatementTimeout),
		QuestionTokens:   tighter(a.QuestionTokens, b.QuestionTokens), DailyTokens: tighter(a.DailyTokens, b.DailyTokens),
		QuestionCost: tighter(a.QuestionCost, b.QuestionCost), DailyCost: tighter(a.DailyCost, b.DailyCost)}
	if strings.EqualFold(b.OnTruncate, onTruncateError) {
		out.OnTruncate = b.OnTruncate
	}
	return out
}

const onTruncateError = "error"

func tighter[T ~int64 | ~float64](a, b T) T {
	if a == 0 {
		return b
	}
	if b == 0 {
		return a
	}
	return min(a, b)
}

// stricterAbstain demands what either does; nil demands nothing of its own.
func stricterAbstain(a, b *configs.Abstain) *configs.Abstain {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	both := a.Stricter(*b)
	return &both
}

// Seatbelt is the role that judges tagged and asked statements of a
// passthrough principal: governed_as, or everything allowed without scopes;
// either way read-only, capped and with preflight, on the session's own
// backend. For a governed principal it is the principal's own role.
func (p *Policy) Seatbelt(who auth.Principal) (*Role, error) {
	own, err := p.RoleFor(who)
	if err != nil || own.Governed {
		return own, err
	}
	belt := *own
	if own.GovernedAs == "" {
		belt.Governed, belt.Explicit, belt.everything, belt.rules = true, true, true, nil
		return &belt, nil
	}
	as := sum([]*rules{p.roles[own.GovernedAs]})
	as.Names, as.User, as.Login, as.Databases = []string{own.GovernedAs}, own.User, own.Login, own.Databases
	as.Ask, as.Approve, as.Model, as.GovernedAs = own.Ask, own.Approve, own.Model && as.Model, own.GovernedAs
	as.PlannerMode = stricterMode(own.PlannerMode, as.PlannerMode)
	as.Abstain = stricterAbstain(own.Abstain, as.Abstain)
	return as, nil
}
