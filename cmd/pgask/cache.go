package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/plans"
	"github.com/spf13/cobra"
)

func (p *program) cacheCommand() *cobra.Command {
	clear := &cobra.Command{
		Use:   "clear --config FILE",
		Short: "Empty the plan cache",
		Long: `Empty the plan cache.

A cache in memory is emptied by the pgask that runs with this configuration, which is
asked at its http address. One in Postgres is emptied there, for all instances.`,
		Args: exactly(0, "no arguments"),
	}
	config := configFlag(clear)
	clear.RunE = func(cmd *cobra.Command, _ []string) error {
		f, err := p.sound(*config)
		if err != nil {
			return err
		}
		return clearCache(cmd.Context(), f.all.Config, p.stdout)
	}
	cmd := group("cache", "Help with the plan cache")
	cmd.AddCommand(clear)
	return cmd
}

// clearTimeout bounds the whole command.
const clearTimeout = 30 * time.Second

func clearCache(ctx context.Context, c *configs.Config, stdout io.Writer) error {
	ctx, stop := context.WithTimeout(ctx, clearTimeout)
	defer stop()
	if c.Planner.Store == "postgres" {
		store, err := plans.NewPostgres(c.Planner.DSN, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		defer store.Close()
		n, err := store.Clear(ctx)
		if err != nil {
			return fmt.Errorf("planner.dsn: %s", reason(err))
		}
		fmt.Fprintf(stdout, "%s forgotten\n", count(int(n), "plan"))
		return nil
	}
	running, err := askToClear(ctx, c.HTTP)
	if err != nil {
		return err
	}
	if !running {
		fmt.Fprintf(stdout, "no pgask runs at %s: a cache in memory ends with its process\n", c.HTTP)
		return nil
	}
	fmt.Fprintln(stdout, "the plan cache is empty")
	return nil
}

// askToClear asks the process that serves metrics at an address; running is false
// where there is none.
func askToClear(ctx context.Context, address string) (running bool, err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "0" {
		return false, errors.New("the cache is in the memory of a process, which can only be asked at a fixed http address")
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+net.JoinHostPort(host, port)+"/cache/clear", nil)
	if err != nil {
		return false, err
	}
	r.Header.Set(clearHeader, "clear")
	reply, err := http.DefaultClient.Do(r)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return false, nil
	case err != nil:
		return false, err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(reply.Body, 1<<10)) // what came of it will do
		return true, fmt.Errorf("%s answers %s: %s", address, reply.Status, strings.TrimSpace(string(text)))
	}
	return true, nil
}
