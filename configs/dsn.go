package configs

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// passwordWord finds the password of a keyword/value connection string.
var passwordWord = regexp.MustCompile(`(?i)password\s*=\s*('(?:[^'\\]|\\.)*'|[^\s&]+)`)

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
	if m := passwordWord.FindStringSubmatch(dsn); m != nil && strings.Contains(text, strings.Trim(m[1], "'")) {
		return true
	}
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme == "" || u.User == nil {
		return strings.Contains(dsn, "@") // a password with a slash hides the user
	}
	password, _ := u.User.Password()
	user, _, _ := strings.Cut(strings.TrimPrefix(dsn, u.Scheme+"://"), "@")
	_, raw, _ := strings.Cut(user, ":") // as it is written, before decoding
	return password != "" && (strings.Contains(text, password) || strings.Contains(text, raw))
}

// checkDSN is the fault of a connection string, or "".
func checkDSN(dsn string) string {
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return DSNFault(dsn, err)
	}
	return wordsFault(config.RuntimeParams)
}
