package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/pipeline/llm"
	"github.com/pgask/pgask/pipeline/planner"
)

// parts are what a reload replaces.
type parts struct {
	store *auth.Store
	tls   *tls.Config
	rules *pipeline.Rules
}

// loadParts reads all files and makes the parts, or says everything that is
// wrong. Warnings are logged.
func loadParts(load func() (*files, []configs.Fault, error), kept *keeper, log *slog.Logger) (*configs.All, *parts, error) {
	f, faults, err := load()
	if err != nil {
		return nil, nil, err
	}
	if err := firstFaults(faults, log); err != nil {
		return nil, nil, err
	}
	chain, err := assemblePlanners(f, kept, staged{}, log)
	if err != nil {
		return nil, nil, err
	}
	narrator, err := assembleNarrator(f.all.Config, log)
	if err != nil {
		return nil, nil, err
	}
	certificates, err := loadTLS(f.all.Config.TLS)
	if err != nil {
		return nil, nil, err
	}
	rules := &pipeline.Rules{Policy: f.policy, Semantic: f.all.Semantic, Planners: chain, Hooks: f.hooks, Abstain: f.all.Config.Abstain, Narrator: narrator}
	return f.all, &parts{store: f.users, tls: certificates, rules: rules}, nil
}

// staged replaces parts of the planners, for commands that only look.
type staged struct {
	// model tells that only the model planner counts, modelless that no model is asked,
	// nor a plan of one taken from the cache.
	model, modelless bool
	// replies answers in the provider's place; nil for the provider.
	replies func(llm.Request) (llm.Reply, error)
}

// assemblePlanners makes the planners in the configured order, behind the one of
// approved plans; one that isn't configured is left out.
func assemblePlanners(f *files, kept *keeper, o staged, log *slog.Logger) (planner.Planner, error) {
	c := f.all.Config
	if err := kept.open(c); err != nil {
		return nil, err
	}
	client, err := assembleClient(c, o, log)
	if err != nil {
		return nil, err
	}
	var chain []planner.Planner
	builtin := planner.NewBuiltin()
	builtin.MinConfidence = c.Planner.Builtin.MinConfidence
	order := c.Planner.Order
	switch {
	case o.model:
		order = []string{"model"}
	case o.modelless:
		order = slices.DeleteFunc(slices.Clone(order), func(name string) bool { return name == "model" || name == "cache" })
	}
	if kept.approvals != nil && !o.model {
		chain = append(chain, planner.NewApproved(kept.approvals, log))
	}
	// The matcher asks a model, so a plan that is kept goes first.
	var matcher planner.Planner
	for _, name := range order {
		if matcher != nil && name != "cache" {
			chain, matcher = append(chain, matcher), nil
		}
		switch name {
		case "curated":
			if c.Curated.Enabled {
				chain = append(chain, f.curated)
				if client != nil {
					matcher = planner.NewMatcher(f.curated, client)
				}
			}
		case "cache":
			if cache := kept.cache(c); cache != nil {
				chain = append(chain, cache)
			}
		case "builtin":
			chain = append(chain, builtin)
		case "model":
			if client == nil {
				continue
			}
			model, err := planner.NewModel(client, planner.ModelOptions{TopK: c.Index.TopK, Retries: c.Planner.Retries, Refine: c.Planner.Refine,
				Opinions: c.Planner.Opinions, ByResult: c.Planner.Agree == "result", Mode: planner.Mode(c.Planner.Mode), Linker: builtin, FlatSchema: c.LLM.Schema == "flat"})
			if err != nil {
				return nil, err
			}
			chain = append(chain, model)
		}
	}
	if matcher != nil {
		chain = append(chain, matcher)
	}
	return planner.New(chain...), nil
}

// assembleNarrator makes what tells answers; nil for the template. Rows go to a model
// only where one is named for just that.
func assembleNarrator(c *configs.Config, log *slog.Logger) (*planner.Narrator, error) {
	if c.LLM.Routing["narrator"] == "" {
		return nil, nil
	}
	client, err := assembleClient(c, staged{}, log)
	if client == nil || err != nil {
		return nil, err
	}
	return planner.NewNarrator(client), nil
}

// assembleClient makes the client of the model provider; nil where none is configured.
func assembleClient(c *configs.Config, o staged, log *slog.Logger) (*llm.Client, error) {
	if o.modelless || c.LLM.BaseURL == "" && c.LLM.Replay == "" && o.replies == nil {
		return nil, nil
	}
	return llm.New(llm.Config{BaseURL: c.LLM.BaseURL, APIKey: c.LLM.APIKey, Model: c.LLM.Model, Routing: c.LLM.Routing, Prices: pricesOf(c.LLM.Prices), Schemaless: c.LLM.Schema == "none",
		Timeout: c.LLM.Timeout, Concurrency: c.LLM.Concurrency, Record: c.LLM.Record, Replay: c.LLM.Replay, Replies: o.replies, Observe: modelLog(log)})
}

// pricesOf are the prices as the client counts by them.
func pricesOf(prices map[string]configs.Price) map[string]llm.Price {
	out := make(map[string]llm.Price, len(prices))
	for model, p := range prices {
		out[model] = llm.Price(p)
	}
	return out
}

// modelLog writes one line a model call: what it cost, and how it failed where
// it did. No text of it.
func modelLog(log *slog.Logger) func(llm.Call) {
	return func(c llm.Call) {
		level := slog.LevelInfo
		if c.Failure != "" {
			level = slog.LevelWarn
		}
		log.Log(context.Background(), level, "model call", "task", c.Task, "model", c.Model, "failure", c.Failure,
			"prompt_tokens", c.PromptTokens, "completion_tokens", c.CompletionTokens, "took", c.Took)
	}
}

// loadTLS reads the certificates clients are met with; nil with mode disable.
func loadTLS(c configs.TLS) (*tls.Config, error) {
	if c.Mode == "disable" || c.Cert == "" && c.Mode == "prefer" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
	if err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	t := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if c.ClientCA == "" {
		return t, nil
	}
	pem, err := os.ReadFile(c.ClientCA)
	if err != nil {
		return nil, fmt.Errorf("tls.client_ca: %w", err)
	}
	t.ClientCAs = x509.NewCertPool()
	if !t.ClientCAs.AppendCertsFromPEM(pem) {
		return nil, errors.New("tls.client_ca: no certificate in it")
	}
	t.ClientAuth = tls.VerifyClientCertIfGiven
	if c.Mode == "verify-full" {
		t.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return t, refuseRevoked(t, c.CRL)
}

// refuseRevoked makes handshakes fail whose client's certificate was taken
// back, those of resumed connections too.
func refuseRevoked(t *tls.Config, path string) error {
	if path == "" {
		return nil
	}
	lists, err := configs.ReadRevocations(path)
	if err != nil {
		return fmt.Errorf("tls.crl: %w", err)
	}
	t.VerifyConnection = func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) == 0 {
			return nil
		}
		return auth.NotRevoked(lists, s.VerifiedChains)
	}
	return nil
}

// firstFaults logs warnings and joins faults into one error.
func firstFaults(faults []configs.Fault, log *slog.Logger) error {
	var errs []error
	for _, f := range faults {
		if f.Warning {
			log.Warn("configuration", "warning", f.Error())
			continue
		}
		errs = append(errs, f)
	}
	return errors.Join(errs...)
}
