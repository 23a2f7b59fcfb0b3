// Package policy decides what a governed statement may do. A Policy is
// policy.yaml compiled; a Role is what one user's roles add up to; a View is
// that role bound to one schema snapshot and one user's attributes. Authorize
// rewrites a statement so that every relation is a scoped subselect of
// permitted columns, prints it, parses it back and demands the same tree:
// only then is there an [Approved]. Everything not understood is refused.
// The package is pure: no I/O, no logging, no clock.
package policy
