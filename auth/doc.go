// Package auth knows the users: it reads what users.yaml says of them, proves
// a client's identity by SCRAM-SHA-256 (RFC 5802, RFC 7677) and hands out the
// [Principal] that everything behind it trusts. It does no network I/O of its
// own: the proxy carries the messages.
package auth
