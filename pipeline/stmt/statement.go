package stmt

import pg_query "github.com/pganalyze/pg_query_go/v5"

// Statement is one statement of a message.
type Statement struct {
	// Text is the statement as it was written, without the semicolon that
	// ended it.
	Text string
	// Start is the byte of the message from which Tree's locations count.
	Start int
	// Tree is the parsed statement; nil for an Ask (with or without PREPARE).
	Tree *pg_query.Node
	// Ask is the ASK statement, where it is one.
	Ask *Ask
	// Prepare is set for PREPARE name [(types)] AS ASK …, whose Ask is above.
	Prepare *Prepare
	// Tag is what the leading comments say.
	Tag Tag
}

// Prepare is the head of PREPARE name AS ASK …
type Prepare struct {
	Name string
}

// Tag is what leading comments ask for.
type Tag struct {
	// Question of /* ask: … */ or -- ask: …; the statement's own text is then
	// only what a tool insists on.
	Question string
	// Governed by /* pgask: governed */.
	Governed bool
}

// Ask is one ASK statement.
type Ask struct {
	Form     Form
	Question string
	// Plan is the JSON behind USING PLAN, HasPlan whether it was given.
	Plan    string
	HasPlan bool
	// Reading is n of READING n, 0 without.
	Reading int
	// Columns is WITH (columns = '…'), Format WITH (format = …).
	Columns string
	Format  string
}

// Form is the word behind ASK.
type Form int

// The forms of ASK. The zero Form is the answer's rows.
const (
	FormRows Form = iota
	FormSQL
	FormPlan
	FormExplain
	FormNarrate
	FormChart
	FormApprove
	FormMore
	FormRevoke
)
