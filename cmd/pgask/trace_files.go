package main

import (
	"log/slog"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/trace"
)

// openTraces starts to write traces; nil where none are wanted.
func openTraces(all *configs.All, log *slog.Logger) *trace.Writer {
	c := all.Config.Traces
	if c.Dir == "" || c.Mode == "off" {
		return nil
	}
	return trace.NewWriter(c.Dir, c.Mode == "always", trace.Limits{Files: c.Keep, Age: c.Age}, trace.NewRedactor(secretsOf(all)), log)
}

// keeping is where a pipeline sends traces; nil for nowhere.
func keeping(w *trace.Writer) func(trace.Trace) {
	if w == nil {
		return nil
	}
	return w.Keep
}

// secretsOf are the secrets of the files, by which traces are redacted.
func secretsOf(all *configs.All) []string {
	c := all.Config
	secrets := []string{c.LLM.APIKey, all.Users.Secret}
	dsns := []string{c.Planner.DSN, c.Index.DSN}
	for _, d := range c.Databases {
		dsns = append(dsns, d.DSN)
	}
	for _, dsn := range dsns {
		if parsed, err := pgconn.ParseConfig(dsn); err == nil && dsn != "" {
			secrets = append(secrets, parsed.Password)
		}
	}
	for _, r := range all.Policy.Roles {
		if r.Backend != nil {
			secrets = append(secrets, r.Backend.Password)
		}
	}
	for _, u := range all.Users.Users {
		secrets = append(secrets, u.Password)
		if u.Backend != nil {
			secrets = append(secrets, u.Backend.Password)
		}
	}
	return secrets
}
