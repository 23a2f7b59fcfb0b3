package configs

// parsed stores what a parser of names makes of a scalar.
func parsed[T any](dst *T, parse func(string) (T, error)) setter {
	return func(v value) {
		s, ok := v.scalar("a name")
		if !ok {
			return
		}
		t, err := parse(s)
		if err != nil {
			v.fault("%s", err)
			return
		}
		*dst = t
	}
}

// name stores a relation with its position.
func name(dst *Name) setter {
	return func(v value) {
		v.schema.text(namePattern(2, false))
		parsed(dst, ParseName)(v)
		dst.Pos = v.pos()
	}
}

// pattern stores a pattern with its position.
func pattern(dst *Pattern) setter {
	return func(v value) {
		v.schema.text(namePattern(2, true))
		parsed(dst, ParsePattern)(v)
		dst.Pos = v.pos()
	}
}

// column stores a schema.table.column with its position.
func column(dst *ColumnRef) setter {
	return func(v value) {
		v.schema.text(namePattern(3, false))
		parsed(dst, ParseColumn)(v)
		dst.Pos = v.pos()
	}
}

// identifierOf stores a single SQL name.
func identifierOf(dst *string) setter {
	return func(v value) {
		v.schema.text(namePattern(1, false))
		parsed(dst, ParseIdentifier)(v)
	}
}
