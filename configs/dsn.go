package configs

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// passwordWord finds the password of a keyword/value connection string.
var passwordWord = regexp.MustCompile(`(?i)password\s*=\s*('(?:[^'\\]|\\.)*'|\S+)`)

// DSNFault is why a connection string can't be used, without quoting any of
// it. err comes from pgconn.ParseConfig.
func DSNFault(dsn string, err error) string {
	const general = "not a Postgres connection string; the form is postgres://user@host:5432/database?sslmode=verify-full"
	_, reason, ok := strings.Cut(err.Error(), "`: ")
	if !ok || strings.Contains(reason, "://") || quotesSecret(reason, dsn) {
		return general
	}
	return "not a usable connection string: " + reason
}

// quotesSecret tells whether text holds the connection string's password, or
// might: then the string is too broken to know.
func quotesSecret(text, dsn string) bool {
	if u, err := url.Parse(dsn); err == nil && u.Scheme != "" {
		password, set := u.User.Password()
		return set && password != "" && strings.Contains(text, password)
	}
	if m := passwordWord.FindStringSubmatch(dsn); m != nil {
		return strings.Contains(text, strings.Trim(m[1], "'"))
	}
	return strings.Contains(dsn, "@")
}

// checkDSN is the fault of a connection string, or "".
func checkDSN(dsn string) string {
	if _, err := pgconn.ParseConfig(dsn); err != nil {
		return DSNFault(dsn, err)
	}
	return ""
}
