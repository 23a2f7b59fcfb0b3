package main

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

// checkMetrics has Postgres plan what metrics are measured by: an expression that names
// functions or types as Postgres hasn't got them is wrong, which nobody who asks is told.
func checkMetrics(ctx context.Context, all *configs.All, c *configs.Database, m *semantic.Model) []configs.Fault {
	if len(m.Metrics) == 0 {
		return nil
	}
	var faults []configs.Fault
	err := withLogin(ctx, all, c, func(conn *pgx.Conn, searchPath string) {
		for _, x := range m.Metrics {
			i := slices.IndexFunc(all.Semantic.Metrics, func(f configs.Metric) bool { return f.Name == x.Name })
			if err := planMetric(ctx, conn, searchPath, x); err != nil && i >= 0 {
				faults = append(faults, configs.Fault{Pos: all.Semantic.Metrics[i].Pos, Key: "metrics." + x.Name, Msg: "database " + c.Name + ": " + reason(err)})
			}
		}
	})
	if err != nil {
		faults = append(faults, configs.Fault{Pos: c.Pos, Key: "databases." + c.Name + ".dsn", Msg: reason(err)})
	}
	return faults
}

// planMetric plans a metric that is no arithmetic over others, and each of its conditions. Tables that the
// login may not read can't be planned; that is said by what looks at logins.
func planMetric(ctx context.Context, conn *pgx.Conn, searchPath string, x *semantic.Metric) error {
	if x.Derived() {
		return nil
	}
	expr, err := stmt.PrintExpr(x.Expr)
	if err != nil {
		return err
	}
	statements := []string{"SELECT " + expr + " FROM " + plan.TableName(x.Table)}
	for _, f := range x.Filters {
		cond, err := stmt.PrintExpr(f.Cond)
		if err != nil {
			return err
		}
		statements = append(statements, "SELECT FROM "+plan.TableName(f.Table)+" WHERE "+cond)
	}
	for _, sql := range statements {
		err := readOnly(ctx, conn, searchPath, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "EXPLAIN "+sql)
			return err
		})
		if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "42501" {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
