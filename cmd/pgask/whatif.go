package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/pipeline/trace"
	"github.com/pgask/pgask/policy"
)

// whatIf judges statements as sessions of the proxy would, and runs none.
type whatIf struct {
	pipe      *pipeline.Pipeline
	databases *ownDatabases
}

// newWhatIf makes one for a policy, which may be another than that of the files.
func newWhatIf(f *files, p *policy.Policy, databases *ownDatabases) (*whatIf, error) {
	return newScene(f, p, databases, scene{today: f.all.Config.Planner.Today, now: time.Now})
}

// scene is when questions are asked, by which planners, and who hears of them.
type scene struct {
	staged staged
	today  string // planner.today
	now    func() time.Time
	traces func(trace.Trace)
}

func newScene(f *files, p *policy.Policy, databases *ownDatabases, o scene) (*whatIf, error) {
	log := slog.New(slog.DiscardHandler)
	chain, err := assemblePlanners(f, newKeeper(log), o.staged, log)
	if err != nil {
		return nil, err
	}
	c := f.all.Config
	embedder, err := assembleEmbedder(c, log)
	if err != nil {
		return nil, err
	}
	pipe := pipeline.New(&pipeline.Rules{Policy: p, Semantic: f.all.Semantic, Planners: chain, Hooks: f.hooks},
		pipeline.Options{Limits: stmt.Limits{Bytes: int(c.Limits.StatementBytes)}, Today: o.today,
			Samples: c.Index.Samples, Embedder: embedder, Observer: observer{newMetrics()}, Log: log, Now: o.now, Traces: o.traces})
	return &whatIf{pipe: pipe, databases: databases}, nil
}

// databasesOf are the configured databases that a user may use, sorted.
func (w *whatIf) databasesOf(who auth.Principal) ([]string, error) {
	role, err := w.pipe.Rules().Policy.RoleFor(who)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(w.databases.configured))
	return slices.DeleteFunc(names, func(name string) bool { return !role.AllowsDatabase(name) }), nil
}

// open is a session of a user on one of the databases, as the proxy would let
// it in.
func (w *whatIf) open(ctx context.Context, who auth.Principal, database string) (*pipeline.Session, error) {
	role, err := w.pipe.Rules().Policy.RoleFor(who)
	if err != nil {
		return nil, err
	}
	db := w.databases.get(database)
	if db == nil || !role.AllowsDatabase(database) {
		return nil, notThere(who.User, database, db != nil)
	}
	var login auth.Login
	if l := loginOf(who, role); l != nil {
		login = *l
	}
	return w.pipe.Open(ctx, who, db, login, slog.New(slog.DiscardHandler))
}

// ownDatabases are the configured databases, opened when they are needed;
// offline ones are empty and connected to nothing.
type ownDatabases struct {
	configured map[string]*configs.Database
	offline    bool
	opened     map[string]*pipeline.Database
}

func newOwnDatabases(c *configs.Config, offline bool) *ownDatabases {
	return &ownDatabases{configured: c.Databases, offline: offline, opened: map[string]*pipeline.Database{}}
}

// get is the database of that name, nil where there is none.
func (d *ownDatabases) get(name string) *pipeline.Database {
	c := d.configured[name]
	switch {
	case c == nil || d.opened[name] != nil:
	case d.offline:
		d.opened[name] = pipeline.OfflineDatabase(name, catalog.NewSnapshot(name, 0, nil, nil), time.Now)
	default:
		d.opened[name] = pipeline.NewDatabase(c, slog.New(slog.DiscardHandler), time.Now)
	}
	return d.opened[name]
}

func (d *ownDatabases) close() {
	for _, db := range d.opened {
		db.Close()
	}
}

// stateOf is an error's SQLSTATE.
func stateOf(err error) string {
	if coded, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok {
		return coded.SQLState()
	}
	return "XX000"
}

// unreachable tells that a session failed for the database's sake.
func unreachable(err error) bool { return err != nil && stateOf(err) == "57P03" }

// unasked is the error of a command that couldn't ask a database.
func unasked(name string, err error) error { return fmt.Errorf("database %s: %s", name, reason(err)) }
