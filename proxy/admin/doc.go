// Package admin is the database pgask, which has no Postgres behind it: a small
// server that shows what the proxy is doing and changes it. It stands where a
// session has its backend, at the other end of a socket, so that login, limits,
// cancel and shutdown are those of every session.
package admin
