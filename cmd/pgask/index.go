package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/index"
	"github.com/pgask/pgask/pipeline/index/pgvector"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
)

func (p *program) indexCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "index --config FILE",
		Short: "Read the databases' schemas and build the schema index",
		Long: `Read the databases' schemas and build the schema index.

With index.store pgvector that is the index that all instances search: it is made
beside the one in use and takes its place when it is done. What is up to date stays.
An index in memory is each process's own; then this only tells what it would hold.`,
		Args: exactly(0, "no arguments"),
	}
	config := configFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		f, err := p.sound(*config)
		if err != nil {
			return err
		}
		return p.index(cmd.Context(), f.all, p.stdout)
	}
	return cmd
}

// buildIndex builds the index of every database. One that fails doesn't keep the
// others from theirs.
func buildIndex(ctx context.Context, all *configs.All, stdout io.Writer) error {
	log := slog.New(slog.DiscardHandler)
	vectors, err := assembleVectors(all.Config, newIndexMetrics(prometheus.NewRegistry()), log)
	if err != nil {
		return err
	}
	if vectors == nil {
		vectors = index.NewVectors(index.NewMemory(), nil, newIndexMetrics(prometheus.NewRegistry()), log, time.Now)
	}
	defer vectors.Close()
	databases := newOwnDatabases(all.Config, false)
	defer databases.close()
	failed := false
	for _, name := range slices.Sorted(maps.Keys(all.Config.Databases)) {
		line, err := indexDatabase(ctx, vectors, databases, all.Semantic, name)
		if err != nil {
			failed, line = true, reason(err)
		}
		fmt.Fprintf(stdout, "%s: %s\n", name, line)
	}
	if failed {
		return reported{}
	}
	return nil
}

func indexDatabase(ctx context.Context, vectors *index.Vectors, databases *ownDatabases, meaning *configs.Semantic, name string) (string, error) {
	snap, err := databases.get(name).Snapshot(ctx)
	if err != nil {
		return "", err
	}
	built, err := vectors.Rebuild(ctx, index.Schema{Database: name, Snapshot: snap, Meaning: meaning})
	if err != nil {
		return "", err
	}
	outcome := "up to date already"
	if built.Changed {
		outcome = count(built.Embedded, "new text")
	}
	return fmt.Sprintf("%s, %s, %s", count(len(snap.Tables), "table"), count(built.Chunks, "chunk"), outcome), nil
}

// checkIndex warns of a shared index that can't be used. Questions are answered
// without it, so that it is no fault.
func checkIndex(ctx context.Context, all *configs.All) []configs.Fault {
	if all.Config.Index.Store != "pgvector" {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, checkTimeout)
	defer stop()
	store, err := pgvector.New(all.Config.Index.DSN)
	if err == nil {
		defer store.Close()
		err = store.Check(ctx)
	}
	if err == nil {
		return nil
	}
	return []configs.Fault{{Pos: all.Config.Index.Pos, Key: "index.dsn", Warning: true,
		Msg: "tables are found by their words alone: " + reason(err)}}
}
