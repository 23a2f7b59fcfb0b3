package configs

// defaultMatches is how many rows a search takes where nobody says it.
const defaultMatches = 20

func source(s *Source) setter {
	return func(v value) {
		s.Pos, s.Distance, s.K, s.MaxHops = v.pos(), "cosine", defaultMatches, 1
		there := false
		v.object(fields{
			"name":      text(&s.Name),
			"table":     name(&s.Table),
			"embedding": identifierOf(&s.Embedding),
			"text":      identifierOf(&s.Text),
			"distance":  enum(&s.Distance, "cosine", "l2", "inner"),
			"k":         integer(&s.K, 1, maxMatches),
			"within":    number(&s.Within, 0, 1e9),
			"links":     records(&s.Links, "method", link),
			"max_hops":  integer(&s.MaxHops, 0, 8),
			"access":    given(&there, sourceAccess(&s.Access)),
		})
		v.need("name", s.Name != "")
		v.need("table", s.Table.Table != "")
		if !there {
			s.Access.Whole, s.Access.BySearch = true, s.Embedding != ""
		}
		switch {
		case v.schema != nil:
		case s.Access.BySearch && s.Embedding == "":
			v.fault("access by_search needs embedding, the column that is searched")
		case !s.Access.Whole && !s.Access.BySearch && len(s.Access.ByKey) == 0:
			v.fault("access allows nothing: say whole, by_key or by_search")
		}
	}
}

// maxMatches bounds what one search takes.
const maxMatches = 10_000

func link(l *Link) setter {
	return func(v value) {
		l.Pos, l.Confidence = v.pos(), 1
		v.object(fields{
			"column":     identifierOf(&l.Column),
			"to":         column(&l.To),
			"method":     text(&l.Method),
			"confidence": number(&l.Confidence, 0, 1),
		})
		v.need("column", l.Column != "")
		v.need("to", l.To.Column != "")
		v.need("method", l.Method != "")
	}
}

func sourceAccess(a *SourceAccess) setter {
	return func(v value) {
		v.object(fields{
			"whole":     boolean(&a.Whole),
			"by_key":    list(&a.ByKey, identifierOf),
			"by_search": boolean(&a.BySearch),
		})
	}
}
