// Package repeat decides which statements a backend is given under names of
// pgask's own, so that Postgres neither parses nor plans a text again that comes
// again and again. It knows one backend, does no I/O and reads no clock; what is
// sent is its user's business.
package repeat
