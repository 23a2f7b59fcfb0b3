package main

import (
	"context"
	"fmt"

	"github.com/pgask/pgask/configs"
	"github.com/spf13/cobra"
)

func (p *program) checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check --config FILE [--offline]",
		Short: "Load every file, connect, and print every fault, then warnings",
		Args:  exactly(0, "no arguments"),
	}
	config := configFlag(cmd)
	offline := cmd.Flags().Bool("offline", false, "check the files only, connect to nothing")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return p.check(cmd.Context(), *config, *offline) }
	return cmd
}

func (p *program) check(ctx context.Context, config string, offline bool) error {
	f, faults, err := load(config, nil)
	if err != nil {
		return err
	}
	skipped := !offline && configs.Faulty(faults)
	if !offline && !skipped {
		faults = append(faults, p.checkOnline(ctx, f.all)...)
	}
	printFaults(p.stdout, faults)
	if skipped {
		fmt.Fprintln(p.stdout, "The databases were not asked: mend these first.")
	}
	wrong := 0
	for _, f := range faults {
		if !f.Warning {
			wrong++
		}
	}
	fmt.Fprintf(p.stdout, "%s: %s, %s\n", config, count(wrong, "fault"), count(len(faults)-wrong, "warning"))
	if wrong > 0 {
		return reported{}
	}
	return nil
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
