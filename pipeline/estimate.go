package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// estimate is what EXPLAIN expects of a statement.
type estimate struct {
	// rows is the larger of the largest node and the sum of what scans read.
	rows float64
	cost float64
	// largest is the largest number of rows of any node.
	largest float64
	scans   []scan
	// pruned tells of partitions that were left out for the values of
	// parameters, which EXPLAIN doesn't have.
	pruned bool
}

// scan is one node that reads a relation, or reads again what it has kept.
type scan struct {
	schema, relation string
	// rows is how many it reads, all its executions together.
	rows float64
}

// node is one node of EXPLAIN (FORMAT JSON, VERBOSE).
type node struct {
	Type     string   `json:"Node Type"`
	Role     string   `json:"Parent Relationship"`
	Subplan  string   `json:"Subplan Name"`
	Relation string   `json:"Relation Name"`
	Schema   string   `json:"Schema"`
	Parallel bool     `json:"Parallel Aware"`
	Rows     float64  `json:"Plan Rows"`
	Cost     float64  `json:"Total Cost"`
	Cond     string   `json:"Index Cond"`
	OrderBy  string   `json:"Order By"`
	Method   string   `json:"Sampling Method"`
	Filter   string   `json:"Filter"`
	Output   []string `json:"Output"`
	Workers  float64  `json:"Workers Planned"`
	Removed  int      `json:"Subplans Removed"`
	Plans    []node   `json:"Plans"`
}

// relation is a relation's name as a plan has it.
type relation struct{ schema, name string }

// readPlan reads EXPLAIN's JSON.
func readPlan(text string) (node, error) {
	var plans []struct {
		Plan node `json:"Plan"`
	}
	if err := json.Unmarshal([]byte(text), &plans); err != nil {
		return node{}, fmt.Errorf("plan can't be read: %w", err)
	}
	if len(plans) != 1 {
		return node{}, fmt.Errorf("%d plans instead of one", len(plans))
	}
	return plans[0].Plan, nil
}

// whole tells whether a scan reads all of its relation, whatever it keeps.
func (n node) whole() bool {
	switch n.Type {
	case "Seq Scan":
		return true
	case "Sample Scan":
		return n.Method == "bernoulli"
	case "Index Scan", "Index Only Scan":
		return n.Cond == "" && n.OrderBy == ""
	}
	return false
}

// wholes are the relations that are read whole.
func (n node) wholes(to map[relation]float64) {
	if n.Relation != "" && n.whole() {
		r := relation{n.Schema, n.Relation}
		to[r] = max(to[r], n.Rows)
	}
	for _, c := range n.Plans {
		c.wholes(to)
	}
}

// weigh adds up a plan; sizes are the rows of the relations that it reads whole.
func weigh(n node, sizes map[relation]float64) estimate {
	e := estimate{cost: n.Cost}
	e.visit(n, sizes, 1, 1)
	var scanned float64
	for _, s := range e.scans {
		scanned += s.rows
	}
	e.rows = max(e.largest, scanned)
	return e
}

// visit adds a node that is executed loops times. share is how many processes
// have a part of its rows each.
func (e *estimate) visit(n node, sizes map[relation]float64, loops, share float64) {
	e.largest = max(e.largest, n.Rows*share)
	e.pruned = e.pruned || n.Removed > 0
	read := n.reads(sizes, share)
	switch {
	case n.Relation != "":
		e.scans = append(e.scans, scan{n.Schema, n.Relation, read * loops})
	case n.Type == "Materialize":
		if loops > 1 { // it reads on its own what it kept
			e.scans = append(e.scans, scan{rows: read * (loops - 1)})
		}
		loops = 1
	case n.Workers > 0: // as the planner divides rows among workers and leader
		share = n.Workers + max(0, 1-0.3*n.Workers)
	}
	var outer float64
	for _, c := range n.Plans {
		switch c.Role {
		case "Inner":
			if n.Type == "Nested Loop" {
				e.visit(c, sizes, loops*max(1, outer*share), 1)
				continue
			}
		case "SubPlan":
			if !n.hashes(c) {
				e.visit(c, sizes, loops*max(1, read, n.Rows*share, outer*share), 1)
				continue
			}
		case "Outer":
			outer = c.Rows
		}
		e.visit(c, sizes, loops, share)
	}
}

// reads is how many rows one execution of a node goes through.
func (n node) reads(sizes map[relation]float64, share float64) float64 {
	rows := n.Rows * share
	switch {
	case n.Relation != "" && n.whole():
		size := sizes[relation{n.Schema, n.Relation}]
		if !n.Parallel {
			size *= share
		}
		return max(rows, size)
	case n.Type == "Bitmap Heap Scan":
		for _, c := range n.Plans {
			if c.Role == "Outer" {
				rows = max(rows, c.Rows*share)
			}
		}
	}
	return rows
}

// hashes tells whether a subplan is executed once, into a hash table.
func (n node) hashes(sub node) bool {
	word := "hashed " + sub.Subplan
	return sub.Subplan != "" && (strings.Contains(n.Filter, word) || strings.Contains(strings.Join(n.Output, " "), word))
}

// sizesQuery gives reltuples; where a relation has grown since Postgres counted,
// as many more as it has more pages.
const sizesQuery = `SELECT n.nspname, c.relname, c.reltuples * CASE WHEN c.relpages > 0
  THEN greatest(1, pg_catalog.pg_relation_size(c.oid)::float8 / pg_catalog.current_setting('block_size')::float8 / c.relpages) ELSE 1 END
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN ROWS FROM (pg_catalog.unnest($1::pg_catalog.text[]), pg_catalog.unnest($2::pg_catalog.text[])) AS w(s, r) ON n.nspname = w.s AND c.relname = w.r`

// measure finds how many rows the relations hold that a plan reads whole: as
// far as Postgres knows, or where it hasn't counted, the planner's guess from the
// relation's size. sizes holds what the plan's scans keep of them.
func measure(ctx context.Context, pg *pgconn.PgConn, sizes map[relation]float64) error {
	if len(sizes) == 0 {
		return nil
	}
	var schemas, names []string
	for r := range sizes {
		schemas, names = append(schemas, r.schema), append(names, r.name)
	}
	types := pgtype.NewMap()
	var values [2][]byte
	for i, list := range [][]string{schemas, names} {
		value, err := types.Encode(pgtype.TextArrayOID, pgtype.TextFormatCode, list, nil)
		if err != nil {
			return fmt.Errorf("names of relations: %w", err)
		}
		values[i] = value
	}
	result := pg.ExecParams(ctx, sizesQuery, values[:], nil, nil, nil).Read()
	if result.Err != nil {
		return result.Err
	}
	for _, row := range result.Rows {
		r := relation{string(row[0]), string(row[1])}
		kept := sizes[r]
		// Before version 14 an uncounted relation has 0 in place of -1.
		if n, err := strconv.ParseFloat(string(row[2]), 64); err == nil && n > 0 {
			sizes[r] = max(kept, n)
			continue
		}
		n, err := guessed(ctx, pg, r, kept)
		if err != nil {
			return err
		}
		sizes[r] = max(kept, n)
	}
	return nil
}

// guessed is what the planner makes of the size of a relation.
func guessed(ctx context.Context, pg *pgconn.PgConn, r relation, kept float64) (float64, error) {
	text, err := explainOnce(ctx, pg, fmt.Sprintf("BEGIN READ ONLY; EXPLAIN (FORMAT JSON) SELECT FROM ONLY %s.%s; ROLLBACK",
		ident(r.schema), ident(r.name)))
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && strings.HasPrefix(pg.Code, "42") {
		return kept, nil // the login may not read it whole: the plan's own number stands
	}
	if err != nil {
		return 0, fmt.Errorf("size of a relation: %w", err)
	}
	n, err := readPlan(text)
	return n.Rows, err
}

// largestScan is the scan that reads most, for the message.
func (e estimate) largestScan() (scan, bool) {
	var top scan
	for _, s := range e.scans {
		if s.rows > top.rows && s.relation != "" {
			top = s
		}
	}
	return top, top.relation != ""
}
