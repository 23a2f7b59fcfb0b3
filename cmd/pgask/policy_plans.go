package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/plans"
)

// mostCached is how many cached plans are judged, the newest: each is planned by Postgres
// for every user, under both policies.
const mostCached = 200

// plansToCompare are the plans that are kept: those that reviewers approved, and where a
// Postgres keeps them those of models. A plan in the memory of a running pgask isn't seen.
func plansToCompare(ctx context.Context, f *files) ([]sent, error) {
	kept := newKeeper(slog.New(slog.DiscardHandler))
	if err := kept.open(f.all.Config); err != nil {
		return nil, err
	}
	defer kept.close()
	var out []sent
	if kept.approvals != nil {
		for _, database := range slices.Sorted(maps.Keys(f.all.Config.Databases)) {
			all, err := kept.approvals.Approved(ctx, database)
			if err != nil {
				return nil, fmt.Errorf("approved plans: %w", err)
			}
			for _, a := range all {
				out = append(out, sent{database: database, text: using(a.Question, a.Plan), from: "approved plan", shown: "ASK " + quote(a.Question)})
			}
		}
	}
	store, ok := kept.store.(*plans.Postgres)
	if !ok {
		return out, nil
	}
	cached, err := store.Cached(ctx, mostCached)
	if err != nil {
		return nil, fmt.Errorf("cached plans: %w", err)
	}
	for _, text := range cached {
		out = append(out, sent{text: using("a cached plan", text), from: "cached plan", shown: brief(text)})
	}
	return out, nil
}

// using asks a question by a plan of its own.
func using(question string, plan json.RawMessage) string {
	return "ASK " + quote(question) + " USING PLAN " + quote(string(plan))
}

// quote is a text as an SQL literal, whatever is in it.
func quote(text string) string {
	return "E'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + "'"
}

// brief is a plan's first source and what is selected, without any value.
func brief(text []byte) string {
	p, err := plan.Decode(text)
	if err != nil {
		return "one that can't be read any more"
	}
	names := make([]string, len(p.Select))
	for i, item := range p.Select {
		names[i] = item.As
		if names[i] == "" {
			names[i] = item.Expr.Column + item.Expr.Metric
		}
	}
	return strings.Join(names, ", ") + " from " + p.From.Table
}
