package policy

import (
	"fmt"
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// GatheredBytes is how much of a gathered result's rows is kept, as JSON.
const GatheredBytes = 1 << 20

// gatherText gathers the rows of the innermost query, in their order, into one
// JSON value: {"count": how many there are, "rows": [{"c1": …}, …]}. Of the rows it
// keeps the first that fit, since the value is held whole.
var gatherText = fmt.Sprintf(`SELECT '{"count":' || pg_catalog.count(*) || ',"rows":[' || COALESCE(pg_catalog.string_agg(s.r, ',') FILTER (WHERE s.w <= %d), '') || ']}' AS a
FROM (SELECT t.r, pg_catalog.sum(pg_catalog.octet_length(t.r)) OVER (ROWS UNBOUNDED PRECEDING) AS w
FROM (SELECT pg_catalog.to_json(q.*)::text AS r FROM (SELECT) q) t) s`, GatheredBytes)

// gathered is a judged query as one row with that column, of type text or json. Its
// columns are called c1, c2 … in there, since names may come twice.
func gathered(n *pg_query.Node, out outputs, column ToldColumn) (*pg_query.Node, error) {
	if out.open || len(out.names) == 0 {
		return nil, unsupported("SELECT * of columns that are not known", "Name the columns.")
	}
	outer, err := stmt.ParseOne(gatherText, wide())
	if err != nil {
		return nil, err
	}
	target := outer.GetSelectStmt().TargetList[0].GetResTarget()
	target.Name = column.Name
	if column.Type != "text" {
		target.Val = stmt.Cast(target.Val, &pg_query.TypeName{Names: stmt.Names(builtinSchema, column.Type), Typemod: -1})
	}
	at := outer
	for range 2 {
		at = at.GetSelectStmt().FromClause[0].GetRangeSubselect().Subquery
	}
	aliases := make([]string, len(out.names))
	for i := range aliases {
		aliases[i] = "c" + strconv.Itoa(i+1)
	}
	at.GetSelectStmt().FromClause[0] = stmt.Subselect(n, "q", aliases...)
	return outer, nil
}
