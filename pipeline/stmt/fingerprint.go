package stmt

import pg_query "github.com/pganalyze/pg_query_go/v5"

// Fingerprint is equal for texts that differ in constants, white space and
// comments only. A text that Parse refuses, or that asks, has none.
func Fingerprint(text string, l Limits) (string, error) {
	statements, err := Parse(text, l)
	if err != nil {
		return "", err
	}
	for _, s := range statements {
		if s.Tree == nil {
			return "", syntaxError("a question has no fingerprint", "")
		}
	}
	print, err := pg_query.Fingerprint(text)
	if err != nil {
		return "", fromParser(err)
	}
	return print, nil
}
