// Package plan is the plan language: what a planner says instead of SQL. A
// [Plan] is strict JSON with a generated schema; Validate checks it against
// catalog and semantic model before anything runs, and Compile turns what
// passed into a parse tree. Text never becomes SQL here: names are resolved
// and values are typed constants of the tree.
package plan
