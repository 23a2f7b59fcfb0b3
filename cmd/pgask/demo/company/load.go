package company

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

//go:embed schema.sql
var schema string

//go:embed indexes.sql
var indexes string

// Load fills the database that conn, a superuser, is connected to: tables,
// rows, indexes, statistics, and what each login may do. The logins must exist
// and the database must be empty. It takes a second or two.
func (c *Company) Load(ctx context.Context, conn *pgx.Conn) error {
	if err := own(ctx, conn); err != nil {
		return err
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) // does nothing after Commit
	if _, err := tx.Exec(ctx, "set local role "+Owner+"; "+schema); err != nil {
		return fmt.Errorf("create the sample company's tables: %w", err)
	}
	for _, t := range c.Tables() {
		copySQL := fmt.Sprintf("copy public.%s (%s) from stdin", t.Name, strings.Join(t.Columns, ", "))
		if _, err := conn.PgConn().CopyFrom(ctx, bytes.NewReader(t.Text), copySQL); err != nil {
			return fmt.Errorf("load %s: %w", t.Name, err)
		}
	}
	if _, err := tx.Exec(ctx, indexes+grants); err != nil {
		return fmt.Errorf("index the sample company: %w", err)
	}
	return tx.Commit(ctx)
}

// own makes the database its owner's and takes from everybody else what
// PUBLIC has by default.
func own(ctx context.Context, conn *pgx.Conn) error {
	database := pgx.Identifier{conn.Config().Database}.Sanitize()
	_, err := conn.Exec(ctx, fmt.Sprintf(`
		alter database %[1]s owner to %[2]s;
		revoke all on database %[1]s from public;
		revoke create on schema public from public;
		revoke execute on function %[5]s from public;
		grant connect on database %[1]s to %[3]s, %[4]s;
		grant execute on function %[5]s to %[2]s;`, database, Owner, Proxy, Reader, largeObjects))
	if err != nil {
		return fmt.Errorf("hand the database to %s: %w", Owner, err)
	}
	return nil
}

// largeObjects are the functions by which anybody could write.
const largeObjects = "pg_catalog.lo_creat(integer), pg_catalog.lo_create(oid), pg_catalog.lo_from_bytea(oid, bytea)"

// grants let the two weak logins read everything but the payroll.
const grants = `
	grant select on accounts, monthly_account_arr, products, orders, order_items, support_conversations to ` + Proxy + `, ` + Reader + `;`
