package main

import (
	"log/slog"

	"github.com/pgask/pgask/configs"
	"github.com/spf13/cobra"
)

// serveRequest is what the command line of serve asks for.
type serveRequest struct {
	// Config is the path of pgask.yaml. A reload reads it again.
	Config string
	// Overrides are the settings given as flags; they hold across reloads.
	Overrides configs.Overrides
	// Level is the least severe level that is logged.
	Level slog.Level
	// Ready, if set, is called once with the address clients connect to.
	Ready func(addr string)
}

// serveFlags maps flags to the settings they stand for.
var serveFlags = []struct{ flag, key, usage string }{
	{"listen", "listen", "`ADDRESS` for clients, host:port; port 0 takes a free one"},
	{"http", "http", "`ADDRESS` for metrics and health, host:port"},
	{"today", "planner.today", "`DATE` that questions take for today, YYYY-MM-DD"},
}

func (p *program) serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve --config FILE",
		Short: "Run the proxy until SIGTERM",
		Args:  exactly(0, "no arguments"),
	}
	config := configFlag(cmd)
	for _, f := range serveFlags {
		cmd.Flags().String(f.flag, "", f.usage)
	}
	debug := cmd.Flags().Bool("debug", false, "log everything, statement texts too")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *config == "" {
			return usagef("--config FILE is missing")
		}
		r := serveRequest{Config: *config, Overrides: overrides(cmd)}
		if *debug {
			r.Level = slog.LevelDebug
		}
		return p.serve(cmd.Context(), r)
	}
	return cmd
}

// overrides are the flags that were given.
func overrides(cmd *cobra.Command) configs.Overrides {
	o := configs.Overrides{}
	for _, f := range serveFlags {
		if given := cmd.Flags().Lookup(f.flag); given.Changed {
			o[f.key] = given.Value.String()
		}
	}
	return o
}
