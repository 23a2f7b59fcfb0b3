package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/spf13/cobra"
)

func (p *program) curatedCommand() *cobra.Command {
	test := &cobra.Command{
		Use:   "test --config FILE",
		Short: "Run every curated query with its example values",
		Long: `Run every curated query with its example values, else its defaults.

Each runs in a read-only transaction with the database's own login. The exit code is 0
only when all run.`,
		Args: exactly(0, "no arguments"),
	}
	config := configFlag(test)
	test.RunE = func(cmd *cobra.Command, _ []string) error {
		f, err := p.sound(*config)
		if err != nil {
			return err
		}
		return p.curatedTest(cmd.Context(), f, p.stdout)
	}
	cmd := group("curated", "Help with curated queries")
	cmd.AddCommand(test)
	return cmd
}

// curatedWait bounds one query, in Postgres.
const curatedWait = 30 * time.Second

// testCurated runs the queries and prints a line for each, in the form of the Test
// Anything Protocol.
func testCurated(ctx context.Context, f *files, stdout io.Writer) error {
	n, failed := 0, 0
	line := func(q configs.CuratedQuery, database, says string, wrong error) {
		n++
		result := "ok"
		if wrong != nil {
			failed++
			result, says = "not ok", ""
		}
		fmt.Fprintf(stdout, "%s %d - %s %s on %s%s\n", result, n, q.Pos, q.ID, database, says)
		if wrong != nil {
			fmt.Fprintf(stdout, "# %s\n", reason(wrong))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.all.Config.Databases)) {
		examples, err := f.curated.Examples(name)
		if err != nil {
			return err
		}
		if len(examples) == 0 {
			continue
		}
		err = withCurated(ctx, f.all, f.all.Config.Databases[name], func(conn *pgx.Conn, searchPath string) {
			for _, e := range examples {
				rows, err := runCurated(ctx, conn, searchPath, e)
				line(e.Query, name, ": "+count(rows, "row"), err)
			}
		})
		if err != nil {
			return unasked(name, err)
		}
	}
	for _, q := range f.all.Curated.Queries {
		if q.Database != "" && f.all.Config.Databases[q.Database] == nil {
			line(q, q.Database, "", fmt.Errorf("pgask.yaml has no database %s", q.Database))
		}
	}
	fmt.Fprintf(stdout, "1..%d\n# %s: %d ran, %d failed\n", n, count(n, "case"), n-failed, failed)
	if failed > 0 {
		return reported{}
	}
	return nil
}

// runCurated runs a query, whose rows only count.
func runCurated(ctx context.Context, conn *pgx.Conn, searchPath string, e planner.Example) (int, error) {
	if len(e.Invented) > 0 {
		return 0, fmt.Errorf("give an example of %s", strings.Join(e.Invented, ", "))
	}
	n := 0
	err := inCurated(ctx, conn, searchPath, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, e.SQL)
		if err != nil {
			return err
		}
		for rows.Next() {
			n++
		}
		return rows.Err()
	})
	return n, err
}

// checkCurated has Postgres plan the queries of a database: those that it can't are
// wrong, or the schema under them has changed.
func checkCurated(ctx context.Context, all *configs.All, c *configs.Database) []configs.Fault {
	curated, broken := planner.NewCurated(all.Curated.Queries, all.Config.Curated)
	if configs.Faulty(broken) {
		return nil // which is said without a database
	}
	examples, err := curated.Examples(c.Name)
	if err != nil || len(examples) == 0 {
		return nil
	}
	var faults []configs.Fault
	err = withCurated(ctx, all, c, func(conn *pgx.Conn, searchPath string) {
		for _, e := range examples {
			err := inCurated(ctx, conn, searchPath, func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, "EXPLAIN "+e.SQL)
				return err
			})
			if err != nil {
				faults = append(faults, configs.Fault{Pos: e.Query.Pos, Key: "queries." + e.Query.ID + ".sql", Msg: "database " + c.Name + ": " + reason(err)})
			}
		}
	})
	if err != nil {
		faults = append(faults, configs.Fault{Pos: c.Pos, Key: "databases." + c.Name + ".dsn", Msg: reason(err)})
	}
	return faults
}

// withCurated connects with the database's own login. Names without a schema mean
// what they mean for the roles that may ask.
func withCurated(ctx context.Context, all *configs.All, c *configs.Database, do func(conn *pgx.Conn, searchPath string)) error {
	config, err := pgx.ParseConfig(c.DSN)
	if err != nil {
		return err
	}
	configs.JudgeServer(&config.Config)
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var schemas []string
	for _, name := range slices.Sorted(maps.Keys(all.Policy.Roles)) {
		r := all.Policy.Roles[name]
		if !r.Ask || r.Databases != nil && !slices.Contains(r.Databases, c.Name) {
			continue
		}
		for _, schema := range r.SearchPath {
			if quoted := (pgx.Identifier{schema}).Sanitize(); !slices.Contains(schemas, quoted) {
				schemas = append(schemas, quoted)
			}
		}
	}
	do(conn, strings.Join(schemas, ", "))
	return nil
}

// inCurated is a read-only transaction that is rolled back.
func inCurated(ctx context.Context, conn *pgx.Conn, searchPath string, do func(pgx.Tx) error) error {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }() // the connection is closed in the end
	if _, err := tx.Exec(ctx, "SELECT set_config('statement_timeout', $1, true), set_config('search_path', $2, true)",
		fmt.Sprint(curatedWait.Milliseconds()), searchPath); err != nil {
		return err
	}
	return do(tx)
}
