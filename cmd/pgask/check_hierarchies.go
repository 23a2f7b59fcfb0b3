package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

// hierarchyTimeout bounds what looking at the rows of two levels may take.
const hierarchyTimeout = 5 * time.Second

// checkHierarchies warns of levels whose values belong to several values of the level
// above, by the rows that the login of the dsn sees: such a hierarchy isn't one.
func checkHierarchies(ctx context.Context, conn *pgx.Conn, all *configs.All, c *configs.Database, m *semantic.Model) []configs.Fault {
	var faults []configs.Fault
	for _, h := range m.Hierarchies {
		i := slices.IndexFunc(all.Semantic.Hierarchies, func(f configs.Hierarchy) bool { return f.Name == h.Name })
		for n := range h.Levels[1:] {
			if msg := nests(ctx, conn, m, h.Levels[n], h.Levels[n+1]); msg != "" {
				f := all.Semantic.Hierarchies[i]
				faults = append(faults, configs.Fault{Pos: f.Levels[n+1].Pos, Key: fmt.Sprintf("hierarchies.%s.levels[%d]", f.Name, n+1), Warning: true,
					Msg: "database " + c.Name + ": " + msg})
			}
		}
	}
	return faults
}

// nests says what is wrong where values of the finer level belong to several of the
// coarser one, or where that can't be found out; "" where all is well.
func nests(ctx context.Context, conn *pgx.Conn, m *semantic.Model, coarse, fine semantic.Level) string {
	above := plan.TableName(coarse.Table) + "." + plan.Ident(coarse.Column)
	var values, wrong int64
	err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %d", hierarchyTimeout.Milliseconds())); err != nil {
			return err
		}
		return tx.QueryRow(ctx, nestingSQL(m, coarse, fine)).Scan(&values, &wrong)
	})
	var failed interface{ SQLState() string }
	switch {
	case errors.As(err, &failed) && failed.SQLState() == "57014":
		return fmt.Sprintf("whether each value belongs to one value of %s wasn't found out within %s", above, hierarchyTimeout)
	case err != nil:
		return fmt.Sprintf("whether each value belongs to one value of %s can't be found out: %s", above, reason(err))
	case wrong > 0:
		return fmt.Sprintf("%d of its %s belong to more than one value of %s, the level above", wrong, count(int(values), "value"), above)
	}
	return ""
}

// nestingSQL counts the values of the finer level, and those that belong to several of
// the coarser one, or to one and to none.
func nestingSQL(m *semantic.Model, coarse, fine semantic.Level) string {
	relation := func(n catalog.Name) string {
		of := pgx.Identifier{n.Schema, n.Table}.Sanitize()
		for _, l := range []semantic.Level{coarse, fine} {
			d := m.DimensionOf(l)
			if d == nil || d.Table != n {
				continue
			}
			if text, err := stmt.PrintExpr(d.Expr); err == nil {
				of = "(SELECT *, " + text + " AS " + pgx.Identifier{d.Name}.Sanitize() + " FROM " + of + " x)"
			}
		}
		return of
	}
	column := func(alias, name string) string { return alias + "." + pgx.Identifier{name}.Sanitize() }
	from, at := relation(fine.Table)+" t0", "t0"
	for i, r := range coarse.Path {
		to := fmt.Sprintf("t%d", i+1)
		on := make([]string, len(r.FromColumns))
		for k := range on {
			on[k] = column(at, r.FromColumns[k]) + " = " + column(to, r.ToColumns[k])
		}
		from += " LEFT JOIN " + relation(r.To) + " " + to + " ON " + strings.Join(on, " AND ")
		at = to
	}
	above, own := column(at, coarse.Column), column("t0", fine.Column)
	return "SELECT count(*), count(*) FILTER (WHERE parents > 1) FROM (SELECT count(DISTINCT " + above + ") + bool_or(" + above + " IS NULL)::int AS parents FROM " +
		from + " WHERE " + own + " IS NOT NULL GROUP BY " + own + ") each"
}
