package configs

import (
	_ "embed"
	"time"
)

// defaultFile is the documented pgask.yaml that the defaults are read from.
//
//go:embed default.yaml
var defaultFile []byte

// defaultPool is what a database's pool is that says nothing; default.yaml
// shows it in a comment, as there is no database by default. Idle is short of
// the five seconds for which DROP DATABASE waits for others to leave.
func defaultPool() Pool {
	return Pool{Mode: "session", Size: 100, Wait: 5 * time.Second, Idle: 3 * time.Second, Lifetime: time.Hour, Prepared: 50}
}
