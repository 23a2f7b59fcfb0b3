package main

import (
	"github.com/prometheus/client_golang/prometheus"
)

// poolMetrics are the series of the pools, read when they are asked for.
type poolMetrics struct {
	databases map[string]*database
}

var poolLabels = []string{"database", "login", "mode"}

var (
	poolBackends = prometheus.NewDesc("pgask_pool_backends", "Backends, by what they are doing.", append([]string{"state"}, poolLabels...), nil)
	poolWaiting  = prometheus.NewDesc("pgask_pool_waiting", "Requests that wait for a backend.", poolLabels, nil)
	poolMaxWait  = prometheus.NewDesc("pgask_pool_max_wait_seconds", "How long the first of them has waited.", poolLabels, nil)
	poolAcquires = prometheus.NewDesc("pgask_pool_acquires_total", "Backends that were lent.", poolLabels, nil)
	poolWaits    = prometheus.NewDesc("pgask_pool_waits_total", "Requests that had to wait.", poolLabels, nil)
	poolWaited   = prometheus.NewDesc("pgask_pool_wait_seconds_total", "How long they waited.", poolLabels, nil)
	poolDials    = prometheus.NewDesc("pgask_pool_dials_total", "Backends that were dialled.", poolLabels, nil)
	poolFailures = prometheus.NewDesc("pgask_pool_dial_failures_total", "Dials that gave no backend.", poolLabels, nil)
)

// Describe is prometheus.Collector's.
func (p poolMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{poolBackends, poolWaiting, poolMaxWait, poolAcquires, poolWaits, poolWaited, poolDials, poolFailures} {
		to <- d
	}
}

// Collect is prometheus.Collector's.
func (p poolMetrics) Collect(to chan<- prometheus.Metric) {
	for name, d := range p.databases {
		for _, s := range d.pool.Stats() {
			labels := []string{name, s.User, "passthrough"}
			if s.Governed {
				labels[2] = "governed"
			}
			give := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, more ...string) {
				to <- prometheus.MustNewConstMetric(d, kind, v, append(more, labels...)...)
			}
			for state, n := range map[string]int{"active": s.Active, "idle": s.Idle, "reset": s.Resetting, "dialling": s.Dialling} {
				give(poolBackends, prometheus.GaugeValue, float64(n), state)
			}
			give(poolWaiting, prometheus.GaugeValue, float64(s.Waiting))
			give(poolMaxWait, prometheus.GaugeValue, s.MaxWait.Seconds())
			give(poolAcquires, prometheus.CounterValue, float64(s.Acquires))
			give(poolWaits, prometheus.CounterValue, float64(s.Waits))
			give(poolWaited, prometheus.CounterValue, s.Waited.Seconds())
			give(poolDials, prometheus.CounterValue, float64(s.Dials))
			give(poolFailures, prometheus.CounterValue, float64(s.DialFailures))
		}
	}
}
