package configs

import "time"

// Config is pgask.yaml. Paths in it are relative to the file's folder and
// absolute once loaded.
type Config struct {
	Listen     string
	HTTP       string
	ReusePort  bool
	TLS        TLS
	Files      Files
	Databases  map[string]*Database
	Planner    Planner
	LLM        LLM
	Embeddings Embeddings
	Index      Index
	Curated    CuratedSettings
	Abstain    Abstain
	Hooks      Hooks
	Limits     Limits
	Cluster    Cluster
	Audit      Audit
	Traces     Traces
}

// TLS is how clients are met. Mode is disable, prefer, require or
// verify-full; the last demands client certificates signed by ClientCA.
type TLS struct {
	Mode     string
	Cert     string
	Key      string
	ClientCA string
	CRL      string // revoked client certificates; empty for no check
}

// Files are the paths of the other files. An empty path means an empty file.
// Semantic may be a pattern such as semantic/*.yaml. Approved is written by pgask itself.
type Files struct {
	Users, Policy, Semantic, Reviews, Curated, Approved string
}

// Database is one entry of databases: the name clients ask for and the
// Postgres behind it.
type Database struct {
	Pos  Pos
	Name string
	DSN  string
	Pool Pool
	// Keepalive is limits.keepalive, for the connections to it.
	Keepalive time.Duration
}

// Pool bounds the backends of a database.
type Pool struct {
	Mode string        // session | transaction
	Size int           // backends per database, login and mode
	Wait time.Duration // how long a client may wait for one
	Min  int           // kept of a login that has been used
	// Idle is how long a backend stays that nobody uses, Lifetime how long one
	// lives at most. Without Idle none is used twice, without Lifetime none is
	// too old.
	Idle, Lifetime time.Duration
	// Prepared is how many texts that governed sessions repeat a backend has as
	// prepared statements, 0 for none.
	Prepared int
}

// Planner orders the planners that answer questions.
type Planner struct {
	Order   []string // of curated, cache, builtin, model
	Mode    string   // plan | sql
	Retries int
	Refine  bool // a model gives advice before each retry
	// Opinions is how many plans a model makes, of which more than half must agree.
	Opinions int
	Agree    string // hash | result: when they do
	Cache    bool
	Builtin  Builtin
	Today    string // YYYY-MM-DD, empty for the database's CURRENT_DATE
	Store    string // memory | postgres: where plans are that are used again
	DSN      string // of that Postgres
}

// Builtin is the planner that asks no model.
type Builtin struct {
	// MinConfidence is the least confidence in a reading with which it answers.
	MinConfidence float64
}

// LLM is an OpenAI-compatible model provider. No BaseURL means no model.
type LLM struct {
	BaseURL string
	APIKey  string
	Model   string
	Routing map[string]string // planner, refiner, matcher, narrator → model name
	Prices  map[string]Price  // by model name
	Timeout time.Duration
	Schema  string // full | flat | none: how a provider is told the form of replies
	// Concurrency is how many calls may be under way at once.
	Concurrency int
	Record      string
	Replay      string
}

// Price is what a million tokens of a model cost, in a unit of the file's own.
type Price struct{ Prompt, Completion float64 }

// Embeddings chooses the embedder of the schema index: builtin or openai.
type Embeddings struct {
	Provider string
	Model    string
}

// Index is where the schema index lives and how much it returns.
type Index struct {
	Pos     Pos    // of its dsn
	Store   string // memory | pgvector
	DSN     string
	TopK    int
	Samples bool // whether column values may be sampled
}

// CuratedSettings switch the curated matcher.
type CuratedSettings struct {
	Enabled    bool
	MatchFloor float64
	MatchTopK  int
}

// Hooks are commands or URLs asked about plans and SQL, each of which has Timeout to
// answer.
type Hooks struct {
	Timeout   time.Duration
	PlanAfter []string
	SQLBefore []string
}

// Limits protect the proxy itself.
type Limits struct {
	Clients        int
	UserClients    int // sessions of one user, 0 for no limit
	AddressClients int // connections of one address, 0 for no limit
	LoginFailures  int // a minute, of one user, and ten times that of one address; 0 for no limit
	StatementBytes int64
	VerdictCache   int64 // bytes of verdicts kept for statements that come again, 0 for none
	Login          time.Duration
	Idle           time.Duration
	Drain          time.Duration // how long sessions may go on after SIGTERM
	Keepalive      time.Duration // how long a peer may be unreachable; 0: as the system has it
}

// Cluster are the instances that clients reach at one address. Instance is
// this one, 0 to 255; Peers are where each takes the others' cancel requests,
// over TLS with certificates that CA has signed where that is set.
type Cluster struct {
	Instance int
	Peers    map[int]string
	CA       string
}

// Audit is the audit log: text is full or fingerprint. No Path means no log.
type Audit struct {
	Path     string
	Text     string
	Required bool          // statements are refused while it can't be written
	Chain    bool          // each line has the hash of the one before
	Sync     time.Duration // how long a line may wait for fsync
	Rotate   AuditRotate
}

// AuditRotate is when the log's file is put aside, and how many are kept: 0
// is never, and all.
type AuditRotate struct {
	Size int64
	Age  time.Duration
	Keep int
}

// Traces are per-ask files: mode is off, on_failure or always. Keep is how many stay, Age
// how long one does; 0 is all, and for ever.
type Traces struct {
	Dir  string
	Mode string
	Keep int
	Age  time.Duration
}
