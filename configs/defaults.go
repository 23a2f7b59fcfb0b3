package configs

import (
	_ "embed"
	"time"
)

// defaultFile is the documented pgask.yaml that the defaults are read from.
//
//go:embed default.yaml
var defaultFile []byte

// DefaultFile is default.yaml: pgask.yaml with every key, its default and what
// it means.
func DefaultFile() []byte { return append([]byte(nil), defaultFile...) }

// Default is the configuration of an empty pgask.yaml, its paths still
// relative.
func Default() *Config {
	c, _, _ := decodeConfig("pgask.yaml", nil, layers{})
	return c
}

// defaultPool is what a database's pool is that says nothing; default.yaml
// shows it in a comment, as there is no database by default.
func defaultPool() Pool { return Pool{Mode: "session", Size: 100, Wait: 5 * time.Second} }
