// Package pipeline decides: a statement's text comes in, a [Decision] goes
// out. The path is straight: parse, plan where it is a question, validate,
// compile, authorize, verify, preflight. Everything a client session needs to
// know between statements (its prepared statements' verdicts, its last
// receipt) is in [Session].
package pipeline
