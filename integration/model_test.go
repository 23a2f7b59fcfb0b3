package integration

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// provider is a model server that speaks OpenAI's chat completions with
// scripted replies, and keeps what it was asked.
type provider struct {
	*httptest.Server
	mu      sync.Mutex
	replies []func(http.ResponseWriter)
	asked   []string
}

func newProvider(t *testing.T) *provider {
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asked = append(p.asked, string(body))
		if len(p.replies) == 0 {
			http.Error(w, "no reply is scripted", http.StatusTeapot)
			return
		}
		reply := p.replies[0]
		p.replies = p.replies[1:]
		reply(w)
	}))
	t.Cleanup(p.Close)
	return p
}

// script replaces what is left of the replies.
func (p *provider) script(replies ...func(http.ResponseWriter)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replies, p.asked = replies, nil
}

func (p *provider) prompts() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// planned is a reply with a plan.
func planned(plan string) func(http.ResponseWriter) {
	return replied(fmt.Sprintf(`{"answerable":true,"missing":"","plan":%s}`, plan))
}

func status(code int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { http.Error(w, `{"error":{"message":"scripted"}}`, code) }
}

// withModel runs a second pgask over the sample company whose questions all go
// to the provider.
func withModel(t *testing.T, p *provider) *fixture {
	t.Helper()
	return withPlanner(t, p, "order: [model], retries: 3")
}

// demoPlanner is what the sample company's pgask.yaml says of planners.
const demoPlanner = "order: [curated, cache, builtin, model], retries: 3, cache: true"

// withPlanner is withModel with other settings of planners.
func withPlanner(t *testing.T, p *provider, settings string) *fixture {
	t.Helper()
	var f *fixture
	t.Cleanup(func() { // runs after the proxy has ended: its log is whole then
		if f != nil && strings.Contains(f.Proxy.log.String(), "top-secret-key") {
			t.Error("the log holds the provider's key")
		}
	})
	f = secondProxy(t, func(text string) string {
		return strings.Replace(text, demoPlanner, settings, 1) +
			fmt.Sprintf("\nllm: {base_url: %q, api_key: top-secret-key, model: scripted, timeout: 5s}\n", p.URL+"/v1")
	})
	return f
}

const (
	accountsByRegion = `{"version":1,"from":{"table":"public.accounts"},"select":[{"expr":{"column":"accounts.region"}},{"expr":{"aggregate":{"func":"count"}},"as":"n"}],"order_by":[{"item":"region"}]}`
	unknownColumn    = `{"version":1,"from":{"table":"public.accounts"},"select":[{"expr":{"column":"accounts.colour"}}]}`
	forbiddenTable   = `{"version":1,"from":{"table":"public.payroll"},"select":[{"expr":{"aggregate":{"func":"count"}},"as":"n"}]}`
)

func TestModelPlans(t *testing.T) {
	p := newProvider(t)
	f := withModel(t, p)
	direct := table(t, f.Direct(t), "SELECT region, count(*) FROM accounts WHERE tenant_id = 1 GROUP BY region ORDER BY region")
	ana := f.Connect(t, "ana")

	p.script(planned(accountsByRegion))
	if got := table(t, ana, "ASK 'how do our accounts spread over regions'"); !slices.Equal(got, direct) {
		t.Errorf("rows %v, want %v", got, direct)
	}
	last := table(t, ana, "SHOW pgask.last")
	if !strings.Contains(fmt.Sprint(last), "model") {
		t.Errorf("receipt %v", last)
	}

	p.script(planned(unknownColumn), planned(accountsByRegion))
	if got := table(t, ana, "ASK 'how do our accounts spread over regions now'"); !slices.Equal(got, direct) {
		t.Errorf("after a repair: %v", got)
	}
	prompts := p.prompts()
	if len(prompts) != 2 || !strings.Contains(prompts[1], "colour") {
		t.Errorf("%d prompts; the second must carry the fault of the first", len(prompts))
	}
	for _, prompt := range prompts {
		for _, hidden := range []string{"tax_id", "payroll", "salary"} {
			if strings.Contains(prompt, hidden) {
				t.Errorf("the prompt names %s", hidden)
			}
		}
	}
}

// failure is the error of a statement that must fail.
func failure(t *testing.T, conn *pgx.Conn, sql string) *pgconn.PgError {
	t.Helper()
	_, err := tryTable(conn, sql)
	var coded *pgconn.PgError
	if !asError(err, &coded) {
		t.Fatalf("%s: %v, want an error of the server", sql, err)
	}
	return coded
}

func TestModelFailures(t *testing.T) {
	p := newProvider(t)
	f := withModel(t, p)
	ana := f.Connect(t, "ana")
	for name, c := range map[string]struct {
		replies []func(http.ResponseWriter)
		state   string
		detail  string
	}{
		"never a valid plan": {[]func(http.ResponseWriter){planned(unknownColumn), planned(unknownColumn), planned(forbiddenTable), planned(unknownColumn)}, "PA001", ""},
		"rate limit":         {[]func(http.ResponseWriter){status(429), status(429), status(429)}, "PA009", "PROVIDER_RATE_LIMIT"},
		"wrong key":          {[]func(http.ResponseWriter){status(401)}, "PA009", "PROVIDER_AUTH"},
		"down":               {[]func(http.ResponseWriter){status(503), status(503), status(503)}, "PA009", "PROVIDER_UNAVAILABLE"},
		"not a plan":         {[]func(http.ResponseWriter){func(w http.ResponseWriter) { _, _ = io.WriteString(w, "SELECT * FROM payroll") }}, "PA009", "PROVIDER_BAD_REPLY"},
	} {
		p.script(c.replies...)
		e := failure(t, ana, "ASK 'how do our accounts spread over regions'")
		if e.Code != c.state || !strings.Contains(e.Detail, c.detail) {
			t.Errorf("%s: %s %q, detail %q; want %s %s", name, e.Code, e.Message, e.Detail, c.state, c.detail)
		}
	}
	if got := table(t, ana, "SELECT 1"); len(got) != 1 {
		t.Errorf("the session is not alive: %v", got)
	}
	p.script()
	if e := failure(t, f.Connect(t, "bot"), "ASK 'how do our accounts spread over regions'"); e.Code != "PA002" || len(p.prompts()) != 0 {
		t.Errorf("a role without a model: %s, %d calls", e.Code, len(p.prompts()))
	}
}
