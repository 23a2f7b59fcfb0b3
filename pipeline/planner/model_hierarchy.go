package planner

import (
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// shownHierarchy is a hierarchy as a model sees it, its levels from coarse to fine.
type shownHierarchy struct {
	Hierarchy string   `json:"hierarchy"`
	About     string   `json:"about,omitempty"`
	Synonyms  []string `json:"synonyms,omitempty"`
	Levels    []string `json:"levels"`
}

// shownHierarchies are those that have levels among the tables shown, of these.
func shownHierarchies(in Input, shown map[catalog.Name]bool) []shownHierarchy {
	if in.Semantic == nil {
		return nil
	}
	var out []shownHierarchy
	for _, h := range in.Semantic.Hierarchies {
		one := shownHierarchy{Hierarchy: h.Name, About: clip(h.Description, shownComment), Synonyms: h.Synonyms}
		for _, l := range h.Levels {
			switch d := in.Semantic.DimensionOf(l); {
			case !shown[l.Table] || in.Semantic.LevelExposure(l) == semantic.Hidden:
			case d != nil:
				one.Levels = append(one.Levels, "dimension "+d.Name)
			default:
				one.Levels = append(one.Levels, plan.TableName(l.Table)+"."+plan.Ident(l.Column))
			}
		}
		if len(one.Levels) > 0 {
			out = append(out, one)
		}
	}
	return out
}
