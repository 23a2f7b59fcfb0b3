package catalog

import "fmt"

// containmentRows is how many values of a column are looked up among a key's.
const containmentRows = 10_000

// ContainmentSQL is a single SELECT of two texts: whether a column has a value, and whether
// one of its first values isn't among those of a key. Whoever runs it may scope it first, and
// gives the rows to Contained.
func ContainmentSQL(from Name, column string, to Name, key string) string {
	return fmt.Sprintf("SELECT (count(*) > 0)::text, (count(*) > count(k.%[4]s))::text FROM (SELECT s.%[2]s AS v FROM %[1]s AS s WHERE s.%[2]s IS NOT NULL LIMIT %[5]d) AS x LEFT JOIN %[3]s AS k ON k.%[4]s = x.v",
		quoteName(from), quoteIdent(column), quoteName(to), quoteIdent(key), containmentRows)
}

// Contained tells by ContainmentSQL's rows whether there were values, all of them the key's.
func Contained(rows [][]*string) bool {
	return len(rows) == 1 && len(rows[0]) == 2 && rows[0][0] != nil && *rows[0][0] == "true" && rows[0][1] != nil && *rows[0][1] == "false"
}

func quoteName(n Name) string { return quoteIdent(n.Schema) + "." + quoteIdent(n.Table) }
