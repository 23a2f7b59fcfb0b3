package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Trace is one statement that asks, from its text to its end.
type Trace struct {
	// ID is the request id of the receipt and the audit log.
	ID       string    `json:"id"`
	Time     time.Time `json:"time"`
	Database string    `json:"database"`
	User     string    `json:"user"`
	Roles    []string  `json:"roles"`
	// Statement is the text that asked.
	Statement string `json:"statement"`
	// Last is the answer that an ASK MORE amends; nil for none.
	Last *Last `json:"last,omitempty"`
	// Today is planner.today, empty where the date was the database's.
	Today         string  `json:"today,omitempty"`
	SchemaVersion string  `json:"schema_version,omitempty"`
	PolicyVersion string  `json:"policy_version,omitempty"`
	Stages        []Stage `json:"stages"`
	Calls         []Call  `json:"calls"`
	// Answers are those of the statement's questions that were answered.
	Answers []Answer `json:"answers"`
	// SQL is what was sent to Postgres; its constants are the question's and the scopes'.
	SQL string `json:"sql,omitempty"`
	// Verdict is allowed or an SQLSTATE, of the refusal or of the execution.
	Verdict string   `json:"verdict"`
	Failure *Failure `json:"failure,omitempty"`
	// Rows is how many rows the execution showed, nil where there was none yet.
	Rows *int64 `json:"rows,omitempty"`
	// Told is who put the answer into words, of ASK NARRATE and ASK CHART.
	Told string  `json:"told,omitempty"`
	MS   float64 `json:"ms"`
}

// Last is an answer of the session, and the question that it was to.
type Last struct {
	Question   string          `json:"question"`
	Plan       json.RawMessage `json:"plan"`
	Qualifiers []string        `json:"qualifiers,omitempty"`
	Several    bool            `json:"several,omitempty"`
}

// Stage is what a part of planning did.
type Stage struct {
	Stage   string  `json:"stage"`
	Outcome string  `json:"outcome"`
	Detail  string  `json:"detail,omitempty"`
	MS      float64 `json:"ms"`
}

// Call is one request to a model, with its answer or how it failed.
type Call struct {
	Task             string `json:"task"`
	Model            string `json:"model"`
	System           string `json:"system"`
	User             string `json:"user"`
	Reply            string `json:"reply,omitempty"`
	PromptTokens     int    `json:"prompt_tokens"`
	CompletionTokens int    `json:"completion_tokens"`
	// Failure is a PROVIDER_… word, Reason its explanation.
	Failure string  `json:"failure,omitempty"`
	Reason  string  `json:"reason,omitempty"`
	MS      float64 `json:"ms"`
}

// Answer is a question's plan, or the curated query that answered it.
type Answer struct {
	Source   string          `json:"source"`
	Plan     json.RawMessage `json:"plan,omitempty"`
	PlanHash string          `json:"plan_hash,omitempty"`
	Curated  string          `json:"curated,omitempty"`
}

// Failure is an error as the client got it.
type Failure struct {
	Message string `json:"message"`
	Detail  string `json:"detail,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

// Allowed is the verdict of a statement that wasn't refused.
const Allowed = "allowed"

// texts are the places where a secret could be.
func (t *Trace) texts() []*string {
	out := []*string{&t.Statement, &t.SQL}
	if t.Last != nil {
		out = append(out, &t.Last.Question)
		for i := range t.Last.Qualifiers {
			out = append(out, &t.Last.Qualifiers[i])
		}
	}
	for i := range t.Stages {
		out = append(out, &t.Stages[i].Detail)
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		out = append(out, &c.System, &c.User, &c.Reply, &c.Reason)
	}
	if f := t.Failure; f != nil {
		out = append(out, &f.Message, &f.Detail, &f.Hint)
	}
	return out
}

var idForm = regexp.MustCompile(`^[0-9a-f]{16}$`)

// Path is the file of a trace in a folder; an id of another form has none.
func Path(dir, id string) (string, error) {
	if !idForm.MatchString(id) {
		return "", fmt.Errorf("%q is no id of a trace: it has 16 hexadecimal digits, as the request_id of SHOW pgask.last", id)
	}
	return filepath.Join(dir, id+".json"), nil
}

// Read reads a trace's file.
func Read(path string) (*Trace, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var t Trace
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, fmt.Errorf("%s is no trace: %w", path, err)
	}
	return &t, nil
}

// write puts a trace into its file in one step, for its owner only.
func write(dir string, t *Trace) error {
	path, err := Path(dir, t.ID)
	if err != nil {
		return err
	}
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(t); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".trace-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(text.String())
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
