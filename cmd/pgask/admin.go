package main

import (
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgask/pgask/proxy/admin"
)

// adminDatabase is the name of the database that shows and steers the proxy.
const adminDatabase = "pgask"

// newConsole makes what administrators see and do.
func (s *service) newConsole() (*admin.Console, error) {
	version, _ := build(debug.ReadBuildInfo())
	c := &admin.Console{Log: s.log, Version: version, Config: s.config.Settings(), Clients: s.server.Clients, Kill: s.server.Kill,
		Reload: s.reloadCounted, Shutdown: s.shutdown}
	for _, name := range slices.Sorted(maps.Keys(s.databases)) {
		settings := s.config.Databases[name]
		dsn, err := pgconn.ParseConfig(settings.DSN)
		if err != nil {
			return nil, fmt.Errorf("database %s: the dsn can't be read", name) // the pool has said why
		}
		c.Databases = append(c.Databases, admin.Database{Name: name, Host: dsn.Host, Port: dsn.Port, Database: dsn.Database,
			Login: dsn.User, Settings: settings.Pool, Pool: s.databases[name].pool})
	}
	return c, nil
}

// shutdown is SIGTERM by other means; now is a second one.
func (s *service) shutdown(now bool) {
	s.halt()
	if now {
		s.hurry()
	}
}
