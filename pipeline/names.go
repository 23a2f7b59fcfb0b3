package pipeline

import "strings"

// Names are the prepared statements of a session, made by PREPARE or by Parse:
// Postgres has one name space for both. Whoever carries the messages knows
// what has become of them; a Session asks from the loop that calls it.
type Names interface {
	// Prepared is what the name stands for when the message at hand is carried
	// out; nil when nothing is known by it. An error ends the session.
	Prepared(name string) (*Decision, error)
	// Room reports whether one more name, for that many bytes, may be held.
	Room(name string, bytes int) bool
}

// NameChange is what a statement does to the names of prepared statements
// when it completes.
type NameChange struct {
	// Name gets a new meaning, with All every name that isn't empty.
	Name string
	All  bool
	// To is the new meaning, for Bind and EXECUTE; nil for none.
	To *Decision
}

// Bytes is roughly what a prepared statement's decision holds.
func (d *Decision) Bytes() int { return len(d.Text) + len(d.source.text) }

// unnamed is a session nobody carries messages of: it has no names.
type unnamed struct{}

func (unnamed) Prepared(string) (*Decision, error) { return nil, nil }
func (unnamed) Room(string, int) bool              { return true }

// Follow tells the session, before its first statement, where its prepared
// statements are known.
func (s *Session) Follow(n Names) { s.names = n }

// prepared finds a name from within a message: its earlier statements have
// been carried out by then.
func (s *Session) prepared(name string) (*Decision, error) {
	for i := len(s.message) - 1; i >= 0; i-- {
		if c := s.message[i]; c != nil && (c.All || c.Name == name) {
			return c.To, nil
		}
	}
	return s.names.Prepared(name)
}

// change is what a judged statement does to names.
func (v *verdict) change(from source) *NameChange {
	switch f := v.facts; f.Tag {
	case "PREPARE":
		return &NameChange{Name: f.Prepared, To: &Decision{Text: v.text, Denial: v.trap, verdict: v.inner(), source: from}}
	case "DEALLOCATE":
		return &NameChange{Name: f.Prepared, All: f.Prepared == ""}
	case "DISCARD ALL":
		return &NameChange{All: true}
	}
	return nil
}

// inner is the verdict of the statement inside a PREPARE.
func (v *verdict) inner() *verdict {
	if v.facts.Query == nil {
		return v
	}
	w := *v
	w.facts = *v.facts.Query
	if v.kind == "prepare" {
		w.kind = strings.ToLower(w.facts.Tag)
	}
	return &w
}
