package pipeline

import (
	"context"
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// borneOut are the suggested relationships whose columns the user may read unmasked and
// whose values, as far as he sees them, are all among those of the key. What two keys have in
// common both ways is one relationship.
func (x *sampler) borneOut(ctx context.Context, suggested []*semantic.Relationship) []*semantic.Relationship {
	masked := x.at.view.Masked()
	var out []*semantic.Relationship
	for _, r := range suggested {
		from, to := r.FromColumns[0], r.ToColumns[0]
		if slices.Contains(masked[r.From], from) || slices.Contains(masked[r.To], to) || slices.ContainsFunc(out, r.Reverses) {
			continue
		}
		rows, err := x.rows(ctx, catalog.ContainmentSQL(r.From, from, r.To, to))
		if ctx.Err() != nil || x.conn.IsClosed() {
			break // what wasn't looked at isn't known
		}
		if err != nil {
			x.log.Debug("a relationship could not be looked at", "relationship", r.Name, "error", err)
			continue
		}
		if catalog.Contained(rows) {
			out = append(out, r)
		}
	}
	return out
}
