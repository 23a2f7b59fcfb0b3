package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/pgask/pgask/pipeline/audit"
	"github.com/spf13/cobra"
)

func (p *program) auditCommand() *cobra.Command {
	group := group("audit", "Help with the audit log")
	verify := &cobra.Command{
		Use:   "verify [--head HASH] FILE…",
		Short: "Check the hash chain of an audit log",
		Long: `Check the hash chain of an audit log that audit.chain has made.

Several files are parts of one log, the oldest first. The first line that was
changed, moved or put in, or that follows one that was taken out, is named, and
the exit code is 1. Lines taken off the end are not missed, unless --head gives
the hash of a line that must be there: the head that an earlier check printed.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("expected the files of an audit log, got no arguments")
			}
			return nil
		},
	}
	head := verify.Flags().String("head", "", "`HASH` that one of the lines must have")
	verify.RunE = func(_ *cobra.Command, args []string) error { return p.verifyAudit(args, *head) }
	group.AddCommand(verify)
	return group
}

func (p *program) verifyAudit(files []string, head string) error {
	var c audit.Check
	c.Expect(head)
	for _, name := range files {
		before := c.Lines
		err := checkAudit(&c, name)
		if broken, ok := errors.AsType[*audit.Broken](err); ok {
			fmt.Fprintf(p.stdout, "%s:%d: %s; %s before it in this file are good\n", name, broken.Line, broken.Reason, count(c.Lines-before, "line"))
			p.tellHead(&c)
			return reported{}
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(p.stdout, "%s: %s, all good\n", name, count(c.Lines-before, "line"))
		if c.Unfinished {
			fmt.Fprintf(p.stdout, "%s: the last line is cut: a process died when it wrote it, or writes now\n", name)
		}
	}
	if c.Continues() {
		fmt.Fprintf(p.stdout, "the chain goes on from %s, in an earlier file\n", c.First)
	}
	if c.Torn > 0 {
		fmt.Fprintf(p.stdout, "cut when a process died, and noted behind: %s\n", count(c.Torn, "line"))
	}
	p.tellHead(&c)
	if !c.Found() {
		fmt.Fprintf(p.stdout, "no line has the hash %s: lines are missing at the end\n", head)
		return reported{}
	}
	return nil
}

// tellHead prints what to keep elsewhere.
func (p *program) tellHead(c *audit.Check) {
	if c.Head != "" {
		fmt.Fprintf(p.stdout, "head %s\n", c.Head)
	}
}

func checkAudit(c *audit.Check, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := c.File(f); err != nil {
		if _, ok := errors.AsType[*audit.Broken](err); ok {
			return err
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
