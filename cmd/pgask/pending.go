package main

import (
	"slices"
	"strings"
)

// startKeys are the settings, or the beginnings of their keys, that a process
// reads once.
var startKeys = []string{"listen", "http", "reuse_port", "tls.mode", "databases.", "planner.today", "planner.store", "planner.dsn", "files.approved", "index.samples", "index.store", "index.dsn", "embeddings.", "limits.", "cluster.", "audit.", "traces."}

// pending are those of the changed keys of pgask.yaml that a reload leaves as
// they were; each database is named once.
func pending(changed []string) []string {
	var out []string
	for _, key := range changed {
		if !slices.ContainsFunc(startKeys, func(k string) bool {
			return key == k || strings.HasSuffix(k, ".") && strings.HasPrefix(key, k)
		}) {
			continue
		}
		if name, ok := strings.CutPrefix(key, "databases."); ok {
			name = strings.TrimSuffix(name, ".dsn")
			name, _, _ = strings.Cut(name, ".pool.")
			key = "databases." + name
		}
		out = append(out, key)
	}
	return slices.Compact(out)
}
