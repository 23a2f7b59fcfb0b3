// Package pool owns the connections to backends: it dials, logs in with pgconn,
// pins settings, lends the bare connections and takes them back.
//
// Backends are counted by login and mode (a lot), at most pool.size in each, and
// lent to requests of the same lot, password and start-up parameters (a shape)
// only. Who finds none waits in the lot's queue, first come, first served; an
// idle backend of another shape is closed to make room. A [Backend] is lent,
// idle, being reset or gone; the pool's one lock guards which, and who is lent a
// backend owns its connection without a lock.
//
// A session takes a backend with Acquire and gives it back with Release, after
// which it is reset (reset.go). A transaction on an event loop takes one with
// Borrow, Attach and Return; its connection stays attached (attached.go).
//
// What could go wrong elsewhere, and the rule that answers it here:
//
//   - a session's settings, locks or transaction met by the next one: DISCARD ALL
//     is confirmed reply by reply, or the backend is closed
//   - replies met by the next session: a backend comes back only where nothing is
//     owed, and one that has said anything while idle is closed
//   - a cancel that hits the next session, or another host's server: the borrower
//     returns a backend after its cancels; they go to the address that was dialled
//   - a server that is down dialled by everybody: backoff.go
//   - idle backends that hold the last connections: room.go
//   - backends of before a failover or a new password: RECONNECT, pool.lifetime,
//     and the password in the shape
package pool
