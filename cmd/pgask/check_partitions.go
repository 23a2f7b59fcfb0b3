package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/policy"
)

// Looking for rows that belie the policy may read whole tables: one key takes no
// longer than the first, all together no longer than the second.
const (
	partitionTimeout  = 5 * time.Second
	partitionsTimeout = 15 * time.Second
)

// checkPartitions looks for rows that refer to a row with another value of the partition
// key, with the dsn's login. Where it can't see all rows, or in time, it says so.
func checkPartitions(ctx context.Context, c *configs.Database, p *policy.Policy, snap *catalog.Snapshot, model *semantic.Model) []configs.Fault {
	pairs := partitionPairs(p.PartitionKeys(snap), model)
	if len(pairs) == 0 {
		return nil
	}
	conn, err := connectAs(ctx, c.DSN, nil)
	if err != nil {
		return []configs.Fault{{Pos: c.Pos, Key: "databases." + c.Name + ".dsn", Msg: reason(err)}}
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var faults []configs.Fault
	began := time.Now()
	for _, pair := range pairs {
		fault := configs.Fault{Pos: pair.from.Pos, Key: pair.from.Key}
		n, err := int64(0), fmt.Errorf("the time for that is over")
		if time.Since(began) < partitionsTimeout {
			n, err = pair.belied(ctx, conn)
		}
		switch {
		case err != nil:
			fault.Warning = true
			fault.Msg = fmt.Sprintf("database %s: whether %s isn't known: %s", c.Name, pair, reason(err))
		case n > 0:
			fault.Msg = fmt.Sprintf("database %s: not all %s, %s not: what isn't seen isn't proven to be missing; mend the rows, or leave partition out", c.Name, pair, count(int(n), "row"))
		default:
			continue
		}
		faults = append(faults, fault)
	}
	return faults
}

// partitionPair is a declared key between two tables that have partition keys of one thing.
type partitionPair struct {
	from, to policy.PartitionKey
	key      *semantic.Relationship
}

func partitionPairs(keys []policy.PartitionKey, model *semantic.Model) []partitionPair {
	var out []partitionPair
	for _, r := range model.Relationships {
		if r.Method != "" {
			continue
		}
		for _, from := range keys {
			for _, to := range keys {
				if r.From == from.Table && r.To == to.Table && from.Of == to.Of {
					out = append(out, partitionPair{from, to, r})
				}
			}
		}
	}
	return out
}

func (p partitionPair) String() string {
	return fmt.Sprintf("rows of %s have the %s in %s of the row of %s that they refer to (%s)", tableName(p.from.Table), configs.Spell(p.to.Column), configs.Spell(p.from.Column), tableName(p.to.Table), p.key.Name)
}

func tableName(n catalog.Name) string { return configs.Name{Schema: n.Schema, Table: n.Table}.String() }

// belied counts the rows that the policy is wrong about. Row security would hide some, so that
// Postgres is told to refuse then.
func (p partitionPair) belied(ctx context.Context, conn *pgx.Conn) (int64, error) {
	column := func(alias, name string) string { return alias + "." + pgx.Identifier{name}.Sanitize() }
	relation := func(n catalog.Name) string { return pgx.Identifier{n.Schema, n.Table}.Sanitize() }
	var on []string
	for i, c := range p.key.FromColumns {
		on = append(on, column("c", c)+" = "+column("p", p.key.ToColumns[i]))
	}
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly})
	if err != nil {
		return 0, err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if _, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL row_security = off; SET LOCAL statement_timeout = %d", partitionTimeout.Milliseconds())); err != nil {
		return 0, err
	}
	var n int64
	err = tx.QueryRow(ctx, "SELECT count(*) FROM "+relation(p.from.Table)+" c JOIN "+relation(p.to.Table)+" p ON "+strings.Join(on, " AND ")+
		" WHERE "+column("c", p.from.Column)+" IS DISTINCT FROM "+column("p", p.to.Column)).Scan(&n)
	return n, err
}
