package main

import (
	"io"

	"github.com/pgask/pgask/auth"
	"github.com/spf13/cobra"
)

// explainRequest is a statement to explain for a user.
type explainRequest struct {
	Files   *files
	User    auth.Principal
	SQL     string
	Offline bool // connect to nothing: no catalog, no preflight
	Stdout  io.Writer
}

func (p *program) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain --config FILE --user NAME [--offline] 'SQL or ASK …'",
		Short: "Print the verdict on a statement for a user; runs nothing",
		Args:  exactly(1, "one statement, quoted"),
	}
	config := configFlag(cmd)
	user := cmd.Flags().String("user", "", "`NAME` of the user in users.yaml")
	offline := cmd.Flags().Bool("offline", false, "connect to nothing: no catalog, no estimate")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *user == "" {
			return usagef("--user NAME is missing")
		}
		f, err := p.sound(*config)
		if err != nil {
			return err
		}
		who, err := f.user(*user)
		if err != nil {
			return err
		}
		return p.explain(cmd.Context(), explainRequest{Files: f, User: who, SQL: args[0], Offline: *offline, Stdout: p.stdout})
	}
	return cmd
}
