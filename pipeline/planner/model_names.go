package planner

import (
	"regexp"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
)

var bareName = regexp.MustCompile(`^[a-z_][a-z0-9_$]*$`)

// modelName spells a name as a plan does: quoted where SQL would need it.
func modelName(name string) string {
	if bareName.MatchString(name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

func modelNames(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = modelName(n)
	}
	return out
}

func tableName(n catalog.Name) string { return modelName(n.Schema) + "." + modelName(n.Table) }
