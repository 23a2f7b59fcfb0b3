package policy

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pgask/pgask/configs"
)

// Pinned are the settings that the backend of a governed session must start
// with. As start-up parameters they are also what RESET and DISCARD ALL go back
// to.
func Pinned(r *Role) map[string]string {
	out := map[string]string{
		// Only built-in functions, operators and types are found without a
		// schema; the role's own search_path is resolved while judging.
		"search_path":                   "pg_catalog, pg_temp",
		"default_transaction_read_only": "on",
		// What the parser assumes of strings and comparisons.
		"standard_conforming_strings": "on",
		"client_encoding":             "UTF8",
		"backslash_quote":             "safe_encoding",
		"transform_null_equals":       "off",
		"row_security":                "on",
	}
	if t := r.Limits.StatementTimeout; t > 0 {
		out["statement_timeout"] = strconv.FormatInt(max(1, t.Milliseconds()), 10)
	}
	return out
}

// CheckStartup judges the start-up parameters of a governed session's client
// and returns those to pass on: settings under their own names, with options=
// taken apart. user, database and replication are not its business and are left
// out; so are settings that Pinned sets, once their value was judged. Settings
// may be written in any case; those four words are no settings, and in another
// case they are nothing at all, as in Postgres.
func CheckStartup(params map[string]string, r *Role) (map[string]string, error) {
	settings := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(params)) {
		switch name := strings.ToLower(key); {
		case key == "user" || key == "database" || key == "replication" || strings.HasPrefix(key, "_pq_."):
		case key == "options":
			if err := splitOptions(params[key], settings); err != nil {
				return nil, err
			}
		case name == "user" || name == "database" || name == "replication" || name == "options":
			return nil, deny(stateNoSetting, "unrecognized configuration parameter %q", key)
		default:
			settings[name] = params[key]
		}
	}
	pinned := Pinned(r)
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if err := r.checkSetting(name, settings[name]); err != nil {
			return nil, err
		}
		if _, ok := pinned[name]; !ok || name == "statement_timeout" {
			out[name] = settings[name]
		}
	}
	return out, nil
}

// splitOptions reads options= as a server's command line: -c name=value and
// --name=value; anything else is refused.
func splitOptions(text string, to map[string]string) error {
	words := optionWords(text)
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "-c" && i+1 < len(words):
			i++
			w = words[i]
		case strings.HasPrefix(w, "-c"):
			w = w[2:]
		case strings.HasPrefix(w, "--"):
			w = w[2:]
		default:
			return deny(stateDenied, "permission denied for start-up option %q", w)
		}
		name, value, ok := strings.Cut(w, "=")
		if !ok || name == "" {
			return deny(stateDenied, "permission denied for start-up option %q", w)
		}
		to[strings.ToLower(strings.ReplaceAll(name, "-", "_"))] = value
	}
	return nil
}

// optionWords splits at white space that no backslash escapes.
func optionWords(text string) []string {
	var words []string
	var b strings.Builder
	inWord := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
			inWord = true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f':
			if inWord {
				words = append(words, b.String())
				b.Reset()
			}
			inWord = false
		default:
			b.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, b.String())
	}
	return words
}

func spellIdentifier(s string) string { return configs.Spell(s) }
