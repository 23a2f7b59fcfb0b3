package plan

import (
	"fmt"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
)

// latestEnd is an end of a period where the data ends before the period begins: the
// same end of the one that holds the last date.
type latestEnd struct {
	column *typed
	// begins is the first day of the period that was asked for.
	begins Date
	// end counts from the last date as from today.
	end Date
}

// latest lets a period be the latest one in the data, where it begins behind the data,
// and says so. The data is the column's, as far as the asker may see it, whatever else
// the plan demands: when it is looked at is when the plan runs.
func (c *checker) latest(p *Period, column *typed, start, end *symbol, at string) bool {
	switch {
	case column.rel == nil || column.rel.query != nil || c.drill != nil && column.rel == c.drill.date:
		f := c.faultf(stageStructure, CodeUnsupported, at, "the latest period is of a table's own column")
		f.Hint = "put the period into the block that reads the table"
		return false
	case !column.typ.moment():
		c.faultf(stageNames, CodeType, at, "the latest period is of dates or times, not of %s", column.typ)
		return false
	}
	name := TableName(column.rel.table.Name) + "." + Ident(column.column.Name)
	asked := *p
	asked.Column = "" // which may be spelled in several ways
	if other, taken := c.newest[name]; taken && other != asked {
		// Each would be moved by itself, and what they are compared for be lost.
		c.faultf(stageStructure, CodeUnsupported, at, "different periods of %s can't all be the latest one", name)
		return false
	}
	c.newest[name] = asked
	start.latest = &latestEnd{column: column, begins: start.Date, end: Date{Unit: p.Unit, Offset: 1 - p.Last, Fiscal: p.Fiscal}}
	end.latest = &latestEnd{column: column, begins: start.Date, end: Date{Unit: p.Unit, Offset: 1, Fiscal: p.Fiscal}}
	meant := p.Unit + " in it is"
	if p.Last > 1 {
		meant = fmt.Sprintf("%d %ss in it are", p.Last, p.Unit)
	}
	c.qualify("where %s ends before the period asked for%s, the latest %s meant", name, known(column), meant)
	return true
}

// known is how far the column goes, as far as samples tell.
func known(column *typed) string {
	if column.column.Max == "" {
		return ""
	}
	return " (of the rows sampled the last is " + column.column.Max + ")"
}

// orLatest is the day, or where the data ends before the period the end of the latest one.
func (c *checker) orLatest(day *pg_query.Node, l *latestEnd) (*pg_query.Node, error) {
	begins, err := c.day(l.begins)
	if err != nil {
		return nil, err
	}
	const alias = "newest"
	last := func() *pg_query.Node {
		return castNode(callNode("max", columnNode(alias, l.column.column.Name)), "date")
	}
	return stmt.Scalar(stmt.SelectNode(&pg_query.SelectStmt{
		TargetList: []*pg_query.Node{stmt.Target(caseNode(day, opNode("<", last(), begins), c.dayFrom(last(), l.end)), "")},
		FromClause: []*pg_query.Node{rangeNode(l.column.rel.table.Name, alias)},
	})), nil
}
