package configs

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// readSemantic reads the semantic file, or all that a pattern such as semantic/*.yaml names: each
// team keeps its own, and what one says the others can't say again.
func readSemantic(r *rest, pattern string) *Semantic {
	if !strings.ContainsAny(pattern, "*?[") {
		return read(r, "files.semantic", pattern, DecodeSemantic)
	}
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(r.folder, pattern)
	}
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		r.faults = append(r.faults, Fault{Pos: r.origins["files.semantic"], Key: "files.semantic", Msg: "no file is named like " + pattern})
	}
	all, seen := &Semantic{}, map[string]Pos{}
	for _, file := range files {
		one := read(r, "files.semantic", file, DecodeSemantic)
		r.faults = append(r.faults, all.join(one, seen)...)
	}
	return all
}

// join adds what another file says. What both say is a fault of the second; seen is where each
// thing was said first.
func (s *Semantic) join(one *Semantic, seen map[string]Pos) []Fault {
	var faults []Fault
	first := func(key string, pos Pos) bool {
		before, taken := seen[key]
		if taken && before.File != pos.File { // twice in one file is a fault already
			faults = append(faults, Fault{Pos: pos, Key: key, Msg: fmt.Sprintf("a second one of this name, first at %s", before)})
			return false
		}
		seen[key] = pos
		return true
	}
	s.Tables = append(s.Tables, slices.DeleteFunc(one.Tables, func(t SemanticTable) bool { return !first("tables."+t.Table.String(), t.Pos) })...)
	s.Metrics = append(s.Metrics, slices.DeleteFunc(one.Metrics, func(m Metric) bool {
		if m.Owner == "" {
			faults = append(faults, Fault{Pos: m.Pos, Key: "metrics." + m.Name + ".owner", Msg: "nobody owns it: where several files have metrics, each metric or its file says owner"})
		}
		return !first("metrics."+m.Name, m.Pos)
	})...)
	faults = append(faults, s.joinDimensions(one)...)
	s.Entities = append(s.Entities, slices.DeleteFunc(one.Entities, func(e Entity) bool { return !first("entities."+e.Name, e.Pos) })...)
	s.Sources = append(s.Sources, slices.DeleteFunc(one.Sources, func(x Source) bool { return !first("sources."+x.Name, x.Pos) })...)
	s.Hierarchies = append(s.Hierarchies, slices.DeleteFunc(one.Hierarchies, func(h Hierarchy) bool { return !first("hierarchies."+h.Name, h.Pos) })...)
	s.Relationships = append(s.Relationships, one.Relationships...)
	if one.FiscalYearStart != 0 && first("fiscal_year_start", one.FiscalPos) {
		s.FiscalYearStart, s.FiscalPos = one.FiscalYearStart, one.FiscalPos
	}
	return faults
}
