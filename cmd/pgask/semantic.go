package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/pgask/pgask/pipeline/semantic/metricflow"
	"github.com/spf13/cobra"
)

func (p *program) semanticCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Make a semantic.yaml of dbt semantic models and MetricFlow metrics",
		Long: `Make a semantic.yaml of dbt semantic models and MetricFlow metrics, and print it.

What can't be taken over is named on standard error, with its file, its line and
why. Give all files of a project at once: metrics are made of each other's measures.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("a file is missing")
			}
			return nil
		},
	}
	schema := cmd.Flags().String("schema", "public", "the schema of tables that are named without one")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		var sources []metricflow.Source
		for _, name := range args {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			sources = append(sources, metricflow.Source{Name: name, Text: text})
		}
		text, notes, err := metricflow.Import(sources, *schema)
		if err != nil {
			return err
		}
		if len(notes) == 0 && strings.TrimSpace(string(text)) == "{}" {
			return fmt.Errorf("no semantic_models and no metrics in %s", strings.Join(args, ", "))
		}
		for _, n := range notes {
			fmt.Fprintln(p.stderr, n)
		}
		_, err = p.stdout.Write(text)
		return err
	}
	semantic := group("semantic", "Help with semantic.yaml")
	semantic.AddCommand(cmd)
	return semantic
}
