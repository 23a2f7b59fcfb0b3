package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/pgask/pgask/pipeline/trace"
	"github.com/spf13/cobra"
)

func (p *program) traceCommand() *cobra.Command {
	show := &cobra.Command{
		Use:   "show --config FILE [--system] ID",
		Short: "Print what happened to a question",
		Args:  exactly(1, "the id of a trace"),
	}
	shown := configFlag(show)
	system := show.Flags().Bool("system", false, "print the models' system messages too")
	show.RunE = func(_ *cobra.Command, args []string) error {
		_, t, err := p.traceOf(*shown, args[0])
		if err != nil {
			return err
		}
		printTrace(p.stdout, t, *system)
		return nil
	}
	replay := &cobra.Command{
		Use:   "replay --config FILE ID",
		Short: "Ask a question again with the recorded model answers, and say where it differs",
		Long: `Ask a question again with the recorded model answers, and say where it differs.

Nothing runs, and no model is asked. The files and the schema are those of now;
the date is that of the trace. The exit code is 0 where nothing differs, 1 where
something does, 2 where something is wrong.`,
		Args: exactly(1, "the id of a trace"),
	}
	replayed := configFlag(replay)
	replay.RunE = func(cmd *cobra.Command, args []string) error {
		f, t, err := p.traceOf(*replayed, args[0])
		if err != nil {
			return unable{err}
		}
		differences, err := replayTrace(cmd.Context(), f, t)
		if err != nil {
			return unable{err}
		}
		if len(differences) == 0 {
			fmt.Fprintln(p.stdout, "the same comes of it")
			return nil
		}
		for _, d := range differences {
			fmt.Fprintln(p.stdout, d)
		}
		return reported{}
	}
	cmd := group("trace", "Help with the traces of questions")
	cmd.AddCommand(show, replay)
	return cmd
}

// traceOf reads a trace of the configured folder.
func (p *program) traceOf(config, id string) (*files, *trace.Trace, error) {
	f, err := p.sound(config)
	if err != nil {
		return nil, nil, err
	}
	dir := f.all.Config.Traces.Dir
	if dir == "" {
		return nil, nil, errors.New("traces.dir is empty: there are no traces")
	}
	path, err := trace.Path(dir, id)
	if err != nil {
		return nil, nil, usageError{err}
	}
	t, err := trace.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("there is no trace %s in %s; traces.mode is %s", id, dir, f.all.Config.Traces.Mode)
	}
	return f, t, err
}

func printTrace(w io.Writer, t *trace.Trace, system bool) {
	fmt.Fprintf(w, "%s  %s  %s on %s\n%s\n\n", t.ID, t.Time.Format("2006-01-02 15:04:05.000 MST"), t.User, t.Database, t.Statement)
	for _, s := range t.Stages {
		fmt.Fprintf(w, "  %-14s %-9s %8.1f ms  %s\n", s.Stage, s.Outcome, s.MS, s.Detail)
	}
	for i, c := range t.Calls {
		fmt.Fprintf(w, "\nmodel call %d: %s by %s, %d tokens in, %d out, %.1f ms\n", i+1, c.Task, c.Model, c.PromptTokens, c.CompletionTokens, c.MS)
		if system {
			fmt.Fprintf(w, "--- system\n%s\n", c.System)
		}
		fmt.Fprintf(w, "--- user\n%s\n", strings.TrimRight(c.User, "\n"))
		if c.Failure != "" {
			fmt.Fprintf(w, "--- failed: %s %s\n", c.Failure, c.Reason)
			continue
		}
		fmt.Fprintf(w, "--- reply\n%s\n", c.Reply)
	}
	for _, a := range t.Answers {
		fmt.Fprintf(w, "\nsource %s", a.Source)
		if a.Curated != "" {
			fmt.Fprintf(w, ", query %s", a.Curated)
		}
		fmt.Fprintln(w)
		if a.Plan != nil {
			fmt.Fprintf(w, "plan %s\n%s\n", a.PlanHash, a.Plan)
		}
	}
	if t.SQL != "" {
		fmt.Fprintf(w, "\nsql\n%s\n", t.SQL)
	}
	fmt.Fprintf(w, "\nverdict %s after %.1f ms", t.Verdict, t.MS)
	if t.Rows != nil {
		fmt.Fprintf(w, ", %d rows", *t.Rows)
	}
	fmt.Fprintln(w)
	if f := t.Failure; f != nil {
		fmt.Fprintf(w, "  message: %s\n", f.Message)
		if f.Detail != "" {
			fmt.Fprintf(w, "  detail: %s\n", f.Detail)
		}
		if f.Hint != "" {
			fmt.Fprintf(w, "  hint: %s\n", f.Hint)
		}
	}
}
