package policy

import (
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// capRows limits a judged query to limit+1 rows: the one more tells whether
// anything was cut. A word makes Postgres raise an error instead, which quotes
// it.
func (j *judge) capRows(n *pg_query.Node, out outputs, limit int64, word string) (*pg_query.Node, error) {
	if limit <= 0 {
		return n, nil
	}
	n = limited(n, limit+1)
	if word == "" {
		return n, nil
	}
	return raising(n, out, limit, word)
}

// limited makes a query return at most that many rows. A smaller constant
// LIMIT stays.
func limited(n *pg_query.Node, most int64) *pg_query.Node {
	s := n.GetSelectStmt()
	if s.LimitOption == pg_query.LimitOption_LIMIT_OPTION_WITH_TIES {
		// WITH TIES may return more than its count.
		return limited(stmt.SelectNode(&pg_query.SelectStmt{TargetList: []*pg_query.Node{stmt.Target(stmt.Star(), "")},
			FromClause: []*pg_query.Node{stmt.Subselect(n, "q")}}), most)
	}
	s.LimitOption = pg_query.LimitOption_LIMIT_OPTION_COUNT
	c := s.LimitCount.GetAConst()
	switch {
	case s.LimitCount == nil, c != nil && c.Isnull:
		s.LimitCount = stmt.IntConst(most)
	case c != nil && c.GetIval() != nil:
		s.LimitCount = stmt.IntConst(min(most, int64(c.GetIval().Ival)))
	default:
		// least ignores null, and the cast keeps a parameter's type bigint.
		bigint := &pg_query.TypeName{Names: stmt.Names(builtinSchema, "int8"), Typemod: -1}
		s.LimitCount = &pg_query.Node{Node: &pg_query.Node_MinMaxExpr{MinMaxExpr: &pg_query.MinMaxExpr{Op: pg_query.MinMaxOp_IS_LEAST,
			Args: []*pg_query.Node{stmt.Cast(s.LimitCount, bigint), stmt.IntConst(most)}}}}
	}
	return n
}

// raising numbers the rows and fails with the word at the first one too many:
// SELECT c1 AS "name", … FROM (SELECT q.*, row_number() OVER () AS n FROM (…) q) s
// WHERE CASE WHEN n > cap THEN (word || n)::int IS NULL ELSE true END.
func raising(n *pg_query.Node, out outputs, limit int64, word string) (*pg_query.Node, error) {
	if out.open || len(out.names) == 0 {
		return nil, unsupported("SELECT * of columns that are not known", "Name the columns.")
	}
	aliases := make([]string, len(out.names))
	targets := make([]*pg_query.Node, len(out.names))
	for i, name := range out.names {
		aliases[i] = "c" + strconv.Itoa(i+1)
		targets[i] = stmt.Target(stmt.Column(aliases[i]), name)
	}
	number := stmt.Call([]string{"row_number"})
	number.GetFuncCall().Over = &pg_query.WindowDef{FrameOptions: defaultFrame}
	numbered := stmt.SelectNode(&pg_query.SelectStmt{
		TargetList: []*pg_query.Node{stmt.Target(stmt.Star("q"), ""), stmt.Target(number, "n")},
		FromClause: []*pg_query.Node{stmt.Subselect(n, "q", aliases...)}})
	integer := &pg_query.TypeName{Names: stmt.Names(builtinSchema, "int4"), Typemod: -1}
	fails := stmt.IsNull(stmt.Cast(stmt.Op("||", stmt.StringConst(word), stmt.Column("n")), integer))
	when := &pg_query.Node{Node: &pg_query.Node_CaseWhen{CaseWhen: &pg_query.CaseWhen{
		Expr: stmt.Op(">", stmt.Column("n"), stmt.IntConst(limit)), Result: fails}}}
	where := &pg_query.Node{Node: &pg_query.Node_CaseExpr{CaseExpr: &pg_query.CaseExpr{
		Args: []*pg_query.Node{when}, Defresult: stmt.BoolConst(true)}}}
	return stmt.SelectNode(&pg_query.SelectStmt{TargetList: targets, WhereClause: where,
		FromClause: []*pg_query.Node{stmt.Subselect(numbered, "s")}}), nil
}

// defaultFrame is FRAMEOPTION_DEFAULTS: what OVER () parses to.
const defaultFrame = 1058
