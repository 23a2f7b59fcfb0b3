package configs

func hierarchy(h *Hierarchy) setter {
	return func(v value) {
		h.Pos = v.pos()
		before := v.d.wrong
		v.object(fields{
			"name":        text(&h.Name),
			"description": text(&h.Description),
			"levels":      list(&h.Levels, column),
			"synonyms":    texts(&h.Synonyms),
		})
		v.need("name", h.Name != "")
		v.need("levels", len(h.Levels) > 0)
		if v.d.wrong > before {
			return
		}
		if len(h.Levels) < 2 {
			v.fault("a hierarchy has two levels or more, from coarse to fine; one column has synonyms")
		}
		for i, l := range h.Levels {
			for _, coarser := range h.Levels[:i] {
				if sameColumn(coarser, l) {
					v.fault("level %s is listed twice", l)
				}
			}
		}
	}
}
