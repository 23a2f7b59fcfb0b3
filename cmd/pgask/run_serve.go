package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/proxy/socket"
)

// serveFiles runs the proxy; SIGHUP reloads the files.
func serveFiles(ctx context.Context, stderr io.Writer, r serveRequest) error {
	// A log that nobody reads any more must not end the process.
	signal.Ignore(syscall.SIGPIPE)
	lines := newLogWriter(stderr)
	defer lines.Close()
	log := slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{Level: r.Level}))
	s, err := newService(func() (*files, []configs.Fault, error) { return load(r.Config, r.Overrides) }, log)
	if err != nil {
		return err
	}
	s.notifier = socket.NewNotifier()
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	again := make(chan os.Signal, 1)
	defer signal.Stop(again)
	return s.run(ctx, signals{reload: hangup, stop: func() <-chan os.Signal {
		// Not before: the first one has ended ctx.
		signal.Notify(again, os.Interrupt, syscall.SIGTERM)
		return again
	}}, r.Ready)
}
