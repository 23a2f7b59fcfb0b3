// Package pool owns the connections to backends: it dials, logs in with
// pgconn, pins settings and hands the bare connection over, bounded by a
// database's pool size.
package pool
