// Package stmt turns the text of a message into statements: it bounds, splits,
// lexes and parses, and it prints trees back to text. It is the only package
// that calls the SQL parser; others see its node types. Everything is pure: no
// I/O, no logging, no clock.
package stmt
