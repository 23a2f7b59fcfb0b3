package pipeline

import (
	"context"
	"strings"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

const ownPrefix = "pgask."

// shown tells whether a statement is SHOW pgask.…, and of what.
func shown(st stmt.Statement) (string, bool) {
	show := st.Tree.GetVariableShowStmt()
	if show == nil {
		return "", false
	}
	return strings.CutPrefix(strings.ToLower(show.Name), ownPrefix)
}

// show answers SHOW pgask.…
func (s *Session) show(ctx context.Context, name string) (*verdict, error) {
	switch name {
	case "last":
		return s.told(lastColumns, func(context.Context) (string, error) { return s.lastReceipt().rows(), nil })
	case "status":
		return s.told(statusColumns, s.status)
	case "policy":
		return s.told(policyColumns, s.grants)
	case "approved":
		return s.told(approvedColumns, s.approved)
	case "metrics":
		return s.told(metricColumns, s.metrics)
	case "dimensions":
		return s.told(dimensionColumns, s.dimensions)
	case "hierarchies":
		return s.told(hierarchyColumns, s.hierarchies)
	}
	return nil, &Error{Code: "42704", Message: `unrecognized configuration parameter "` + ownPrefix + name + `"`,
		Advice: "SHOW pgask.last\nSHOW pgask.status\nSHOW pgask.policy\nSHOW pgask.metrics\nSHOW pgask.dimensions\nSHOW pgask.hierarchies\nSHOW pgask.approved"}
}

var lastColumns = []policy.ToldColumn{
	{Name: "request_id", Type: "text"}, {Name: "source", Type: "text"}, {Name: "plan_hash", Type: "text"},
	{Name: "schema_version", Type: "text"}, {Name: "policy_version", Type: "text"}, {Name: "curated", Type: "text"},
	{Name: "verdict", Type: "text"}, {Name: "scopes", Type: "text[]"}, {Name: "qualifiers", Type: "text[]"},
	{Name: "row_cap", Type: "int4"}, {Name: "model_calls", Type: "int4"}, {Name: "rows", Type: "int8"},
	{Name: "estimated_rows", Type: "int8"}, {Name: "truncated", Type: "bool"}, {Name: "ms", Type: "float8"},
	{Name: "annotations", Type: "text"},
}

func (s *Session) lastReceipt() *Receipt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last.receipt()
}

var statusColumns = []policy.ToldColumn{
	{Name: "uptime_seconds", Type: "int8"}, {Name: "sessions", Type: "int8"}, {Name: "statements", Type: "int8"},
	{Name: "denied", Type: "int8"}, {Name: "asks", Type: "int8"}, {Name: "truncated", Type: "int8"},
	{Name: "schema_version", Type: "text"}, {Name: "policy_version", Type: "text"},
}

func (s *Session) status(ctx context.Context) (string, error) {
	at, err := s.stand(ctx)
	if err != nil {
		return "", err
	}
	c := &s.p.counters
	return rows(map[string]any{"uptime_seconds": int64(s.p.now().Sub(s.p.started).Seconds()),
		"sessions": c.sessions.Load(), "statements": c.statements.Load(), "denied": c.denied.Load(),
		"asks": c.asks.Load(), "truncated": c.truncated.Load(),
		"schema_version": at.snap.Version, "policy_version": at.rules.Policy.Version()})
}

var policyColumns = []policy.ToldColumn{
	{Name: "table_name", Type: "text"}, {Name: "columns", Type: "text[]"}, {Name: "masked", Type: "text[]"},
	{Name: "scope", Type: "text"}, {Name: "row_cap", Type: "int8"},
}

// grants lists what this user may read.
func (s *Session) grants(ctx context.Context) (string, error) {
	at, err := s.stand(ctx)
	if err != nil {
		return "", err
	}
	type row struct {
		Table   string   `json:"table_name"`
		Columns []string `json:"columns"`
		Masked  []string `json:"masked"`
		Scope   *string  `json:"scope"`
		RowCap  *int64   `json:"row_cap"`
	}
	out := []row{}
	for _, g := range at.view.Describe() {
		r := row{Table: plan.TableName(g.Table), Columns: g.Columns, Masked: append([]string{}, g.Masked...)}
		if g.Scope != "" {
			r.Scope = &g.Scope
		}
		if g.Rows > 0 {
			r.RowCap = &g.Rows
		}
		out = append(out, r)
	}
	return rows(out)
}

var metricColumns = []policy.ToldColumn{
	{Name: "name", Type: "text"}, {Name: "description", Type: "text"}, {Name: "table_name", Type: "text"},
	{Name: "expression", Type: "text"}, {Name: "unit", Type: "text"}, {Name: "additivity", Type: "text"},
	{Name: "synonyms", Type: "text[]"}, {Name: "owner", Type: "text"}, {Name: "time", Type: "text"}, {Name: "not_over", Type: "text[]"},
	{Name: "grain", Type: "text[]"}, {Name: "filters", Type: "text[]"}, {Name: "review_required_by", Type: "text"}, {Name: "reviewed", Type: "bool"},
}

// metrics lists the registered measures that this user may compute.
func (s *Session) metrics(ctx context.Context) (string, error) {
	return meant(ctx, s, func(m *semantic.Model) []*semantic.Metric { return m.Metrics }, metricRow)
}

var dimensionColumns = []policy.ToldColumn{
	{Name: "name", Type: "text"}, {Name: "description", Type: "text"}, {Name: "table_name", Type: "text"},
	{Name: "expression", Type: "text"}, {Name: "type", Type: "text"}, {Name: "synonyms", Type: "text[]"}, {Name: "owner", Type: "text"},
}

// dimensions lists the registered expressions that this user may group and choose rows by.
func (s *Session) dimensions(ctx context.Context) (string, error) {
	return meant(ctx, s, func(m *semantic.Model) []*semantic.Dimension { return m.Dimensions }, func(d *semantic.Dimension) map[string]any {
		return map[string]any{"name": d.Name, "description": d.Description, "table_name": plan.TableName(d.Table),
			"expression": d.ExprText, "type": d.Column.Type.SQL, "synonyms": append([]string{}, d.Synonyms...), "owner": d.Owner}
	})
}

func metricRow(m *semantic.Metric) map[string]any {
	row := map[string]any{"name": m.Name, "description": m.Description, "table_name": measuredOn(m),
		"expression": m.ExprText, "unit": m.Unit, "additivity": m.Additivity.Kind,
		"synonyms": append([]string{}, m.Synonyms...), "owner": m.Owner, "time": m.Additivity.Time,
		"not_over": append([]string{}, m.Additivity.NotOver...), "grain": append([]string{}, m.Grain...), "filters": filters(m)}
	if m.ReviewRequiredBy != "" {
		row["review_required_by"], row["reviewed"] = m.ReviewRequiredBy, m.Reviewed
	}
	return row
}

// measuredOn names the tables of a metric.
func measuredOn(m *semantic.Metric) string {
	var out []string
	for _, t := range m.Tables() {
		out = append(out, plan.TableName(t))
	}
	return strings.Join(out, ", ")
}

// filters are the conditions that are part of a metric's definition, by table.
func filters(m *semantic.Metric) []string {
	out := []string{}
	for _, f := range m.Filters {
		out = append(out, plan.TableName(f.Table)+": "+f.Text)
	}
	return out
}

var hierarchyColumns = []policy.ToldColumn{{Name: "name", Type: "text"}, {Name: "description", Type: "text"}, {Name: "levels", Type: "text[]"}, {Name: "synonyms", Type: "text[]"}}

// hierarchies lists what this user may group by at several levels, each from coarse to fine.
func (s *Session) hierarchies(ctx context.Context) (string, error) {
	return meant(ctx, s, func(m *semantic.Model) []*semantic.Hierarchy { return m.Hierarchies }, func(h *semantic.Hierarchy) map[string]any {
		levels := []string{}
		for _, l := range h.Levels {
			levels = append(levels, plan.TableName(l.Table)+"."+plan.Ident(l.Column))
		}
		return map[string]any{"name": h.Name, "description": h.Description, "levels": levels, "synonyms": append([]string{}, h.Synonyms...)}
	})
}

// meant lists what this user may use of one kind in the semantic model.
func meant[T any](ctx context.Context, s *Session, kind func(*semantic.Model) []T, row func(T) map[string]any) (string, error) {
	at, err := s.stand(ctx)
	if err != nil {
		return "", err
	}
	k, err := s.know(ctx, at)
	if err != nil {
		return "", err
	}
	out := []map[string]any{}
	for _, x := range kind(k.semantic) {
		out = append(out, row(x))
	}
	return rows(out)
}
