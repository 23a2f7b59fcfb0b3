// Package auth knows the users: it reads what users.yaml says of them, asks the
// access rules who may come from where, proves a client's identity by
// SCRAM-SHA-256 (RFC 5802, RFC 7677), bound to the TLS connection where there is
// one (RFC 5929), or by a certificate, and hands out the [Principal] that
// everything behind it trusts. Who guesses at passwords is held up by a
// [Throttle]. It does no network I/O of its own: the proxy carries the messages.
package auth
