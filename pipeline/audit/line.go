package audit

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// Session is who statements come from. It is the same in all lines of a session.
type Session struct {
	// Instance is cluster.instance of pgask.yaml.
	Instance int      `json:"instance"`
	User     string   `json:"user"`
	Roles    []string `json:"roles"`
	// Client is the client's address, "local" for a Unix-domain socket.
	Client   string `json:"client"`
	Database string `json:"database"`
	// Application is what the client called itself when it connected.
	Application string `json:"application_name"`
}

// Statement is what is known of a statement once it was judged. It is the same
// in the lines of all its executions.
type Statement struct {
	// Source is where a question's answer came from.
	Source string `json:"source,omitempty"`
	// Question, Text and SQL are the question, the statement as the client
	// wrote it, and for questions what ran. They are left out with audit.text
	// fingerprint; Fingerprint and Digest are there instead.
	Question string `json:"question,omitempty"`
	Text     string `json:"text,omitempty"`
	SQL      string `json:"sql,omitempty"`
	// Fingerprint is that of pg_query, which constants don't change: of the
	// statement, for questions of what ran.
	Fingerprint string `json:"fingerprint,omitempty"`
	// Digest is the SHA-256 of what would be Text, in hex.
	Digest string `json:"digest,omitempty"`
	// Scopes are the row rules that were applied, Tables what is read and Masked
	// the masked columns of that, as schema.table and schema.table.column.
	Scopes []string `json:"scopes"`
	Tables []string `json:"tables"`
	Masked []string `json:"masked"`

	PolicyVersion string `json:"policy_version,omitempty"`
	SchemaVersion string `json:"schema_version,omitempty"`
	PlanHash      string `json:"plan_hash,omitempty"`
	// Annotations are the answer's: completeness, confidence and guarantee.
	Annotations json.RawMessage `json:"annotations,omitempty"`
}

// Outcome is one execution of a statement, or its refusal.
type Outcome struct {
	// Began is when the statement was taken up, Took how long it took from then.
	Began     time.Time
	Took      time.Duration
	RequestID string
	// Kind is select, ask, execute, fetch, set …; unparsed or sql for what was
	// refused before it was known, protocol for messages without a text.
	Kind string
	// Verdict is allowed or the SQLSTATE of the refusal. SQLState is that of the
	// error an allowed statement ended with.
	Verdict, SQLState string
	// Rows is how many rows this execution showed, Truncated whether the result
	// was cut at the role's cap.
	Rows      int64
	Truncated bool
	// EstimatedRows is Postgres's estimate before it ran, nil for none.
	EstimatedRows *int64
	// Suspended tells of a portal that has more to give; further executions have
	// lines of their own. Unfinished tells of a statement that was sent and
	// whose end is not known, because the session ended before.
	Suspended, Unfinished bool
}

// Line is a line of the log as it is read back. Lines of Event are not about
// statements.
type Line struct {
	Time      time.Time `json:"time"`
	Event     string    `json:"event"`
	RequestID string    `json:"request_id"`
	Session
	Kind string `json:"kind"`
	Statement
	Verdict    string  `json:"verdict"`
	SQLState   string  `json:"sqlstate"`
	Rows       int64   `json:"rows"`
	Truncated  bool    `json:"truncated"`
	Estimated  *int64  `json:"estimated_rows"`
	Suspended  bool    `json:"suspended"`
	Unfinished bool    `json:"unfinished"`
	MS         float64 `json:"ms"`
	Prev       string  `json:"prev"`
	Hash       string  `json:"hash"`
}

// Part is a Session or a Statement as it stands in a line. Made once, it
// serves all lines.
type Part []byte

// Part encodes the session.
func (s Session) Part() Part { return part(s) }

// Part encodes the statement.
func (s Statement) Part() Part {
	for _, list := range []*[]string{&s.Scopes, &s.Tables, &s.Masked} {
		if *list == nil {
			*list = []string{}
		}
	}
	return part(s)
}

// part is the inside of a JSON object.
func part(v any) Part {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return Part(`"unencodable":true`) // these types always encode
	}
	object := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return Part(object[1 : len(object)-1])
}

// timeLayout is RFC 3339 in microseconds, as Postgres has them.
const timeLayout = "2006-01-02T15:04:05.000000Z07:00"

// appendTime begins a line.
func appendTime(b []byte, t time.Time) []byte {
	b = append(b, `{"time":"`...)
	b = t.UTC().AppendFormat(b, timeLayout)
	return append(b, '"')
}

// appendLine appends a statement's line.
func appendLine(b []byte, s, of Part, o Outcome) []byte {
	b = appendTime(b, o.Began)
	b = append(b, `,"request_id":"`...)
	b = append(b, o.RequestID...)
	b = append(b, `",`...)
	b = append(b, s...)
	b = append(b, `,"kind":"`...)
	b = append(b, o.Kind...)
	b = append(b, `",`...)
	b = append(b, of...)
	b = append(b, `,"verdict":"`...)
	b = append(appendCode(b, o.Verdict), '"')
	if o.SQLState != "" {
		b = append(b, `,"sqlstate":"`...)
		b = append(appendCode(b, o.SQLState), '"')
	}
	b = append(b, `,"rows":`...)
	b = strconv.AppendInt(b, o.Rows, 10)
	b = append(b, `,"truncated":`...)
	b = strconv.AppendBool(b, o.Truncated)
	if o.EstimatedRows != nil {
		b = append(b, `,"estimated_rows":`...)
		b = strconv.AppendInt(b, *o.EstimatedRows, 10)
	}
	if o.Suspended {
		b = append(b, `,"suspended":true`...)
	}
	if o.Unfinished {
		b = append(b, `,"unfinished":true`...)
	}
	b = append(b, `,"ms":`...)
	b = strconv.AppendFloat(b, float64(o.Took.Microseconds())/1000, 'f', -1, 64)
	return append(b, "}\n"...)
}

// appendCode appends an SQLSTATE or the word allowed. What a server sends in the
// place of one could be anything.
func appendCode(b []byte, code string) []byte {
	for _, c := range []byte(code[:min(len(code), 7)]) {
		if c < '0' || c > 'z' || c > '9' && c < 'A' || c > 'Z' && c < 'a' {
			c = '?'
		}
		b = append(b, c)
	}
	return b
}

// appendEvent appends a line that is not about a statement.
func appendEvent(b []byte, now time.Time, about any) []byte {
	b = append(appendTime(b, now), ',')
	return append(append(b, part(about)...), "}\n"...)
}

// The values of Line.Event; a statement's line has none.
const (
	eventGap    = "gap"
	eventTorn   = "torn"
	eventOpened = "opened"
	eventClosed = "closed"
)

// The lines that are not about statements.
type (
	// gap says what the log lacks, and why.
	gap struct {
		Event    string `json:"event"`
		Instance int    `json:"instance"`
		Since    string `json:"since"`
		Reason   string `json:"reason"`
		// Lost counts lines that are missing, Refused statements that were
		// refused because their lines couldn't be written.
		Lost    int64 `json:"lost"`
		Refused int64 `json:"refused"`
	}
	// torn is about the line before it, which was not written to its end.
	torn struct {
		Event  string `json:"event"`
		Bytes  int    `json:"bytes"`
		SHA256 string `json:"sha256"`
	}
	// opened says how a file was taken up that has no line yet, or whose last
	// line doesn't say that the log was closed.
	opened struct {
		Event    string `json:"event"`
		Instance int    `json:"instance"`
		After    string `json:"after,omitempty"`
		Note     string `json:"note,omitempty"`
	}
	closed struct {
		Event    string `json:"event"`
		Instance int    `json:"instance"`
	}
)

// Sanitized bounds what a client calls itself as Postgres does with
// application_name: 63 bytes, and a question mark for what isn't printable
// ASCII.
func Sanitized(name string) string {
	b := []byte(name[:min(len(name), 63)])
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = '?'
		}
	}
	return string(b)
}
