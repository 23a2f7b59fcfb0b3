// Package demo shows pgask to somebody who has nothing: it starts a throw-away
// Postgres, loads the sample company, runs the proxy in front of it and asks
// real questions as several users. Every step of the tour has an expectation,
// so that the tour is a test too.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/pgask/pgask/cmd/pgask/demo/company"
)

// Serve runs the proxy with a configuration file until ctx ends. It calls ready
// once, with the address it listens on.
type Serve func(ctx context.Context, config string, ready func(addr string)) error

// Options are the flags of pgask demo and what the program passes in.
type Options struct {
	Listen string // address for clients; port 0 takes a free one
	HTTP   string // address for metrics; port 0 takes a free one
	Data   string // folder to work in; empty is the system's temporary one
	DSN    string // superuser of an existing server; empty starts one
	Today  string // reference date, YYYY-MM-DD; empty is today
	Once   bool   // exit after the tour
	Color  bool
	Stdout io.Writer
	Stderr io.Writer
	Serve  Serve
}

// onceLimit bounds a run that ends by itself.
const onceLimit = 58 * time.Second

// Run runs the demo and returns the exit code. It removes what it made before
// it returns. Being told to stop is success, unless the tour was all it was for.
func Run(ctx context.Context, o Options) int {
	parent := ctx
	if o.Once {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, onceLimit)
		defer cancel()
	}
	err := run(ctx, o)
	if parent.Err() != nil && !o.Once {
		err = leftOf(err) // whatever else went wrong is that it was stopped
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(o.Stderr, "pgask demo: %v\n", err)
	return 1
}

func run(ctx context.Context, o Options) (err error) {
	today, err := referenceDate(o.Today)
	if err != nil {
		return err
	}
	for flag, address := range map[string]string{"--listen": o.Listen, "--http": o.HTTP} {
		if err := free(ctx, flag, address); err != nil {
			return err
		}
	}
	dir, err := workFolder(o.Data)
	if err != nil {
		return err
	}
	defer func() { removing(&err, os.RemoveAll(dir)) }()
	db, err := prepare(ctx, o, today)
	if err != nil {
		return err
	}
	defer func() { removing(&err, db.remove()) }()
	config, err := WriteConfig(dir, Settings{Listen: o.Listen, HTTP: o.HTTP, DSN: db.dsn(company.Proxy), Password: db.password, Today: o.Today})
	if err != nil {
		return err
	}
	return serveAndShow(ctx, o, config, db)
}

// free tells before anything is started whether the proxy will get its address.
func free(ctx context.Context, flag, address string) error {
	if address == "" {
		return nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("%s: %w; %s 127.0.0.1:0 takes a free port", flag, err, flag)
	}
	return l.Close()
}

// serveAndShow runs the proxy beside the tour. Whichever fails first ends both.
func serveAndShow(ctx context.Context, o Options, config string, db *database) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ready := make(chan string, 1)
	served := make(chan error, 1)
	go func() { served <- o.Serve(ctx, config, func(addr string) { ready <- addr }) }()
	select {
	case err := <-served:
		return errors.Join(errors.New("the proxy ended before the tour"), err)
	case addr := <-ready:
		err := show(ctx, o, addr, db)
		if err == nil && !o.Once {
			select {
			case <-ctx.Done():
			case err := <-served:
				return errors.Join(errors.New("the proxy ended"), err)
			}
		}
		cancel()
		return errors.Join(err, <-served)
	}
}

// left is why something that the demo made could not be removed.
type left struct{ error }

// leftOf is the part of a run's error that is about what it left behind.
func leftOf(err error) error {
	if l, ok := errors.AsType[left](err); ok {
		return l
	}
	return nil
}

// removing joins the error of a removal, if there is one, to the run's.
func removing(err *error, removal error) {
	if removal != nil {
		*err = errors.Join(*err, left{fmt.Errorf("clean up: %w", removal)})
	}
}

// referenceDate is the day the company's history ends with.
func referenceDate(text string) (time.Time, error) {
	if text == "" {
		return time.Now().UTC(), nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("--today: want a date as 2026-11-29, got %q", text)
	}
	return day, nil
}

func workFolder(parent string) (string, error) {
	if parent != "" {
		if err := os.MkdirAll(parent, 0o755); err != nil {
			return "", fmt.Errorf("--data: %w", err)
		}
	}
	dir, err := os.MkdirTemp(parent, "pgask-demo-")
	if err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}
