package configs

import (
	"maps"
	"time"
)

// settings are the single-valued settings of pgask.yaml by their dotted keys,
// each with what stores it in c. These are the keys that environment variables
// and flags can set.
func settings(c *Config) fields {
	out := fields{}
	for _, part := range []fields{listening(c), planning(c), protecting(c), recording(c)} {
		maps.Copy(out, part)
	}
	return out
}

// listening is where it listens, and with what files and peers.
func listening(c *Config) fields {
	return fields{
		"listen":           text(&c.Listen),
		"http":             text(&c.HTTP),
		"reuse_port":       boolean(&c.ReusePort),
		"tls.mode":         enum(&c.TLS.Mode, "disable", "prefer", "require", "verify-full"),
		"tls.cert":         text(&c.TLS.Cert),
		"tls.key":          text(&c.TLS.Key),
		"tls.client_ca":    text(&c.TLS.ClientCA),
		"tls.crl":          text(&c.TLS.CRL),
		"files.users":      text(&c.Files.Users),
		"files.policy":     text(&c.Files.Policy),
		"files.semantic":   text(&c.Files.Semantic),
		"files.reviews":    text(&c.Files.Reviews),
		"files.curated":    text(&c.Files.Curated),
		"files.approved":   text(&c.Files.Approved),
		"cluster.instance": integer(&c.Cluster.Instance, 0, MaxInstance),
		"cluster.ca":       text(&c.Cluster.CA),
	}
}

// planning is how questions are answered.
func planning(c *Config) fields {
	return fields{
		"planner.builtin.min_confidence": number(&c.Planner.Builtin.MinConfidence, 0, 1),

		"planner.mode":         enum(&c.Planner.Mode, "plan", "sql"),
		"planner.retries":      integer(&c.Planner.Retries, 0, 10),
		"planner.refine":       boolean(&c.Planner.Refine),
		"planner.opinions":     integer(&c.Planner.Opinions, 1, 9),
		"planner.agree":        enum(&c.Planner.Agree, "hash", "result"),
		"planner.cache":        boolean(&c.Planner.Cache),
		"planner.today":        date(&c.Planner.Today),
		"planner.store":        enum(&c.Planner.Store, "memory", "postgres"),
		"planner.dsn":          secret(&c.Planner.DSN),
		"llm.base_url":         text(&c.LLM.BaseURL),
		"llm.api_key":          secret(&c.LLM.APIKey),
		"llm.model":            text(&c.LLM.Model),
		"llm.routing.planner":  route(c, "planner"),
		"llm.routing.refiner":  route(c, "refiner"),
		"llm.routing.matcher":  route(c, "matcher"),
		"llm.routing.narrator": route(c, "narrator"),
		"llm.timeout":          duration(&c.LLM.Timeout, time.Millisecond),
		"hooks.timeout":        duration(&c.Hooks.Timeout, time.Millisecond),
		"llm.schema":           enum(&c.LLM.Schema, "full", "flat", "none"),
		"llm.concurrency":      integer(&c.LLM.Concurrency, 1, 10_000),
		"llm.record":           text(&c.LLM.Record),
		"llm.replay":           text(&c.LLM.Replay),
		"embeddings.provider":  enum(&c.Embeddings.Provider, "builtin", "openai"),
		"embeddings.model":     text(&c.Embeddings.Model),
		"index.store":          enum(&c.Index.Store, "memory", "pgvector"),
		"index.dsn":            secret(&c.Index.DSN),
		"index.top_k":          integer(&c.Index.TopK, 1, 1000),
		"index.samples":        boolean(&c.Index.Samples),
		"curated.enabled":      boolean(&c.Curated.Enabled),
		"curated.match_floor":  number(&c.Curated.MatchFloor, 0, 1),
		"curated.match_top_k":  integer(&c.Curated.MatchTopK, 1, 100),
		"abstain.confidence":   number(&c.Abstain.Confidence, 0, 1),
		"abstain.completeness": enum(&c.Abstain.Completeness, Completenesses...),
		"abstain.guarantee":    enum(&c.Abstain.Guarantee, Guarantees...),
	}
}

// protecting is what protects the proxy itself.
func protecting(c *Config) fields {
	return fields{
		"limits.clients":         integer(&c.Limits.Clients, 1, 1_000_000),
		"limits.user_clients":    integer(&c.Limits.UserClients, 0, 1_000_000),
		"limits.address_clients": integer(&c.Limits.AddressClients, 0, 1_000_000),
		"limits.login_failures":  integer(&c.Limits.LoginFailures, 0, 1_000_000),
		"limits.statement_bytes": size(&c.Limits.StatementBytes, 1<<10, 1<<30),
		"limits.verdict_cache":   size(&c.Limits.VerdictCache, 0, 1<<36),
		"limits.login":           duration(&c.Limits.Login, time.Millisecond),
		"limits.idle":            duration(&c.Limits.Idle, time.Second),
		"limits.drain":           duration(&c.Limits.Drain, 0),
		"limits.keepalive":       duration(&c.Limits.Keepalive, 0),
	}
}

// recording is what is written down.
func recording(c *Config) fields {
	return fields{
		"audit.path":        text(&c.Audit.Path),
		"audit.text":        enum(&c.Audit.Text, "full", "fingerprint"),
		"audit.required":    boolean(&c.Audit.Required),
		"audit.chain":       boolean(&c.Audit.Chain),
		"audit.sync":        duration(&c.Audit.Sync, 0),
		"audit.rotate.size": size(&c.Audit.Rotate.Size, 0, 1<<40),
		"audit.rotate.age":  duration(&c.Audit.Rotate.Age, 0),
		"audit.rotate.keep": integer(&c.Audit.Rotate.Keep, 0, 1_000_000),
		"traces.dir":        text(&c.Traces.Dir),
		"traces.mode":       enum(&c.Traces.Mode, "off", "on_failure", "always"),
		"traces.keep":       integer(&c.Traces.Keep, 0, 10_000_000),
		"traces.age":        duration(&c.Traces.Age, 0),
	}
}

// route stores the model of one kind of work; an empty one means llm.model.
func route(c *Config, work string) setter {
	return func(v value) {
		var model string
		text(&model)(v)
		if c.LLM.Routing == nil {
			c.LLM.Routing = map[string]string{}
		}
		delete(c.LLM.Routing, work)
		if model != "" {
			c.LLM.Routing[work] = model
		}
	}
}
