package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the program, of Go and of the SQL grammar",
		Args:  exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			version, commit := build(debug.ReadBuildInfo())
			fmt.Fprintf(p.stdout, "pgask %s\ncommit %s\ngo %s\ngrammar %s\n", version, commit, runtime.Version(), grammar)
			return nil
		},
	}
}

// build is version and commit as the Go tool recorded them in the binary.
func build(info *debug.BuildInfo, ok bool) (version, commit string) {
	version, commit = "(devel)", "unknown"
	if !ok {
		return version, commit
	}
	if info.Main.Version != "" {
		version = info.Main.Version
	}
	modified := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = " (modified)"
		}
	}
	return version, commit + modified
}
