// Package postgres starts throw-away PostgreSQL servers, for the demo and for
// tests. A server lives in a folder of its own under the temporary folder, on
// a free port of 127.0.0.1, with durability off, and is removed when it is
// stopped. A small watchdog process waits at the other end of a pipe, so that
// the server goes away with the program that started it, however that ends.
//
// PGASK_TEST_DSN names an existing server that tests use instead of starting
// one; PGASK_PG_BIN a folder of server binaries.
package postgres
