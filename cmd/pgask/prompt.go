package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pgask/pgask/pipeline/llm"
	"github.com/spf13/cobra"
)

func (p *program) promptCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prompt --config FILE --user NAME [--database NAME] [--reply FILE | --parts] 'question'",
		Short: "Print the exact prompt that a model would get; with a reply, go on as if the model had given it",
		Args:  exactly(1, "one question, quoted"),
	}
	config := configFlag(cmd)
	user := cmd.Flags().String("user", "", "`NAME` of the user in users.yaml")
	database := cmd.Flags().String("database", "", "`NAME` of the database; the user's first one without it")
	reply := cmd.Flags().String("reply", "", "`FILE` with what the model says")
	parts := cmd.Flags().Bool("parts", false, "print how large the prompt's parts are instead, in bytes and, at four bytes each, in tokens")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *user == "" {
			return usagef("--user NAME is missing")
		}
		f, err := p.sound(*config)
		if err != nil {
			return err
		}
		if *parts && *reply != "" {
			return usagef("give either --reply or --parts")
		}
		m := &mouthpiece{stdout: p.stdout, parts: *parts}
		if *reply != "" {
			text, err := os.ReadFile(*reply)
			if err != nil {
				return err
			}
			trimmed := strings.TrimSpace(string(text))
			m.said = &trimmed
		}
		return p.showPrompt(cmd.Context(), f, *user, *database, args[0], m)
	}
	return cmd
}

// showPrompt asks a model that says what it is told to. It prints each prompt that
// such a model gets, then the verdict if there is a reply to come to one by.
func (p *program) showPrompt(ctx context.Context, f *files, user, database, question string, m *mouthpiece) error {
	who, err := f.user(user)
	if err != nil {
		return err
	}
	databases := newOwnDatabases(f.all.Config, false)
	defer databases.close()
	w, err := newScene(f, f.policy, databases, scene{staged: staged{model: true, replies: m.reply}, today: f.all.Config.Planner.Today, now: time.Now})
	if err != nil {
		return err
	}
	names, err := w.databasesOf(who)
	if err != nil {
		return err
	}
	if database == "" && len(names) > 0 {
		database = names[0]
	}
	if !slices.Contains(names, database) {
		return fmt.Errorf("user %s may not use a database %q; there are %s", user, database, listed(names))
	}
	session, err := w.open(ctx, who, database)
	if err != nil {
		return err
	}
	defer session.Close()
	forecast := session.Explain(ctx, "ASK '"+strings.ReplaceAll(question, "'", "''")+"'")[0]
	if m.calls > 0 && m.said == nil {
		return nil
	}
	if m.calls > 0 {
		fmt.Fprintln(p.stdout)
	}
	printForecast(p.stdout, database, forecast)
	if forecast.Err != nil {
		return reported{}
	}
	return nil
}

// mouthpiece is a model that prints its prompts, or how large their parts are, and knows
// one reply at most.
type mouthpiece struct {
	stdout io.Writer
	parts  bool
	said   *string
	calls  int
}

func (m *mouthpiece) reply(r llm.Request) (llm.Reply, error) {
	m.calls++
	if m.parts {
		printParts(m.stdout, partsOf(r))
		return llm.Reply{}, &llm.ProviderError{Kind: llm.Unavailable, Reason: "there is no reply"}
	}
	fmt.Fprintf(m.stdout, "--- %s, call %d: system\n%s--- %s, call %d: user\n%s", r.Task, m.calls, r.System, r.Task, m.calls, r.User)
	if m.calls > 1 || m.said == nil {
		return llm.Reply{}, &llm.ProviderError{Kind: llm.Unavailable, Reason: "there is no further reply"}
	}
	return llm.Reply{Text: *m.said}, nil
}
