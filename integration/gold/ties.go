package gold

import (
	"context"
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgask/pgask/pipeline/stmt"
)

// Admits tells whether the golden statement could as well have given the rows.
// Where sort keys are equal, it is the server's choice which rows come first
// and which a LIMIT cuts; a plan has sort keys behind the statement's own.
func (s *Set) Admits(ctx context.Context, q Question, got [][]*string) (bool, error) {
	if _, err := Rows(ctx, s.Conn.PgConn(), "SET search_path TO "+pgx.Identifier{q.DB}.Sanitize()); err != nil {
		return false, err
	}
	return Admits(ctx, s.Conn.PgConn(), q, got)
}

// Admits is Set.Admits for a connection on which the golden statement runs as it
// stands.
func Admits(ctx context.Context, conn *pgconn.PgConn, q Question, got [][]*string) (bool, error) {
	tree, err := parse(q.SQL)
	if err != nil {
		return false, err
	}
	if tree.GetSortClause() == nil && tree.GetLimitCount() == nil {
		return false, nil
	}
	limit, err := count(tree.GetLimitCount())
	if err != nil {
		return false, err
	}
	keys := showKeys(tree)
	sql, err := stmt.Print(stmt.SelectNode(tree))
	if err != nil {
		return false, err
	}
	all, err := Rows(ctx, conn, sql)
	if err != nil {
		return false, err
	}
	want := len(all)
	if limit != nil {
		want = min(want, int(*limit))
	}
	return len(got) == want && admits(all, keys, got), nil
}

// showKeys leaves LIMIT out and puts the sort keys behind the output; it tells
// how many.
func showKeys(s *pg_query.SelectStmt) int {
	s.LimitCount, s.LimitOption = nil, pg_query.LimitOption_LIMIT_OPTION_DEFAULT
	targets := s.GetTargetList()
	for _, n := range s.GetSortClause() {
		s.TargetList = append(s.TargetList, stmt.Target(output(n.GetSortBy().GetNode(), targets), ""))
	}
	return len(s.GetSortClause())
}

// output is what a sort key sorts by: its own expression, or that of the output
// column that it names.
func output(n *pg_query.Node, targets []*pg_query.Node) *pg_query.Node {
	for _, t := range targets {
		fields := n.GetColumnRef().GetFields()
		if len(fields) == 1 && t.GetResTarget().GetName() == fields[0].GetString_().GetSval() {
			return t.GetResTarget().GetVal()
		}
	}
	return n
}

// admits takes all rows in order, their keys last, and tells whether got begins
// as they do but for the order of rows with equal keys.
func admits(all [][]*string, keys int, got [][]*string) bool {
	for len(got) > 0 {
		width := len(all[0]) - keys
		same := 1
		for same < len(all) && slices.EqualFunc(all[0][width:], all[same][width:], sameValue) {
			same++
		}
		var pool [][]*string
		for _, row := range all[:same] {
			pool = append(pool, row[:width])
		}
		for range min(same, len(got)) {
			at := slices.IndexFunc(pool, func(row []*string) bool { return slices.EqualFunc(row, got[0], sameValue) })
			if at < 0 {
				return false
			}
			pool, got = slices.Delete(pool, at, at+1), got[1:]
		}
		all = all[same:]
	}
	return true
}
