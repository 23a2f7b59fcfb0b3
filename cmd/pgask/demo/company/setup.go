package company

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The logins of the sample company.
const (
	Proxy  = "pgask"        // pgask's own questions: catalog and value samples
	Reader = "pgask_reader" // sessions of governed roles: SELECT only
	Owner  = "pgask_owner"  // the passthrough role's: owns the tables
)

// mark is the comment that tells our logins and databases from other people's
// of the same name.
const mark = "sample company of pgask"

// CreateLogins creates the three logins with their passwords, or sets the
// passwords of those that an earlier call left. conn must be a superuser's. A
// login of the same name that is somebody else's is an error.
func CreateLogins(ctx context.Context, conn *pgx.Conn, password string) error {
	for _, login := range []string{Proxy, Reader, Owner} {
		verb, err := createOrAlter(ctx, conn, login)
		if err != nil {
			return err
		}
		_, err = conn.Exec(ctx, fmt.Sprintf("%s role %s login password %s; comment on role %s is %s",
			verb, login, literal(password), login, literal(mark)))
		if err != nil {
			return fmt.Errorf("%s login %s: %w", verb, login, err)
		}
	}
	_, err := conn.Exec(ctx, `
		grant pg_monitor to `+Owner+`;
		alter role `+Proxy+` set default_transaction_read_only = on;
		alter role `+Reader+` set default_transaction_read_only = on;`)
	return err
}

func createOrAlter(ctx context.Context, conn *pgx.Conn, login string) (verb string, err error) {
	var ours bool
	err = conn.QueryRow(ctx, "select coalesce(shobj_description(oid, 'pg_authid'), '') = $2 from pg_roles where rolname = $1", login, mark).Scan(&ours)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "create", nil
	case err != nil:
		return "", fmt.Errorf("look up login %s: %w", login, err)
	case !ours:
		return "", fmt.Errorf("the server has a login %s of its own, which the sample company needs", login)
	}
	return "alter", nil
}

// DropLogins drops what CreateLogins created, unless another database of the
// server still needs it.
func DropLogins(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "drop role if exists "+strings.Join([]string{Proxy, Reader, Owner}, ", "))
	const dependentObjects = "2BP01"
	if coded, ok := errors.AsType[*pgconn.PgError](err); ok && coded.Code == dependentObjects {
		return nil
	}
	return err
}

// CreateDatabase creates an empty database for the company in place of the one
// that an earlier run left. A database of the same name that is somebody else's
// is an error.
func CreateDatabase(ctx context.Context, conn *pgx.Conn, name string) error {
	if err := DropDatabase(ctx, conn, name); err != nil {
		return err
	}
	quoted := pgx.Identifier{name}.Sanitize()
	for _, sql := range []string{"create database " + quoted + " encoding 'UTF8' template template0",
		"comment on database " + quoted + " is " + literal(mark), "alter database " + quoted + " set timezone = 'UTC'"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("create database %s: %w", name, err)
		}
	}
	return nil
}

// DropDatabase drops the company's database, if it is there, with the sessions
// that still use it. One that is somebody else's is an error.
func DropDatabase(ctx context.Context, conn *pgx.Conn, name string) error {
	var ours bool
	err := conn.QueryRow(ctx, "select coalesce(shobj_description(oid, 'pg_database'), '') = $2 from pg_database where datname = $1", name, mark).Scan(&ours)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("look up database %s: %w", name, err)
	case !ours:
		return fmt.Errorf("the server has a database %s of its own; the sample company needs that name", name)
	}
	if _, err := conn.Exec(ctx, "drop database "+pgx.Identifier{name}.Sanitize()+" with (force)"); err != nil {
		return fmt.Errorf("drop database %s: %w", name, err)
	}
	return nil
}

// literal quotes a string for the statements that take no parameters.
func literal(s string) string {
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
