package planner

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/stmt"
)

// verdict is an error as a policy or Postgres gives it.
type verdict struct {
	state, message string
	absent         bool
}

func (v *verdict) Error() string    { return v.message }
func (v *verdict) SQLState() string { return v.state }
func (v *verdict) Hint() string     { return "Perhaps you meant amount." }
func (v *verdict) Absent() bool     { return v.absent }

// sqlInput is modelInput for a role whose model writes SQL, judged as given.
func sqlInput(t *testing.T, question string, judged func(sql string) ([]string, error)) Input {
	in := modelInput(t, question)
	in.SQL = SQLTarget{Mode: ModeSQL, Rows: 100, Judge: func(_ context.Context, st stmt.Statement) ([]string, error) { return judged(st.Text) },
		Scopes: func() map[catalog.Name]string {
			return map[catalog.Name]string{modelRelation("accounts"): "risk_score < :most", modelRelation("orders"): "account_id = :own"}
		}}
	return in
}

func writes(t *testing.T, sql string) modelReply {
	t.Helper()
	text, err := json.Marshal(map[string]any{"answerable": true, "missing": nil, "sql": sql})
	if err != nil {
		t.Fatal(err)
	}
	return modelReply{Answer: text}
}

// TestModelSQL has a model write SQL: what is mended by another attempt, and what
// ends at once.
func TestModelSQL(t *testing.T) {
	const good = "SELECT count(*) AS orders FROM public.orders"
	for _, c := range []struct {
		sql   string
		err   error  // the judge's
		state string // "" for an answer, at the second attempt
		told  string // to the second attempt
		calls int
	}{
		{good, nil, "", "", 1},
		{"WITH o AS (SELECT id FROM orders) SELECT count(*) AS orders FROM o", nil, "", "", 1},
		{"nothing", nil, "DECLINED", "", 1},
		{"SELECT FROM FROM", nil, "", "PostgreSQL can't parse it", 2},
		{"", nil, "", "it must be one statement", 2},
		{"SELECT 1; SELECT 2", nil, "", "it must be one statement", 2},
		{"DELETE FROM public.orders", nil, "", "it must be a SELECT", 2},
		{"ASK 'orders'", nil, "", "asks nothing", 2},
		{"/* ask: orders */ SELECT 1", nil, "", "asks nothing", 2},
		{"SELECT * FROM ask('orders') AS a", nil, "", "asks nothing", 2},
		{"SELECT ask('orders')", nil, "", "asks nothing", 2},
		{"SELECT id FROM orders WHERE id = $1", nil, "", "no parameters", 2},
		{"SELECT * FROM other.public.orders", nil, "", "other databases", 2},
		{"SELECT * FROM acme.public.orders", nil, "", "other databases", 2},
		{"SELECT salary FROM payroll", nil, "", "there is no table payroll", 2},
		{"SELECT rolname FROM pg_catalog.pg_authid", nil, "", "there is no table pg_catalog.pg_authid", 2},
		{"SELECT total FROM orders", &verdict{"42501", "permission denied for column total", true}, "", "permission denied for column total (Perhaps", 2},
		{"SELECT risk_scor FROM accounts", &verdict{"42501", "permission denied for column risk_score", true}, "", `"path":"/sql"}`, 2},
		{"SELECT amount || 1 FROM orders", &verdict{"42883", "operator does not exist", false}, "", "operator does not exist", 2},
		{"SELECT id FROM orders FOR UPDATE", &verdict{"25006", "read only", false}, "25006", "", 1},
		{"SELECT pg_read_file('x')", &verdict{"42501", "permission denied for function pg_read_file", false}, "42501", "", 1},
		{"SELECT id FROM orders, accounts", &verdict{"PA004", "too many rows", false}, "PA004", "", 1},
	} {
		provider := &modelProvider{replies: []modelReply{writes(t, c.sql), writes(t, good)}}
		in := sqlInput(t, "how many orders", func(sql string) ([]string, error) {
			if sql == c.sql {
				return nil, c.err
			}
			return []string{"orders"}, nil
		})
		if c.state == "DECLINED" {
			provider.replies[0] = modelReply{Text: `{"answerable":false,"missing":"orders","sql":null}`}
		}
		got, err := askedModel(t, provider, ModelOptions{Retries: 2}).Plan(t.Context(), in)
		state := ""
		var declined *Declined
		var coded interface{ SQLState() string }
		switch {
		case errors.As(err, &declined):
			state = "DECLINED"
		case errors.As(err, &coded):
			state = coded.SQLState()
		}
		if state != c.state || len(provider.users) != c.calls {
			t.Errorf("%s: %q %v after %d calls", c.sql, state, err, len(provider.users))
			continue
		}
		if c.calls == 2 && !strings.Contains(provider.users[1], c.told) {
			t.Errorf("%s: the second attempt was told %s", c.sql, provider.users[1])
		}
		if err == nil && (got.Source != "model_sql" || got.Query == nil || got.Checked != nil || got.Made != nil || !slices.Equal(got.Qualifiers, []string{sqlQualifier})) {
			t.Errorf("%s: %+v", c.sql, got)
		}
		for _, told := range provider.users {
			if strings.Contains(told, "risk_score") {
				t.Errorf("%s: a hidden column is told: %s", c.sql, told)
			}
		}
	}
}

// TestModelSQLFails wants the last fault, and columns that were demanded.
func TestModelSQLFails(t *testing.T) {
	provider := &modelProvider{replies: []modelReply{writes(t, "SELECT 1; SELECT 2")}}
	in := sqlInput(t, "how many orders", func(string) ([]string, error) { return []string{"n"}, nil })
	m := askedModel(t, provider, ModelOptions{Retries: 1})
	_, err := m.Plan(t.Context(), in)
	var failed *PlanningFailed
	if !errors.As(err, &failed) || failed.Error() != "planning failed: the model's SQL was rejected 2 times" || !strings.Contains(failed.Detail(), `"code":"INVALID_SQL"`) {
		t.Errorf("got %v", err)
	}
	provider.replies = []modelReply{writes(t, "SELECT count(*) AS n FROM orders")}
	in.Columns = []plan.Column{{Name: "orders", Type: "bigint"}}
	var declined *Declined
	if _, err := m.Plan(t.Context(), in); !errors.As(err, &declined) {
		t.Errorf("other columns: %v", err)
	}
	provider.replies = []modelReply{{Text: `{"answerable":true,"missing":null,"plan":{}}`}, {Text: `{"answerable":true,"missing":null,"sql":{}}`}}
	if _, err := m.Plan(t.Context(), in); !errors.As(err, &failed) || !strings.Contains(failed.Detail(), "WRONG_SHAPE") {
		t.Errorf("other keys: %v", err)
	}
}

// TestModelModes is who is answered by SQL: roles that say so, or all where the
// planner does, but nobody who asks for a plan.
func TestModelModes(t *testing.T) {
	in := sqlInput(t, "how many orders", func(string) ([]string, error) { return nil, nil })
	with := func(change func(*Input)) Input { c := in; change(&c); return c }
	for name, c := range map[string]struct {
		planner Mode
		in      Input
		want    Mode
	}{
		"the role says so":    {ModePlan, in, ModeSQL},
		"the role says plan":  {ModeSQL, with(func(in *Input) { in.SQL.Mode = ModePlan }), ModePlan},
		"the planner says so": {ModeSQL, with(func(in *Input) { in.SQL.Mode = "" }), ModeSQL},
		"nobody says so":      {"", with(func(in *Input) { in.SQL.Mode = "" }), ModePlan},
		"a plan is wanted":    {ModeSQL, with(func(in *Input) { in.PlanOnly = true }), ModePlan},
		"nobody can judge":    {ModeSQL, modelInput(t, "how many orders"), ModePlan},
	} {
		if got := askedModel(t, &modelProvider{}, ModelOptions{Mode: c.planner}).mode(c.in); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestModelSQLPrompt holds what such a prompt has besides a plan's.
func TestModelSQLPrompt(t *testing.T) {
	in := sqlInput(t, "revenue by region", nil)
	in.SQL.Judge = func(context.Context, stmt.Statement) ([]string, error) { return nil, nil }
	system, user := unasked(t).Prompt(t.Context(), in)
	_, target, _ := strings.Cut(system, "\n[DATABASE]\n")
	target, schema, _ := strings.Cut(target, "[SCHEMA]\n")
	modelGolden(t, "sql_target", target)
	modelGolden(t, "schema", schema)
	modelGolden(t, "sql_user", user)
	in.Today = "2024-02-29"
	if _, user := unasked(t).Prompt(t.Context(), in); !strings.Contains(user, "[DATE_EXPRESSION]\nDATE '2024-02-29'\n") {
		t.Errorf("the user message is %q", user)
	}
}

// TestSQLRulesExamples wants examples in the form that is asked for.
func TestSQLRulesExamples(t *testing.T) {
	_, examples, _ := strings.Cut(sqlRules, "\nEXAMPLES")
	n := 0
	for line := range strings.Lines(examples) {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		n++
		answer, err := decodeReply(line, "sql")
		if err != nil {
			t.Fatal(err)
		}
		if !answer.answerable {
			continue
		}
		var sql string
		if err := json.Unmarshal(answer.body, &sql); err != nil {
			t.Fatal(err)
		}
		if tree, err := stmt.ParseOne(sql, stmt.DefaultLimits()); err != nil || tree.GetSelectStmt() == nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if n != 3 {
		t.Errorf("%d examples", n)
	}
}
