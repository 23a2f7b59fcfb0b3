package policy

import (
	"slices"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
)

// Role is what all roles of one principal add up to. It is immutable.
type Role struct {
	// Names are the policy roles, in the principal's order.
	Names []string
	// User is the name the principal logged in with; current_user shows it.
	User string
	// Governed tells that every statement is judged; else (passthrough) only
	// tagged and asked ones, by the role's Seatbelt.
	Governed bool
	// Ask allows ASK, Approve its form that pins a plan, Model allows a language model
	// to plan.
	Ask, Approve, Model bool
	// PlannerMode is what a model answers with: plan or sql; empty for what
	// planner.mode says.
	PlannerMode string
	// Abstain is the least that an answer must be, nil for what pgask.yaml says.
	Abstain *configs.Abstain
	// Databases are the databases the role may use; empty means all.
	Databases []string
	// Login is the backend login, nil for the database's own.
	Login *auth.Login
	// SearchPath is where unqualified names are looked up, in order.
	SearchPath []string
	// Limits are the smallest of all roles; zero switches one off.
	Limits configs.RoleLimits
	// Explicit tells that refusals may say what exists and which rule forbids.
	Explicit bool
	// GovernedAs is the role that judges a passthrough role's tagged and asked
	// statements; empty for the seat belt without one.
	GovernedAs string

	// rules are the compiled rules of each role; a table is readable when one
	// allows it and none denies it.
	rules []*rules
	// everything allows every relation (the seat belt without governed_as).
	everything bool
}

// AllowsDatabase tells whether the role may use the database of that name.
func (r *Role) AllowsDatabase(name string) bool {
	return len(r.Databases) == 0 || slices.Contains(r.Databases, name)
}
