package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/index"
	"github.com/pgask/pgask/pipeline/index/pgvector"
	"github.com/pgask/pgask/pipeline/llm"
	"github.com/prometheus/client_golang/prometheus"
)

// assembleVectors makes the search by vectors that a configuration asks for; nil
// where it asks for none, since the built-in embedder in memory would find
// nothing that words don't.
func assembleVectors(c *configs.Config, observe index.Observer, log *slog.Logger) (*index.Vectors, error) {
	if c.Index.Store == "memory" && c.Embeddings.Provider == "builtin" {
		return nil, nil
	}
	e, err := assembleEmbedder(c, log)
	if err != nil {
		return nil, err
	}
	var store index.Store = index.NewMemory()
	if c.Index.Store == "pgvector" {
		if store, err = pgvector.New(c.Index.DSN); err != nil {
			return nil, fmt.Errorf("index.dsn: %w", err)
		}
	}
	return index.NewVectors(store, e, observe, log, time.Now), nil
}

// embedReplyBytes is room for a batch of long vectors.
const embedReplyBytes = 16 << 20

// assembleEmbedder makes the provider's embedder; nil for the built-in one.
func assembleEmbedder(c *configs.Config, log *slog.Logger) (index.Embedder, error) {
	if c.Embeddings.Provider == "builtin" {
		return nil, nil
	}
	client, err := llm.New(llm.Config{BaseURL: c.LLM.BaseURL, APIKey: c.LLM.APIKey, Model: c.Embeddings.Model,
		Timeout: c.LLM.Timeout, ReplyBytes: embedReplyBytes, Record: c.LLM.Record, Replay: c.LLM.Replay, Observe: modelLog(log)})
	if err != nil {
		return nil, err
	}
	return remoteEmbedder{client}, nil
}

// remoteEmbedder is a provider's embedding model.
type remoteEmbedder struct{ client *llm.Client }

// embedderTask is what its calls are called in the log.
const embedderTask = "embedder"

func (r remoteEmbedder) Name() string { return "openai:" + r.client.Model(embedderTask) }

func (r remoteEmbedder) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	return r.client.Embed(ctx, embedderTask, texts)
}

func (r remoteEmbedder) Query(ctx context.Context, question string) ([]float32, error) {
	vectors, err := r.client.Embed(ctx, embedderTask, []string{question})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

// indexMetrics are the series of the index. It observes vectors.
type indexMetrics struct {
	builds, searches *prometheus.CounterVec
	chunks           *prometheus.GaugeVec
	embedded         *prometheus.CounterVec
	seconds          *prometheus.HistogramVec
}

func newIndexMetrics(r prometheus.Registerer) *indexMetrics {
	m := &indexMetrics{
		builds:   vec("pgask_index_builds_total", "Looks at a database's index, by outcome (built, unchanged, failed).", "database", "outcome"),
		searches: vec("pgask_index_searches_total", "Searches by vectors, by outcome (ok, failed).", "database", "outcome"),
		embedded: vec("pgask_index_embedded_total", "Texts of schemas that an embedder was asked for.", "database"),
		chunks:   prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "pgask_index_chunks", Help: "Chunks of a database's schema."}, []string{"database"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "pgask_index_seconds",
			Help: "How long builds and searches of the index took.", Buckets: prometheus.ExponentialBuckets(0.001, 4, 9)}, []string{"work"}),
	}
	r.MustRegister(m.builds, m.searches, m.embedded, m.chunks, m.seconds)
	return m
}

// Indexed is index.Observer's.
func (m *indexMetrics) Indexed(database string, b index.Built, took time.Duration, err error) {
	outcome := "unchanged"
	switch {
	case err != nil:
		outcome = "failed"
	case b.Changed:
		outcome = "built"
	}
	m.builds.WithLabelValues(database, outcome).Inc()
	m.seconds.WithLabelValues("build").Observe(took.Seconds())
	if err == nil {
		m.chunks.WithLabelValues(database).Set(float64(b.Chunks))
		m.embedded.WithLabelValues(database).Add(float64(b.Embedded))
	}
}

// Searched is index.Observer's.
func (m *indexMetrics) Searched(database string, took time.Duration, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "failed"
	}
	m.searches.WithLabelValues(database, outcome).Inc()
	m.seconds.WithLabelValues("search").Observe(took.Seconds())
}
