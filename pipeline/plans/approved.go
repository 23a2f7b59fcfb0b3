package plans

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// Approved is a plan that somebody pinned to a question of a database.
type Approved struct {
	Database string `json:"database"`
	// Question is as it was asked; all of the same Key get the plan.
	Question string          `json:"question"`
	Plan     json.RawMessage `json:"plan"`
	Hash     string          `json:"plan_hash"`
	By       string          `json:"approved_by"`
	At       time.Time       `json:"approved_at"`
}

// Approvals are approved plans that outlive the process.
type Approvals interface {
	// Approved are all of a database, by question.
	Approved(ctx context.Context, database string) ([]Approved, error)
	// Approve keeps one, in the place of the one of the same question.
	Approve(ctx context.Context, a Approved) error
	// Revoke removes that of a question and returns it; nil where there is none.
	Revoke(ctx context.Context, database, question string) (*Approved, error)
}

// Find is the approved plan of a question; nil for none.
func Find(all []Approved, question string) *Approved {
	key := Key(question)
	for i := range all {
		if Key(all[i].Question) == key {
			return &all[i]
		}
	}
	return nil
}

// Normalize collapses spaces and cuts trailing punctuation; case stays, for values.
func Normalize(question string) string {
	return strings.TrimRight(strings.Join(strings.Fields(question), " "), " .?!,;:")
}

// Key is what questions share that are the same but for case, spaces and last
// punctuation.
func Key(question string) string { return strings.ToLower(Normalize(question)) }
