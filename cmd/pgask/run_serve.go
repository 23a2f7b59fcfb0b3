package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/pgask/pgask/configs"
)

// serveFiles runs the proxy; SIGHUP reloads the files.
func serveFiles(ctx context.Context, stderr io.Writer, r serveRequest) error {
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: r.Level}))
	s, err := newService(func() (*files, []configs.Fault, error) { return load(r.Config, r.Overrides) }, log)
	if err != nil {
		return err
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	return s.run(ctx, hangup, r.Ready)
}
