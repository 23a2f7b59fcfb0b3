package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pgask/pgask/auth"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// maxPassword bounds a password in bytes, as libpq's prompt does.
const maxPassword = 1024

func (p *program) usersCommand() *cobra.Command {
	users := group("users", "Help with users.yaml")
	users.AddCommand(&cobra.Command{
		Use:   "hash",
		Short: "Read a password, print its SCRAM-SHA-256 verifier for users.yaml",
		Long: `Read a password and print its SCRAM-SHA-256 verifier for users.yaml.

On a terminal the password is asked for twice and not shown; otherwise the
first line of standard input is taken.`,
		Args: exactly(0, "no arguments (the password is read, not given)"),
		RunE: func(*cobra.Command, []string) error {
			password, err := p.password()
			if err != nil {
				return err
			}
			verifier, err := auth.Hash(password)
			if err != nil {
				return err
			}
			fmt.Fprintln(p.stdout, verifier)
			return nil
		},
	})
	return users
}

// password comes from the terminal, if there is one, else from stdin.
func (p *program) password() (string, error) {
	if f, ok := p.stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return p.prompt(int(f.Fd()))
	}
	line, err := bufio.NewReader(io.LimitReader(p.stdin, maxPassword+2)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read password: %w", err)
	}
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	if len(line) > maxPassword {
		return "", fmt.Errorf("the password is longer than %d bytes", maxPassword)
	}
	return line, nil
}

// prompt asks twice, since nobody sees what they type.
func (p *program) prompt(fd int) (string, error) {
	ask := func(label string) (string, error) {
		fmt.Fprint(p.stderr, label)
		defer fmt.Fprintln(p.stderr)
		text, err := term.ReadPassword(fd)
		return string(text), err
	}
	first, err := ask("Password: ")
	if err != nil {
		return "", fmt.Errorf("read password: %w", err)
	}
	again, err := ask("Again: ")
	if err != nil {
		return "", fmt.Errorf("read password: %w", err)
	}
	if first != again {
		return "", errors.New("the two passwords differ")
	}
	return first, nil
}
