// Package pgtest scripts the other side of a connection for tests: a client or
// a server that expects one frame, sends another, stalls or hangs up. It knows
// no policy.
package pgtest
