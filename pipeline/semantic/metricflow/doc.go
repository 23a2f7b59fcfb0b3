// Package metricflow takes over dbt semantic models and MetricFlow metrics: it
// makes a semantic.yaml of them, and says of each thing that it can't say what that is and why.
package metricflow
