package main

import (
	"fmt"
	"os"

	"github.com/pgask/pgask/pipeline/semantic/cube"
	"github.com/pgask/pgask/pipeline/semantic/foreign"
	"github.com/pgask/pgask/pipeline/semantic/metricflow"
	"github.com/pgask/pgask/pipeline/semantic/snowflake"
	"github.com/spf13/cobra"
)

func (p *program) semanticCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Make a semantic.yaml of dbt, Cube or Snowflake semantic models",
		Long: `Make a semantic.yaml of dbt semantic models and MetricFlow metrics, of Cube's data
models in YAML, or of Snowflake's semantic models and semantic views in YAML, and
print it. Which of these a file is, its keys tell.

What can't be taken over is named on standard error, with its file, its line and
why. Give all files of a project at once: they name what is in each other.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("a file is missing")
			}
			return nil
		},
	}
	schema := cmd.Flags().String("schema", "public", "the schema of tables that are named without one")
	curated := cmd.Flags().String("curated", "", "the file in which to write Snowflake's verified queries, as curated.yaml")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		var sources []foreign.Source
		for _, name := range args {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			sources = append(sources, foreign.Source{Name: name, Text: text})
		}
		r, err := foreign.Import([]foreign.Format{snowflake.Format(), cube.Format(), metricflow.Format()}, sources, *schema)
		if err != nil {
			return err
		}
		for _, n := range r.Notes {
			fmt.Fprintln(p.stderr, n)
		}
		if err := p.writeCurated(r.Curated, *curated); err != nil {
			return err
		}
		_, err = p.stdout.Write(r.Semantic)
		return err
	}
	semantic := group("semantic", "Help with semantic.yaml")
	semantic.AddCommand(cmd)
	return semantic
}

// writeCurated writes curated queries, or says that there are some and how to get them.
func (p *program) writeCurated(text []byte, file string) error {
	switch {
	case len(text) == 0:
		return nil
	case file == "":
		fmt.Fprintln(p.stderr, "the verified queries aren't written: --curated FILE says where")
		return nil
	}
	return os.WriteFile(file, text, 0o644)
}
