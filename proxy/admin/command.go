package admin

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// command is what a statement asks for: a table, or something to do. tag is the
// command tag; a table's gets the number of its rows. text is for the log. What
// was done may be worth a notice.
type command struct {
	text    string
	tag     string
	columns []column
	rows    func() [][]any
	do      func(ctx context.Context) (notice string, err error)
	// status, unless 0, is the transaction status afterwards.
	status byte
}

// commandList is what there is, for a HINT.
const commandList = "SHOW HELP, SHOW POOLS, SHOW CLIENTS, SHOW SERVERS, SHOW STATS, SHOW DATABASES, SHOW CONFIG, SHOW VERSION, " +
	"PAUSE [db], RESUME [db], RECONNECT [db], KILL [db], KILL_CLIENT pid, RELOAD, SHUTDOWN [IMMEDIATE]"

// compile finds the command of a statement.
func (c *Console) compile(s statement) (*command, error) {
	for _, find := range []func(statement) (*command, error){c.show, c.onPools, c.onProcess} {
		if found, err := find(s); found != nil || err != nil {
			if found != nil {
				found.text = s.String()
			}
			return found, err
		}
	}
	if found := plumbing(s); found != nil {
		found.text = found.tag // the rest may be anything
		return found, nil
	}
	return nil, unknown(s)
}

// show is SHOW name, or SELECT * FROM name.
func (c *Console) show(s statement) (*command, error) {
	name := ""
	switch {
	case s.is("show") && len(s) == 2:
		name = s[1].text
	case s.is("select", "*", "from") && len(s) == 4:
		name = s[3].text
	}
	t, ok := c.tables()[name]
	if !ok {
		return nil, nil
	}
	return &command{tag: strings.ToUpper(s[0].text), columns: t.columns, rows: t.rows}, nil
}

// onPools are the commands about one database or all of them.
func (c *Console) onPools(s statement) (*command, error) {
	verbs := map[string]func(context.Context, Database) error{
		"pause":     func(ctx context.Context, d Database) error { return d.Pool.Pause(ctx) },
		"resume":    func(_ context.Context, d Database) error { d.Pool.Resume(); return nil },
		"reconnect": func(_ context.Context, d Database) error { d.Pool.Reconnect(); return nil },
		"kill":      func(_ context.Context, d Database) error { d.Pool.Kill(); return nil },
	}
	verb, ok := verbs[s[0].text]
	if !ok || s[0].quoted || len(s) > 2 {
		return nil, nil
	}
	name := ""
	if len(s) == 2 {
		name = s[1].text
	}
	return &command{tag: strings.ToUpper(s[0].text), do: func(ctx context.Context) (string, error) {
		databases, err := c.database(name)
		if err != nil {
			return "", err
		}
		for _, d := range databases {
			if err := verb(ctx, d); err != nil {
				return "", err
			}
		}
		return "", nil
	}}, nil
}

// onProcess are the commands about sessions and the whole process.
func (c *Console) onProcess(s statement) (*command, error) {
	switch {
	case s.is("kill_client") && len(s) == 2:
		pid, err := strconv.ParseUint(s[1].text, 10, 32)
		if err != nil {
			return nil, &failure{code: "22P02", message: fmt.Sprintf("invalid pid: %q", s[1].text), hint: "SHOW CLIENTS"}
		}
		return &command{tag: "KILL_CLIENT", do: func(context.Context) (string, error) {
			if !c.Kill(uint32(pid)) {
				return "", &failure{code: "42704", message: fmt.Sprintf("there is no client with pid %d", pid), hint: "SHOW CLIENTS"}
			}
			return "", nil
		}}, nil
	case s.is("reload") && len(s) == 1:
		return &command{tag: "RELOAD", do: func(context.Context) (string, error) {
			pending, err := c.Reload()
			if err != nil {
				return "", &failure{code: "F0000", message: "the old configuration stays: the new one has faults", detail: err.Error()}
			}
			if len(pending) > 0 {
				return "changed in pgask.yaml, takes a restart: " + strings.Join(pending, ", "), nil
			}
			return "", nil
		}}, nil
	case s.is("shutdown") && len(s) == 1, s.is("shutdown", "immediate") && len(s) == 2:
		return &command{tag: "SHUTDOWN", do: func(context.Context) (string, error) { c.Shutdown(len(s) == 2); return "", nil }}, nil
	}
	return nil, nil
}

// harmless are the settings that drivers set when they connect, to values that
// mean nothing here.
var harmless = map[string]bool{"extra_float_digits": true, "application_name": true, "datestyle": true, "timezone": true,
	"client_min_messages": true, "statement_timeout": true, "lock_timeout": true, "idle_in_transaction_session_timeout": true}

// plumbing is what drivers send besides what people type.
func plumbing(s statement) *command {
	switch {
	case s.is("begin"), s.is("start", "transaction"):
		return &command{tag: "BEGIN", status: 'T'}
	case s.is("commit"), s.is("end"):
		return &command{tag: "COMMIT", status: 'I'}
	case s.is("rollback"), s.is("abort"):
		return &command{tag: "ROLLBACK", status: 'I'}
	case s.is("set") && len(s) > 2 && harmless[s[1].text], s.is("set", "session", "characteristics"):
		return &command{tag: "SET"}
	case s.is("discard", "all"), s.is("deallocate", "all"):
		return &command{tag: strings.ToUpper(s.String())}
	case s.is("select", "1") && len(s) == 2:
		return &command{tag: "SELECT", columns: numbers("?column?"), rows: func() [][]any { return [][]any{{int64(1)}} }}
	case s.is("show", "transaction", "isolation", "level"):
		return &command{tag: "SHOW", columns: texts("transaction_isolation"), rows: func() [][]any { return [][]any{{"read committed"}} }}
	}
	return nil
}
