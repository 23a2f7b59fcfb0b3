package stmt

// Pretty lays a statement out for reading, one clause a line. The tokens stay
// the same. A text that can't be laid out comes back as it was.
func Pretty(sql string) string {
	tokens, err := lex(sql)
	if err != nil {
		return sql
	}
	return layout(sql, tokens)
}
