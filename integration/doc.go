// Package integration tests the built program from outside: a real Postgres,
// real clients (psql, pgx, JDBC, psycopg), the sample company. Its tests build
// bin/pgask's source with the race detector, run it as "pgask demo" and compare
// what users see with what SQL run direct says.
package integration
