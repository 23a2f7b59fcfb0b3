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
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// checkTimeout bounds what check asks of one database.
const checkTimeout = 30 * time.Second

// checkDatabases finds the faults that need the databases: which can't be
// reached, and what the files name that isn't there.
func checkDatabases(ctx context.Context, all *configs.All) []configs.Fault {
	var faults []configs.Fault
	for _, name := range slices.Sorted(maps.Keys(all.Config.Databases)) {
		faults = append(faults, checkDatabase(ctx, all, all.Config.Databases[name])...)
	}
	return faults
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
	_, faults := semantic.Build(*all.Semantic, snap)
	if p, broken := policy.Compile(all.Policy); broken == nil {
		faults = append(faults, p.Check(snap)...)
	}
	return faults
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
	chain, err := assemblePlanners(r.Files, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	c := r.Files.all.Config
	pipe := pipeline.New(&pipeline.Rules{Policy: r.Files.policy, Semantic: r.Files.all.Semantic, Planners: chain},
		pipeline.Options{Limits: stmt.Limits{Bytes: int(c.Limits.StatementBytes)}, Today: c.Planner.Today,
			Samples: c.Index.Samples, Observer: observer{newMetrics()}, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	role, err := pipe.Rules().Policy.RoleFor(r.User)
	if err != nil {
		return err
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(c.Databases)), func(name string) bool { return !role.AllowsDatabase(name) })
	if len(names) == 0 {
		return fmt.Errorf("user %s may use none of the databases", r.User.User)
	}
	if r.Offline {
		fmt.Fprintln(r.Stdout, "offline: no table is known, so that every statement that names one is refused")
	}
	for _, name := range names {
		if err := explainOn(ctx, r, pipe, c.Databases[name], role); err != nil {
			return err
		}
	}
	return nil
}

// explainOn explains on one database; offline, on an empty one of its name.
func explainOn(ctx context.Context, r explainRequest, pipe *pipeline.Pipeline, c *configs.Database, role *policy.Role) error {
	db := pipeline.NewDatabase(c, slog.New(slog.DiscardHandler), time.Now)
	if r.Offline {
		db = pipeline.OfflineDatabase(c.Name, catalog.NewSnapshot(c.Name, 0, nil, nil), time.Now)
	}
	defer db.Close()
	var login auth.Login
	if l := loginOf(r.User, role); l != nil {
		login = *l
	}
	s, err := pipe.Open(ctx, r.User, db, login, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer s.Close()
	for _, f := range s.Explain(ctx, r.SQL) {
		printForecast(r.Stdout, c.Name, f)
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
