package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// checkTimeout bounds what check asks of one database.
const checkTimeout = 30 * time.Second

// checkDatabases finds the faults that need the databases: which can't be
// reached, what the files name that isn't there, and logins that can do too much.
func checkDatabases(ctx context.Context, all *configs.All) []configs.Fault {
	var faults []configs.Fault
	for _, name := range slices.Sorted(maps.Keys(all.Config.Databases)) {
		faults = append(faults, checkDatabase(ctx, all, all.Config.Databases[name])...)
	}
	return append(faults, checkIndex(ctx, all)...)
}

func checkDatabase(ctx context.Context, all *configs.All, c *configs.Database) []configs.Fault {
	ctx, stop := context.WithTimeout(ctx, checkTimeout)
	defer stop()
	db := pipeline.NewDatabase(c, slog.New(slog.DiscardHandler), time.Now)
	defer db.Close()
	snap, err := db.Snapshot(ctx)
	if err != nil {
		return []configs.Fault{{Pos: c.Pos, Key: "databases." + c.Name + ".dsn", Msg: reason(err)}}
	}
	model, faults := semantic.Build(*all.Semantic, snap)
	faults = append(faults, checkCurated(ctx, all, c)...)
	if p, broken := policy.Compile(all.Policy); broken == nil {
		faults = append(faults, p.Check(snap)...)
		faults = append(faults, checkLogins(ctx, all, p, c, snap)...)
		faults = append(faults, checkPartitions(ctx, c, p, snap, model)...)
	}
	return append(faults, checkMeaning(ctx, all, c, model)...)
}

// reason is why a database can't be asked, in one line: Postgres's own words, or
// the whole story, in which pgconn has left out the password.
func reason(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Error()
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}

// explainStatement prints what would become of a statement for a user.
func explainStatement(ctx context.Context, r explainRequest) error {
	databases := newOwnDatabases(r.Files.all.Config, r.Offline)
	defer databases.close()
	w, err := newWhatIf(r.Files, r.Files.policy, databases)
	if err != nil {
		return err
	}
	names, err := w.databasesOf(r.User)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("user %s may use none of the databases", r.User.User)
	}
	if r.Offline {
		fmt.Fprintln(r.Stdout, "offline: no table is known, so that every statement that names one is refused")
	}
	for _, name := range names {
		s, err := w.open(ctx, r.User, name)
		if err != nil {
			return err
		}
		for _, f := range s.Explain(ctx, r.SQL) {
			printForecast(r.Stdout, name, f)
		}
		s.Close()
	}
	return nil
}

// printForecast prints one statement's stages and what would run.
func printForecast(w io.Writer, database string, f pipeline.Forecast) {
	fmt.Fprintf(w, "%s: %s\n", database, f.Statement)
	for _, step := range f.Steps {
		fmt.Fprintf(w, "  %-10s %-8s %s\n", step.Stage, step.Outcome, step.Detail)
	}
	if f.Err != nil {
		printError(w, f.Err)
		return
	}
	for _, n := range f.Notices {
		fmt.Fprintf(w, "  notice     %s\n", n.Message)
	}
	fmt.Fprintf(w, "%s;\n", stmt.Pretty(f.SQL))
}

func printError(w io.Writer, err error) {
	fmt.Fprintf(w, "  refused: %v\n", err)
	if d, ok := errors.AsType[interface {
		error
		Detail() string
	}](err); ok && d.Detail() != "" {
		fmt.Fprintf(w, "  detail: %s\n", d.Detail())
	}
	if h, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok && h.Hint() != "" {
		fmt.Fprintf(w, "  hint: %s\n", h.Hint())
	}
}
