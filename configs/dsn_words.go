package configs

import (
	"maps"
	"slices"
	"strings"
)

// dsnWords are the words of connection strings that are in force here.
var dsnWords = []string{"host", "port", "dbname", "database", "user", "password", "passfile", "connect_timeout", "sslmode", "sslkey", "sslcert",
	"sslcertmode", "sslrootcert", "sslnegotiation", "sslpassword", "sslsni", "krbspn", "krbsrvname", "target_session_attrs", "service",
	"servicefile", "min_protocol_version", "max_protocol_version", "channel_binding", "require_auth"}

// dsnSettings are Postgres's settings that are often set in one, in any case.
var dsnSettings = []string{"application_name", "options", "search_path", "timezone", "statement_timeout", "lock_timeout", "client_encoding",
	"datestyle"}

// misnamed are other libraries' words for some of them.
var misnamed = map[string]string{"ssl": "sslmode", "schema": "search_path", "currentschema": "search_path", "username": "user", "pwd": "password",
	"pass": "password", "hostname": "host", "server": "host", "db": "dbname", "timeout": "connect_timeout"}

// unknownHere are words of libpq, and of other libraries, that are not in force
// here: sent to Postgres as settings they would end every login.
var unknownHere = []string{"hostaddr", "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count",
	"requirepeer", "sslcompression", "sslcrl", "sslcrldir", "sslkeylogfile", "ssl_min_protocol_version", "ssl_max_protocol_version",
	"gssencmode", "gsslib", "gssdelegation", "load_balance_hosts", "fallback_application_name", "scram_client_key", "scram_server_key",
	"pgbouncer", "connection_limit", "socket_timeout", "sslaccept", "default_query_exec_mode", "statement_cache_capacity",
	"description_cache_capacity"}

// wordFault is what is wrong with a word that would become a setting of the
// session at Postgres, or "". A word that is only like a known one isn't quoted:
// it may be a piece of a password that lacks its quotes.
func wordFault(word string) string {
	word = strings.ToLower(word)
	switch {
	case strings.HasPrefix(word, "pool_"):
		return "words that begin with pool_ don't belong in a connection string; see the database's pool"
	case slices.Contains(unknownHere, word):
		return "the connection string's " + word + " is not supported; leave it out"
	case misnamed[word] != "":
		return "the connection string's " + word + " is unknown; did you mean " + misnamed[word] + "?"
	case slices.Contains(dsnSettings, word), strings.Contains(word, "."), len(word) > maxWord:
		return "" // a setting, maybe an extension's, or nothing that was mistyped
	}
	best, distance := "", min(2, len(word)/3)+1
	for _, known := range slices.Concat(dsnWords, dsnSettings) {
		if d := edits(word, known); d < distance {
			best, distance = known, d
		}
	}
	if best == "" {
		return ""
	}
	return "the connection string has an unknown word; did you mean " + best + "?"
}

// wordsFault is the first fault of the settings that a connection string would
// start sessions with, or "".
func wordsFault(params map[string]string) string {
	for _, word := range slices.Sorted(maps.Keys(params)) {
		if fault := wordFault(word); fault != "" {
			return fault
		}
	}
	return ""
}
