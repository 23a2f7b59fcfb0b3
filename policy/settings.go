package policy

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// set judges SET and RESET. Only listed settings pass, with values that can't
// loosen what the session is pinned to.
func (j *judge) set(n *pg_query.Node, s *pg_query.VariableSetStmt) (*pg_query.Node, Facts, error) {
	name := strings.ToLower(s.Name)
	change := &Setting{Name: name, Local: s.IsLocal}
	if s.Kind != pg_query.VariableSetKind_VAR_SET_MULTI {
		s.Name = name
	}
	facts := Facts{Tag: "SET", Set: change}
	switch s.Kind {
	case pg_query.VariableSetKind_VAR_SET_MULTI:
		return j.setModes(n, s)
	case pg_query.VariableSetKind_VAR_SET_VALUE:
		value, ok := settingValue(s.Args)
		if !ok {
			return nil, facts, deniedSetting(name)
		}
		change.Value = value
		if err := j.view.role.checkSetting(name, value); err != nil {
			return nil, facts, err
		}
		if name == "search_path" {
			return j.unchanged(s, facts)
		}
		if !j.verify {
			s.Args = []*pg_query.Node{stmt.StringConst(value)}
		}
	case pg_query.VariableSetKind_VAR_RESET, pg_query.VariableSetKind_VAR_SET_DEFAULT:
		change.Default = true
		if s.Kind == pg_query.VariableSetKind_VAR_RESET {
			facts.Tag = "RESET"
		}
		switch {
		case name == "search_path":
			return j.unchanged(s, facts)
		case !slices.Contains(resettable(), name):
			return nil, facts, deniedSetting(name)
		}
	case pg_query.VariableSetKind_VAR_RESET_ALL:
		if j.opts.CleanUp {
			// Followed is this one; the others go back to the pinned values, too.
			return n, Facts{Tag: "RESET", Set: &Setting{Name: "client_min_messages", Default: true}}, nil
		}
		return nil, facts, deny(stateDenied, "permission denied: RESET ALL is not allowed for this role").withHint("DISCARD ALL")
	default: // FROM CURRENT
		return nil, facts, deny(stateDenied, "permission denied: this form of SET or RESET is not allowed for this role")
	}
	return n, facts, nil
}

// unchanged stands for a SET or RESET of search_path to what it is: the backend's
// own stays pinned, so a setting without effect is set or reset.
func (j *judge) unchanged(s *pg_query.VariableSetStmt, facts Facts) (*pg_query.Node, Facts, error) {
	to := &pg_query.VariableSetStmt{Kind: s.Kind, Name: "standard_conforming_strings"}
	if s.Kind != pg_query.VariableSetKind_VAR_RESET {
		to.Kind, to.Args = pg_query.VariableSetKind_VAR_SET_VALUE, []*pg_query.Node{stmt.StringConst("on")}
	}
	return &pg_query.Node{Node: &pg_query.Node_VariableSetStmt{VariableSetStmt: to}}, facts, nil
}

// setModes is SET TRANSACTION and SET SESSION CHARACTERISTICS.
func (j *judge) setModes(n *pg_query.Node, s *pg_query.VariableSetStmt) (*pg_query.Node, Facts, error) {
	if s.Name != "TRANSACTION" && s.Name != "SESSION CHARACTERISTICS" {
		return nil, Facts{}, deny(stateDenied, "permission denied: SET %s is not allowed for this role", s.Name)
	}
	return n, Facts{Tag: "SET"}, transactionModes(s.Args)
}

func deniedSetting(name string) *Denied {
	return deny(stateDenied, "permission denied to set parameter %q", name)
}

// settingValue is the value of SET as text; a list of several is joined.
func settingValue(args []*pg_query.Node) (string, bool) {
	var out []string
	for _, a := range args {
		c := a.GetAConst()
		switch {
		case c.GetSval() != nil:
			out = append(out, c.GetSval().Sval)
		case c.GetIval() != nil:
			out = append(out, strconv.Itoa(int(c.GetIval().Ival)))
		case c.GetFval() != nil:
			out = append(out, c.GetFval().Fval)
		default:
			return "", false
		}
	}
	return strings.Join(out, ", "), len(out) > 0
}

// resettable are the settings that may go back to the session's start value.
func resettable() []string {
	return []string{"application_name", "client_encoding", "datestyle", "intervalstyle", "timezone", "extra_float_digits",
		"bytea_output", "client_min_messages", "transaction_isolation", "default_transaction_isolation",
		"standard_conforming_strings", "escape_string_warning", "default_transaction_read_only", "jit"}
}

// checkSetting judges a setting by name and value, for SET and for start-up
// parameters alike.
func (r *Role) checkSetting(name, value string) error {
	pattern, known := settingPatterns()[name]
	switch {
	case name == "search_path":
		if slices.Equal(splitPath(value), r.SearchPath) {
			return nil
		}
		return deniedSetting(name).withHint("The policy sets search_path to %s.", strings.Join(r.SearchPath, ", "))
	case name == "statement_timeout":
		return r.checkTimeout(value)
	case name == "client_encoding" && utf8Name(value):
		return nil
	case name == "transaction_read_only" || name == "default_transaction_read_only":
		if truth(strings.ToLower(value)) {
			return nil
		}
		return writes("turning " + name + " off")
	case !known || !regexp.MustCompile(`(?is)^(`+pattern+`)$`).MatchString(value):
		return deniedSetting(name)
	}
	return nil
}

// settingPatterns are the settings that may be set, and to what.
func settingPatterns() map[string]string {
	isolation := `read uncommitted|read committed|repeatable read|serializable`
	return map[string]string{
		"application_name":              `[^\x00]{0,256}`,
		"datestyle":                     `[a-z, -]{1,40}`,
		"intervalstyle":                 `postgres|postgres_verbose|sql_standard|iso_8601`,
		"timezone":                      `[A-Za-z0-9_+:,./<>-]{1,64}`,
		"extra_float_digits":            `-?[0-9]{1,2}`,
		"bytea_output":                  `hex|escape`,
		"client_min_messages":           `notice|warning|error`,
		"standard_conforming_strings":   `on|true|1`,
		"escape_string_warning":         `on|off|true|false`,
		"jit":                           `on|off|true|false`,
		"transaction_isolation":         isolation,
		"default_transaction_isolation": isolation,
	}
}

func splitPath(value string) []string {
	var out []string
	for _, s := range strings.Split(value, ",") {
		s = strings.Trim(strings.TrimSpace(s), `"`)
		if s != "" && s != "$user" {
			out = append(out, s)
		}
	}
	return out
}

// checkTimeout lets the statement time-out only get shorter.
func (r *Role) checkTimeout(value string) error {
	d, ok := parseTimeout(value)
	limit := r.Limits.StatementTimeout
	if !ok || limit > 0 && (d == 0 || d > limit) {
		return deniedSetting("statement_timeout").withHint("It can only be made shorter.")
	}
	return nil
}

// parseTimeout reads a duration as Postgres does: milliseconds without a unit.
func parseTimeout(value string) (time.Duration, bool) {
	m := regexp.MustCompile(`^\s*([0-9]{1,9})\s*(us|ms|s|min|h|d)?\s*$`).FindStringSubmatch(value)
	if m == nil {
		return 0, false
	}
	units := map[string]time.Duration{"": time.Millisecond, "us": time.Microsecond, "ms": time.Millisecond,
		"s": time.Second, "min": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	k, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return 0, false
	}
	d := time.Duration(k) * units[m[2]]
	if d > 0 && d < time.Millisecond {
		return 0, false // Postgres would round it to zero, which is no limit
	}
	return d, true
}

// show judges SHOW. search_path is the policy's, whatever the backend's is.
func (j *judge) show(n *pg_query.Node, s *pg_query.VariableShowStmt) (*pg_query.Node, Facts, error) {
	name := strings.ToLower(s.Name)
	facts := Facts{Tag: "SHOW"}
	if name == "search_path" {
		text := stmt.Cast(stmt.StringConst(j.view.pathText()), &pg_query.TypeName{Names: stmt.Names("text"), Typemod: -1})
		return stmt.SelectNode(&pg_query.SelectStmt{TargetList: []*pg_query.Node{stmt.Target(text, "search_path")}}), facts, nil
	}
	if !slices.Contains(showable(), name) {
		return nil, facts, deny(stateDenied, "permission denied to examine %q", name)
	}
	return n, facts, nil
}

// showable are the settings that SHOW may tell.
func showable() []string {
	return []string{"server_version", "server_version_num", "server_encoding", "client_encoding", "datestyle", "intervalstyle",
		"timezone", "standard_conforming_strings", "integer_datetimes", "max_identifier_length", "lc_collate", "lc_ctype",
		"lc_messages", "lc_monetary", "lc_numeric", "lc_time", "transaction_isolation", "transaction_read_only",
		"transaction_deferrable", "default_transaction_isolation", "default_transaction_read_only", "application_name",
		"extra_float_digits", "bytea_output", "client_min_messages", "statement_timeout", "escape_string_warning", "block_size", "jit"}
}

// unlisten passes, since drivers send it when they clean up, for a session that
// has nothing to stop listening to.
func unlisten() (*pg_query.Node, Facts, error) {
	n := &pg_query.Node{Node: &pg_query.Node_UnlistenStmt{UnlistenStmt: &pg_query.UnlistenStmt{}}}
	return n, Facts{Tag: "UNLISTEN"}, nil
}

// discard allows what pools and drivers send. DISCARD ALL resets settings to
// the session's start values, which are the pinned ones. There are no sequences
// and temporary tables to discard.
func (j *judge) discard(n *pg_query.Node, d *pg_query.DiscardStmt) (*pg_query.Node, Facts, error) {
	switch d.Target {
	case pg_query.DiscardMode_DISCARD_ALL:
		return n, Facts{Tag: "DISCARD ALL"}, nil
	case pg_query.DiscardMode_DISCARD_PLANS:
		return n, Facts{Tag: "DISCARD PLANS"}, nil
	case pg_query.DiscardMode_DISCARD_SEQUENCES:
		return n, Facts{Tag: "DISCARD SEQUENCES"}, nil
	case pg_query.DiscardMode_DISCARD_TEMP:
		return n, Facts{Tag: "DISCARD TEMP"}, nil
	}
	return nil, Facts{}, deny(stateDenied, "permission denied: this DISCARD is not allowed for this role")
}
