package main

import (
	"strconv"
	"time"

	"github.com/pgask/pgask/proxy"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metrics are the series of /metrics. It observes the proxy and the pipeline.
type metrics struct {
	registry    *prometheus.Registry
	open        prometheus.Gauge
	sessions    *prometheus.CounterVec
	logins      *prometheus.CounterVec
	statements  pairs
	messages    map[proxy.Verdict]prometheus.Counter
	asks        *prometheus.CounterVec
	told        prometheus.Counter
	calls       prometheus.Counter
	tokens      prometheus.Counter
	money       prometheus.Counter
	stages      *prometheus.HistogramVec
	rows        prometheus.Counter
	truncations prometheus.Counter
	bytes       [2]prometheus.Counter
	frames      [2]prometheus.Counter
	cancels     *prometheus.CounterVec
	reloads     *prometheus.CounterVec
}

func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry(),
		open:        prometheus.NewGauge(prometheus.GaugeOpts{Name: "pgask_sessions", Help: "Sessions that are open."}),
		sessions:    vec("pgask_sessions_ended_total", "Sessions that ended, by SQLSTATE; empty for the client's own leave.", "sqlstate"),
		logins:      vec("pgask_logins_failed_total", "Connections that ended before they were sessions, by SQLSTATE.", "sqlstate"),
		statements:  pairs{vec: vec("pgask_statements_total", "Judged statements, by kind and verdict (allowed or an SQLSTATE).", "kind", "verdict")},
		messages:    map[proxy.Verdict]prometheus.Counter{},
		asks:        vec("pgask_asks_total", "Answered questions, by source.", "source"),
		told:        counter("pgask_told_total", "Answers that were told in words or drawn."),
		calls:       counter("pgask_model_calls_total", "Calls to the model provider."),
		tokens:      counter("pgask_model_tokens_total", "Tokens of those calls, prompt and completion."),
		money:       counter("pgask_model_cost_total", "What those calls cost, by llm.prices."),
		rows:        counter("pgask_rows_total", "Rows of governed statements that clients were given."),
		truncations: counter("pgask_truncations_total", "Results that were cut at a role's row cap."),
		cancels:     vec("pgask_cancels_total", "Cancel requests, by whether they were passed on.", "passed"),
		reloads:     vec("pgask_reloads_total", "Reloads of the files, by whether they were taken or refused.", "outcome"),
		stages: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "pgask_stage_seconds",
			Help: "How long the stages of a decision took.", Buckets: prometheus.ExponentialBuckets(0.0001, 4, 9)}, []string{"stage"}),
	}
	messages := vec("pgask_messages_total", "Messages that were looked at, by route.", "route")
	for v, route := range map[proxy.Verdict]string{proxy.Untouched: "untouched", proxy.Replaced: "replaced", proxy.Denied: "denied"} {
		m.messages[v] = messages.WithLabelValues(route)
	}
	m.registry.MustRegister(m.open, m.sessions, m.logins, m.statements.vec, messages, m.asks, m.told, m.calls, m.tokens, m.money, m.stages,
		m.rows, m.truncations, m.cancels, m.reloads, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	bytes := vec("pgask_bytes_total", "Bytes relayed, by direction.", "direction")
	frames := vec("pgask_frames_total", "Frames relayed, by direction.", "direction")
	m.registry.MustRegister(bytes, frames)
	for d, name := range map[proxy.Direction]string{proxy.ToBackend: "backend", proxy.ToClient: "client"} {
		m.bytes[d], m.frames[d] = bytes.WithLabelValues(name), frames.WithLabelValues(name)
	}
	return m
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
}

func vec(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// The proxy's side.

func (m *metrics) SessionOpened() { m.open.Inc() }

func (m *metrics) SessionClosed(sqlstate string) {
	m.open.Dec()
	m.sessions.WithLabelValues(sqlstate).Inc()
}

func (m *metrics) LoginFailed(sqlstate string) { m.logins.WithLabelValues(sqlstate).Inc() }

func (m *metrics) Moved(d proxy.Direction, frames, bytes int) {
	m.frames[d].Add(float64(frames))
	m.bytes[d].Add(float64(bytes))
}

func (m *metrics) Judged(v proxy.Verdict) { m.messages[v].Inc() }

func (m *metrics) Cancelled(passed bool) { m.cancels.WithLabelValues(strconv.FormatBool(passed)).Inc() }

// observer is the pipeline's side of metrics.
type observer struct{ *metrics }

func (o observer) Judged(kind, verdict string) { o.statements.of(kind, verdict).Inc() }

func (o observer) Answered(source string, modelCalls int, tokens, money int64) {
	o.asks.WithLabelValues(source).Inc()
	o.spent(modelCalls, tokens, money)
}

func (o observer) Told() { o.told.Inc() }

func (o observer) Narrated(modelCalls int, tokens, money int64) { o.spent(modelCalls, tokens, money) }

// spent counts what models cost.
func (o observer) spent(modelCalls int, tokens, money int64) {
	o.calls.Add(float64(modelCalls))
	o.tokens.Add(float64(tokens))
	o.money.Add(float64(money) / 1e6)
}

func (o observer) Stage(stage string, took time.Duration) {
	o.stages.WithLabelValues(stage).Observe(took.Seconds())
}

func (o observer) Rows(rows int64, truncated bool) {
	o.rows.Add(float64(rows))
	if truncated {
		o.truncations.Inc()
	}
}
