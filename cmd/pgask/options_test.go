package main

import (
	"log/slog"
	"testing"
	"time"

	"github.com/pgask/pgask/configs"
)

// TestLongWait: a client may wait for a backend as long as its database says,
// and then still be logged in.
func TestLongWait(t *testing.T) {
	s := &service{log: slog.New(slog.DiscardHandler), config: &configs.Config{Databases: map[string]*configs.Database{
		"short": {Pool: configs.Pool{Wait: time.Second}}, "long": {Pool: configs.Pool{Wait: 5 * time.Minute}}}}}
	if got := s.options().Limits.Connect; got <= 5*time.Minute {
		t.Errorf("reaching a backend is given up after %s", got)
	}
}
