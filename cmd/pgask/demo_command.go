package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/pgask/pgask/cmd/pgask/demo"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// demoCommand is pgask demo: a throw-away Postgres, the sample company and a
// tour.
func (p *program) demoCommand() *cobra.Command {
	o := demo.Options{Stdout: p.stdout, Stderr: p.stderr, Color: isTerminal(p.stdout)}
	cmd := &cobra.Command{Use: "demo", Short: "Try pgask on a throw-away Postgres with the sample company", Args: exactly(0, "no arguments")}
	cmd.Flags().StringVar(&o.Listen, "listen", "127.0.0.1:6432", "`ADDRESS` for clients; port 0 takes a free one")
	cmd.Flags().StringVar(&o.HTTP, "http", "127.0.0.1:9432", "`ADDRESS` for metrics and health; port 0 takes a free one")
	cmd.Flags().StringVar(&o.Data, "data", "", "`DIR` to work in; default a temporary one")
	cmd.Flags().StringVar(&o.DSN, "dsn", "", "`URL` of an existing server's superuser; default starts a server")
	cmd.Flags().StringVar(&o.Today, "today", "", "reference `DATE`, YYYY-MM-DD; default today")
	cmd.Flags().BoolVar(&o.Once, "once", false, "exit after the tour, non-zero if a step failed")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		o.Serve = func(ctx context.Context, config string, ready func(string)) error {
			return serveFiles(ctx, p.stderr, serveRequest{Config: config, Level: slog.LevelWarn, Ready: ready})
		}
		if demo.Run(cmd.Context(), o) != exitOK {
			return reported{}
		}
		return nil
	}
	return cmd
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
