package admin

import (
	"slices"
	"strconv"
	"time"

	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pool"
)

// table is something to SHOW.
type table struct {
	columns []column
	rows    func() [][]any
}

// tables are what there is to SHOW, by name.
func (c *Console) tables() map[string]table {
	return map[string]table{
		"help":      {texts("command", "does"), help},
		"version":   {texts("version"), func() [][]any { return [][]any{{"pgask " + c.Version}} }},
		"config":    {texts("key", "value"), c.config},
		"databases": {slices.Concat(texts("name", "host"), numbers("port"), texts("database", "login", "pool_mode"), numbers("pool_size", "backends"), texts("state")), c.databases},
		"pools": {slices.Concat(texts("database", "login", "governed", "state"), numbers("size", "active", "idle", "resetting", "dialling", "waiting", "maxwait_us")),
			c.pools},
		"stats":   {slices.Concat(texts("database", "login", "governed"), numbers("acquires", "waits", "waited_us", "dials", "dial_failures")), c.stats},
		"servers": {slices.Concat(texts("database", "login", "governed"), numbers("pid"), texts("state", "since", "born", "address")), c.servers},
		"clients": {slices.Concat(numbers("pid"), texts("user", "database", "state", "address", "tls", "since"), numbers("idle_us", "backend_pid"), texts("application_name")), c.clients},
	}
}

func help() [][]any {
	return [][]any{
		{"SHOW POOLS", "backends and waiting clients by database, login and mode"},
		{"SHOW CLIENTS", "sessions"},
		{"SHOW SERVERS", "backends"},
		{"SHOW STATS", "counts since the start, by pool"},
		{"SHOW DATABASES", "databases and their pools"},
		{"SHOW CONFIG", "the settings in force, secrets hidden"},
		{"SHOW VERSION", "the program's version"},
		{"PAUSE [db]", "lend no more backends, wait for those of transactions; clients wait until RESUME"},
		{"RESUME [db]", "take back PAUSE and KILL"},
		{"RECONNECT [db]", "replace backends as soon as nobody uses them"},
		{"KILL [db]", "end backends and their sessions, refuse new ones until RESUME"},
		{"KILL_CLIENT pid", "end one session"},
		{"RELOAD", "take changed files, all or none"},
		{"SHUTDOWN [IMMEDIATE]", "drain and end the process; IMMEDIATE doesn't wait for sessions"},
	}
}

func (c *Console) config() (rows [][]any) {
	for _, s := range c.Config {
		rows = append(rows, []any{s.Key, s.Value})
	}
	return rows
}

func (c *Console) databases() (rows [][]any) {
	for _, d := range c.Databases {
		rows = append(rows, []any{d.Name, d.Host, int64(d.Port), d.Database, d.Login, d.Settings.Mode, int64(d.Settings.Size),
			int64(d.Pool.InUse()), d.Pool.State()})
	}
	return rows
}

// eachPool makes a row of every login and mode of every database.
func (c *Console) eachPool(row func(d Database, s pool.Stat) []any) (rows [][]any) {
	for _, d := range c.Databases {
		for _, s := range d.Pool.Stats() {
			rows = append(rows, append([]any{d.Name, d.login(s.User), yesNo(s.Governed)}, row(d, s)...))
		}
	}
	return rows
}

func (c *Console) pools() [][]any {
	return c.eachPool(func(d Database, s pool.Stat) []any {
		return []any{d.Pool.State(), int64(s.Size), int64(s.Active), int64(s.Idle), int64(s.Resetting), int64(s.Dialling), int64(s.Waiting),
			s.MaxWait.Microseconds()}
	})
}

func (c *Console) stats() [][]any {
	return c.eachPool(func(_ Database, s pool.Stat) []any {
		return []any{s.Acquires, s.Waits, s.Waited.Microseconds(), s.Dials, s.DialFailures}
	})
}

func (c *Console) servers() (rows [][]any) {
	for _, d := range c.Databases {
		for _, s := range d.Pool.Servers() {
			rows = append(rows, []any{d.Name, d.login(s.User), yesNo(s.Governed), int64(s.PID), s.State, stamp(s.Since), stamp(s.Born), s.Address})
		}
	}
	return rows
}

func (c *Console) clients() (rows [][]any) {
	for _, s := range c.Clients() {
		rows = append(rows, []any{int64(s.PID), s.User, s.Database, s.State, proxy.RemoteName(s.Remote), yesNo(s.TLS), stamp(s.Since),
			s.Idle.Microseconds(), int64(s.BackendPID), s.Application})
	}
	return rows
}

// login is the name of a backend login; the pool leaves out the dsn's own.
func (d Database) login(user string) string {
	if user == "" {
		return d.Login
	}
	return user
}

func yesNo(b bool) string { return strconv.FormatBool(b) }

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000Z07:00") }
