package policy

import (
	"fmt"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// SampleQuery is an approved query for values of one table that the view may
// read, through the view's own row rules. It returns one row a column: name
// text; values text[], most frequent first, at most one more than was asked
// for, null for columns of which only the range is of use; min and max text,
// null for others; complete bool, whether all visible rows were read and
// nothing was left out.
type SampleQuery struct {
	Table    catalog.Name
	Approved Approved
}

const (
	// sampleRows bounds the rows that one query reads.
	sampleRows = 50_000
	// sampleLength bounds a value worth knowing, in characters.
	sampleLength = 100
)

// SampleQueries are the queries for those tables whose samples Catalog leaves
// out because of a row rule. values is the most values of a column.
func (v *View) SampleQueries(values int) ([]SampleQuery, error) {
	var out []SampleQuery
	for _, n := range v.sortedNames() {
		g := v.grants[n]
		if g.scope == nil || g.broken != nil {
			continue
		}
		text := sampleText(g, values)
		if text == "" {
			continue
		}
		tree, err := stmt.ParseOne(text, wide())
		if err != nil {
			return nil, fmt.Errorf("sample %s: %w", spell(n), err)
		}
		a, err := v.Authorize(stmt.Statement{Text: text, Tree: tree}, Options{})
		if err != nil {
			return nil, fmt.Errorf("sample %s: %w", spell(n), err)
		}
		out = append(out, SampleQuery{n, a})
	}
	return out, nil
}

// sampleText is empty when the table has no column worth sampling.
func sampleText(g *grant, values int) string {
	var columns, parts []string
	for _, c := range g.columns {
		part := ""
		switch name := quoted(c.column.Name); {
		case c.mask != nil:
			continue
		case strings.IndexByte("SEB", c.column.Type.Category) >= 0:
			part = sampleValues(name, values)
		case strings.IndexByte("ND", c.column.Type.Category) >= 0:
			part = fmt.Sprintf("NULL::text[] AS values, min(%[1]s)::text AS min, max(%[1]s)::text AS max, count(*) < %[2]d AS complete FROM r", name, sampleRows)
		default:
			continue
		}
		literal := "'" + strings.ReplaceAll(c.column.Name, "'", "''") + "'"
		columns = append(columns, quoted(c.column.Name))
		parts = append(parts, "SELECT "+literal+"::text AS name, "+part)
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("WITH r AS MATERIALIZED (SELECT %s FROM %s.%s LIMIT %d) ", strings.Join(columns, ", "),
		quoted(g.table.Name.Schema), quoted(g.table.Name.Table), sampleRows) + strings.Join(parts, " UNION ALL ")
}

func sampleValues(name string, values int) string {
	return fmt.Sprintf(`(SELECT array_agg(s.v ORDER BY s.n DESC, s.v) FROM (SELECT %[1]s::text AS v, count(*) AS n FROM r`+
		` WHERE length(%[1]s::text) <= %[2]d GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT %[3]d) s) AS values, NULL::text AS min, NULL::text AS max,`+
		` count(*) < %[4]d AND count(*) FILTER (WHERE length(%[1]s::text) > %[2]d) = 0 AS complete FROM r`,
		name, sampleLength, values+1, sampleRows)
}
