package main

import (
	"log/slog"
	"time"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/audit"
	"github.com/prometheus/client_golang/prometheus"
)

// openAudit starts the audit log; nil where none is configured.
func openAudit(c *configs.Config, log *slog.Logger) *audit.Log {
	a := c.Audit
	if a.Path == "" {
		return nil
	}
	return audit.Open(audit.Options{Path: a.Path, Instance: c.Cluster.Instance, Full: a.Text == "full", Required: a.Required,
		Chain: a.Chain, Sync: a.Sync, Rotate: audit.Rotate(a.Rotate), Logger: log, Now: time.Now})
}

// auditMetrics are the series of the audit log, read when they are asked for.
type auditMetrics struct{ log *audit.Log }

var (
	auditLines     = prometheus.NewDesc("pgask_audit_lines_total", "Lines written to the audit log.", nil, nil)
	auditBytes     = prometheus.NewDesc("pgask_audit_bytes_total", "Bytes of those lines.", nil, nil)
	auditLost      = prometheus.NewDesc("pgask_audit_lines_lost_total", "Lines that could not be written and are missing.", nil, nil)
	auditRefused   = prometheus.NewDesc("pgask_audit_statements_refused_total", "Statements refused because the audit log could not be written.", nil, nil)
	auditFailures  = prometheus.NewDesc("pgask_audit_failures_total", "Attempts to write the audit log that failed.", nil, nil)
	auditRotations = prometheus.NewDesc("pgask_audit_rotations_total", "Files of the audit log that were put aside.", nil, nil)
	auditWaiting   = prometheus.NewDesc("pgask_audit_queue_bytes", "Bytes of lines that are not written yet.", nil, nil)
	auditWritable  = prometheus.NewDesc("pgask_audit_writable", "Whether the last attempt to write the audit log worked.", nil, nil)
	auditWritten   = prometheus.NewDesc("pgask_audit_last_write_timestamp_seconds", "When the audit log could be written last.", nil, nil)
)

// Describe is prometheus.Collector's.
func (m auditMetrics) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, to) }

// Collect is prometheus.Collector's.
func (m auditMetrics) Collect(to chan<- prometheus.Metric) {
	s := m.log.Stats()
	writable := 0.0
	if s.Writable {
		writable = 1
	}
	give := func(d *prometheus.Desc, kind prometheus.ValueType, v float64) {
		to <- prometheus.MustNewConstMetric(d, kind, v)
	}
	give(auditLines, prometheus.CounterValue, float64(s.Lines))
	give(auditBytes, prometheus.CounterValue, float64(s.Bytes))
	give(auditLost, prometheus.CounterValue, float64(s.Lost))
	give(auditRefused, prometheus.CounterValue, float64(s.Refused))
	give(auditFailures, prometheus.CounterValue, float64(s.Failures))
	give(auditRotations, prometheus.CounterValue, float64(s.Rotations))
	give(auditWaiting, prometheus.GaugeValue, float64(s.Waiting))
	give(auditWritable, prometheus.GaugeValue, writable)
	if !s.Written.IsZero() {
		give(auditWritten, prometheus.GaugeValue, float64(s.Written.UnixMicro())/1e6)
	}
}
