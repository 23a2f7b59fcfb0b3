package policy

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// meantTable suggests the relation whose name was probably mistyped: a denied one
// that isn't there denies nothing.
func (c *checker) meantTable(name string) string {
	names := make([]string, len(c.snapshot.Tables))
	for i, t := range c.snapshot.Tables {
		names[i] = spell(t.Name)
	}
	return meant(name, names, len(name)-strings.LastIndex(name, ".")-1)
}

// meantColumn suggests a column of the table.
func meantColumn(name string, t *catalog.Table) string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = configs.Spell(c.Name)
	}
	return meant(configs.Spell(name), names, len(name))
}

// maxTyped is the length beyond which a name isn't compared with others, and maxMistyped
// how many letters of a mistyped one may be wrong.
const (
	maxTyped    = 127
	maxMistyped = 3
)

// meant is the first of the nearest names, as the end of a message; empty where none is
// near. own is how much of the name may be wrong in half: not its schema.
func meant(name string, names []string, own int) string {
	if len(name) > maxTyped {
		return ""
	}
	best, distance := "", min(maxMistyped, own/2)+1
	for _, n := range names {
		if k := levenshtein.ComputeDistance(name, n); k < distance {
			best, distance = n, k
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}
