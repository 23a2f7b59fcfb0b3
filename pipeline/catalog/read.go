package catalog

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Querier is what Read needs of a connection: a *pgx.Conn, a pool or a
// transaction. A transaction of isolation level repeatable read gives one
// consistent snapshot.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}
