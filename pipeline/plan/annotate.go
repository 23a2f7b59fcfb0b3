package plan

import (
	"maps"
	"slices"
	"strings"
)

// annotate says what remains true but qualified.
func (k *run) annotate() Annotations {
	a := Annotations{Completeness: "exact", Confidence: 1, Guarantee: "full"}
	scoped, masked := map[string]bool{}, map[string]bool{}
	for _, q := range k.queries {
		for _, r := range q.tables() {
			if _, ok := k.Access.Scoped[r.table.Name]; ok {
				scoped[TableName(r.table.Name)] = true
			}
			for _, col := range k.Access.Masked[r.table.Name] {
				if k.used[r][col] {
					masked[TableName(r.table.Name)+"."+Ident(col)] = true
				}
			}
		}
	}
	a.Confidence = k.linked()
	if k.partial() {
		a.Completeness = "bounded"
	}
	if len(masked) > 0 {
		k.qualifiers = slices.Insert(k.qualifiers, 0, "masked: "+join(masked))
	}
	if len(scoped) > 0 {
		a.Guarantee = "scoped"
		k.qualifiers = slices.Insert(k.qualifiers, 0, "within what you may see: "+join(scoped))
	}
	return a
}

func join(set map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(set)), ", ")
}
