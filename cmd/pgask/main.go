// Command pgask is a Postgres proxy that people and programs can ask. Each
// subcommand has a file of its own; wiring.go connects them with the packages
// that do the work.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program. It returns the exit code: 0 for success, 1 for a
// fault or failure, 2 for a command line that can't be understood.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return wire(stdin, stdout, stderr).execute(ctx, args)
}
