package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// errExplainSlow is the cause when EXPLAIN itself took too long.
var errExplainSlow = errors.New("EXPLAIN timed out")

// explain asks Postgres for the plan of an approved statement and reads the
// estimate from it. A statement with parameters is planned generically, as
// Postgres would without their values.
func (d *Database) explain(ctx context.Context, login auth.Login, a policy.Approved, oids []uint32, limits stmt.Limits) (e estimate, err error) {
	script, at, err := explainScript(a, oids, limits)
	if err != nil {
		return estimate{}, err
	}
	defer func() { err = repositioned(err, script, at) }()
	ctx, stop := context.WithTimeoutCause(ctx, explainTimeout+explainTimeout/2, errExplainSlow)
	defer stop()
	p, err := d.pool(login)
	if err != nil {
		return estimate{}, err
	}
	e, again, err := explainOn(ctx, p, d.Name, script)
	if again {
		e, _, err = explainOn(ctx, p, d.Name, script)
	}
	if err != nil || !e.pruned {
		return e, err
	}
	// Without a parameter's value no partition fits. Which one will is unknown:
	// at least the largest has to be within the limits.
	all, _, err := explainOn(ctx, p, d.Name, strings.Replace(script, "BEGIN READ ONLY;", "BEGIN READ ONLY; SET LOCAL enable_partition_pruning = off;", 1))
	if top, ok := all.largestScan(); ok {
		e.scans, e.rows = append(e.scans, top), max(e.rows, top.rows)
	}
	return e, err
}

// explainOn asks over one connection. A connection that had died while it was
// idle says nothing about the statement: it is worth asking again.
func explainOn(ctx context.Context, p *pgxpool.Pool, database, script string) (e estimate, again bool, err error) {
	conn, err := p.Acquire(ctx)
	if err != nil {
		return e, false, unreachable(database, err)
	}
	defer conn.Release()
	pg := conn.Conn().PgConn()
	text, err := explainOnce(ctx, pg, script)
	if err != nil {
		return e, pg.IsClosed() && ctx.Err() == nil, err
	}
	n, err := readPlan(text)
	if err != nil {
		return e, false, err
	}
	sizes := map[relation]float64{}
	n.wholes(sizes)
	if err := measure(ctx, pg, sizes); err != nil {
		return e, false, err
	}
	return weigh(n, sizes), false, nil
}

// explainScript is the one message sent for a preflight, in a transaction that
// leaves nothing behind but what it deallocates.
// at is the byte of it at which the approved text would begin.
func explainScript(a policy.Approved, oids []uint32, limits stmt.Limits) (script string, at int, err error) {
	text, err := explainable(a, limits)
	if err != nil {
		return "", 0, err
	}
	var b strings.Builder
	ms := explainTimeout.Milliseconds()
	fmt.Fprintf(&b, "BEGIN READ ONLY; SET LOCAL statement_timeout = %d; SET LOCAL lock_timeout = %d;", ms, ms)
	f := a.Facts()
	switch n := f.Params; {
	case f.Tag == "PREPARE":
		fmt.Fprintf(&b, "SET LOCAL plan_cache_mode = force_generic_plan; %s; %s", text, explainExecute(ident(f.Prepared), n))
	case n > 0:
		fmt.Fprintf(&b, "SET LOCAL plan_cache_mode = force_generic_plan; PREPARE pgask_preflight (%s) AS %s; %s",
			typeNames(n, oids), text, explainExecute("pgask_preflight", n))
	default:
		fmt.Fprintf(&b, "EXPLAIN (FORMAT JSON, VERBOSE) %s; ROLLBACK", text)
	}
	script = b.String()
	return script, strings.Index(script, text) - strings.Index(a.SQL(), text), nil
}

// repositioned is an error whose position counts in the approved text instead of
// the script.
func repositioned(err error, script string, at int) error {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || pg.Position == 0 {
		return err
	}
	before := 0
	if at > 0 {
		before = utf8.RuneCountInString(script[:at])
	} else {
		before = at
	}
	c := *pg
	c.Position = max(0, pg.Position-int32(before))
	return &c
}

// ident is a name as SQL text.
func ident(name string) string { return pgx.Identifier{name}.Sanitize() }

func explainExecute(name string, params int) string {
	nulls := strings.TrimSuffix(strings.Repeat("NULL, ", params), ", ")
	if nulls != "" {
		nulls = "(" + nulls + ")"
	}
	return fmt.Sprintf("EXPLAIN (FORMAT JSON, VERBOSE) EXECUTE %s%s; ROLLBACK; DEALLOCATE %s", name, nulls, name)
}

// explainable is the part of a statement that EXPLAIN takes: COPY gives its
// query, the others are explained as they are.
func explainable(a policy.Approved, limits stmt.Limits) (string, error) {
	if a.Facts().Tag != "COPY" {
		return a.SQL(), nil
	}
	n, err := stmt.ParseOne(a.SQL(), limits)
	if err != nil {
		return "", err
	}
	return stmt.Print(n.GetCopyStmt().GetQuery())
}

// typeNames spells parameter types for PREPARE; those that the client left
// open, or that only this database knows, are left to Postgres.
func typeNames(n int, oids []uint32) string {
	names := make([]string, n)
	types := pgtype.NewMap()
	for i := range names {
		names[i] = "unknown"
		if i < len(oids) {
			if t, ok := types.TypeForOID(oids[i]); ok {
				names[i] = "pg_catalog." + ident(t.Name)
			}
		}
	}
	return strings.Join(names, ", ")
}

// explainOnce runs a script and returns the plan in it.
func explainOnce(ctx context.Context, pg *pgconn.PgConn, script string) (string, error) {
	results, err := pg.Exec(ctx, script).ReadAll()
	if err != nil {
		// The failed script left its transaction open and, since PREPARE is no
		// part of one, its statement. The next user of this connection would
		// find the name taken.
		if _, undo := pg.Exec(ctx, "ROLLBACK; DEALLOCATE ALL").ReadAll(); undo != nil {
			return "", errors.Join(err, undo)
		}
		return "", err
	}
	for _, r := range results {
		if len(r.FieldDescriptions) == 1 && r.FieldDescriptions[0].Name == "QUERY PLAN" && len(r.Rows) == 1 {
			return string(r.Rows[0][0]), nil
		}
	}
	return "", errors.New("EXPLAIN gave no plan")
}
