// Package planner turns a question into a plan. Planners are tried in the
// configured order: curated queries that people verified, the built-in one
// that needs no model and accounts for every word or declines, and a model
// that fills in the plan language and is checked like everybody else.
package planner
