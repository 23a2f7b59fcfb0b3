package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/semantic"
)

// checkMeaning asks a database whether it takes what semantic.yaml defines over it.
func checkMeaning(ctx context.Context, all *configs.All, c *configs.Database, m *semantic.Model) []configs.Fault {
	if len(m.Hierarchies)+len(m.Metrics)+len(m.Dimensions) == 0 {
		return nil
	}
	config, err := pgx.ParseConfig(c.DSN)
	if err != nil {
		return nil // a fault of the files
	}
	configs.JudgeServer(&config.Config)
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return []configs.Fault{{Pos: c.Pos, Key: "databases." + c.Name + ".dsn", Msg: reason(err)}}
	}
	defer conn.Close(context.WithoutCancel(ctx))
	d := &definitions{conn: conn, database: c.Name}
	for _, x := range m.Metrics {
		d.metric(ctx, all.Semantic, x)
	}
	for _, x := range m.Dimensions {
		d.dimension(ctx, all.Semantic, x)
	}
	return append(d.faults, checkHierarchies(ctx, conn, all, c, m)...)
}

// definitions has Postgres read the SQL of semantic.yaml, as far as that names operators and
// functions for types that have none.
type definitions struct {
	conn     *pgx.Conn
	database string
	faults   []configs.Fault
}

func (d *definitions) metric(ctx context.Context, file *configs.Semantic, x *semantic.Metric) {
	pos := file.Metrics[slices.IndexFunc(file.Metrics, func(f configs.Metric) bool { return f.Name == x.Name })].Pos
	all, err := x.SQL()
	if err != nil {
		d.fault(pos, "metrics."+x.Name, reason(err))
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		d.read(ctx, all[key], pos, "metrics."+x.Name+"."+key)
	}
}

func (d *definitions) dimension(ctx context.Context, file *configs.Semantic, x *semantic.Dimension) {
	pos := file.Dimensions[slices.IndexFunc(file.Dimensions, func(f configs.Dimension) bool { return f.Name == x.Name })].Pos
	key, known := "dimensions."+x.Name+".expr", x.Column.Type
	sql, err := x.SQL()
	if err != nil {
		d.fault(pos, key, reason(err))
		return
	}
	if oid := d.read(ctx, sql, pos, key); oid != 0 && oid != known.OID {
		d.fault(pos, key, fmt.Sprintf("it is taken for %s, and the database makes something else of it; cast it, such as (…)::text", known.SQL))
	}
}

// read has the database parse a SELECT, and gives the type's OID; 0 after a fault.
func (d *definitions) read(ctx context.Context, sql string, pos configs.Pos, key string) uint32 {
	read, err := d.conn.Prepare(ctx, "", sql)
	if err == nil {
		return read.Fields[0].DataTypeOID
	}
	if denied, ok := errors.AsType[*pgconn.PgError](err); !ok || denied.Code != "42501" { // what the login may not read is warned of elsewhere
		d.fault(pos, key, reason(err))
	}
	return 0
}

func (d *definitions) fault(pos configs.Pos, key, msg string) {
	d.faults = append(d.faults, configs.Fault{Pos: pos, Key: key, Msg: "database " + d.database + ": " + msg})
}
