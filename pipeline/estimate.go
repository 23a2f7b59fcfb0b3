package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// estimate is what EXPLAIN expects of a statement.
type estimate struct {
	// rows is the larger of the largest node and the sum of what scans read.
	rows float64
	cost float64
	// largest is the largest number of rows of any node.
	largest float64
	scans   []scan
}

// scan is one node that reads a relation.
type scan struct {
	schema, relation string
	// sequential scans read the whole relation, whatever their filter leaves.
	sequential bool
	rows       float64
}

// node is one node of EXPLAIN (FORMAT JSON, VERBOSE).
type node struct {
	Type     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Schema   string  `json:"Schema"`
	Rows     float64 `json:"Plan Rows"`
	Cost     float64 `json:"Total Cost"`
	Plans    []node  `json:"Plans"`
}

// weigh reads an estimate from EXPLAIN's JSON.
func weigh(text string) (estimate, error) {
	var plans []struct {
		Plan node `json:"Plan"`
	}
	if err := json.Unmarshal([]byte(text), &plans); err != nil {
		return estimate{}, fmt.Errorf("plan can't be read: %w", err)
	}
	if len(plans) != 1 {
		return estimate{}, fmt.Errorf("%d plans instead of one", len(plans))
	}
	e := estimate{cost: plans[0].Plan.Cost}
	e.visit(plans[0].Plan)
	e.sum()
	return e, nil
}

func (e *estimate) visit(n node) {
	e.largest = max(e.largest, n.Rows)
	if n.Relation != "" {
		e.scans = append(e.scans, scan{n.Schema, n.Relation, n.Type == "Seq Scan", n.Rows})
	}
	for _, c := range n.Plans {
		e.visit(c)
	}
}

func (e *estimate) sum() {
	var scanned float64
	for _, s := range e.scans {
		scanned += s.rows
	}
	e.rows = max(e.largest, scanned)
}

// measure puts the size of their relation in place of what sequential scans
// keep of it: reltuples, or where Postgres hasn't counted, the planner's guess
// from the relation's size.
func (e *estimate) measure(ctx context.Context, pg *pgconn.PgConn) error {
	for i, s := range e.scans {
		if !s.sequential {
			continue
		}
		n, err := relationRows(ctx, pg, s)
		if err != nil {
			return err
		}
		e.scans[i].rows = max(s.rows, n)
	}
	e.sum()
	return nil
}

const reltuplesQuery = `SELECT c.reltuples FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2`

// relationRows is how many rows a relation holds, as far as Postgres knows.
// Before version 14 an uncounted relation has 0 in place of -1.
func relationRows(ctx context.Context, pg *pgconn.PgConn, s scan) (float64, error) {
	r := pg.ExecParams(ctx, reltuplesQuery, [][]byte{[]byte(s.schema), []byte(s.relation)}, nil, nil, nil).Read()
	if r.Err != nil || len(r.Rows) != 1 {
		return s.rows, r.Err
	}
	if n, err := strconv.ParseFloat(string(r.Rows[0][0]), 64); err == nil && n > 0 {
		return n, nil
	}
	text, err := explainOnce(ctx, pg, fmt.Sprintf("BEGIN READ ONLY; EXPLAIN (FORMAT JSON) SELECT FROM ONLY %s.%s; ROLLBACK",
		ident(s.schema), ident(s.relation)))
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && strings.HasPrefix(pg.Code, "42") {
		return s.rows, nil // the login may not read it whole: the plan's own number stands
	}
	if err != nil {
		return 0, fmt.Errorf("size of a relation: %w", err)
	}
	whole, err := weigh(text)
	return whole.largest, err
}

// largestScan is the scan that reads most, for the message.
func (e estimate) largestScan() (scan, bool) {
	var top scan
	for _, s := range e.scans {
		if s.rows > top.rows {
			top = s
		}
	}
	return top, top.relation != ""
}

// detail says what a refused statement would mostly do.
func (e estimate) detail(limit float64) string {
	d := fmt.Sprintf("The limit of this role is %s rows.", words(limit))
	if s, ok := e.largestScan(); ok {
		d += fmt.Sprintf(" The largest scan reads about %s rows of %s.", words(s.rows), s.relation)
	}
	return d
}
