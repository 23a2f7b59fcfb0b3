package configs

import "regexp"

// PolicyCases is a file of `pgask policy test`: statements, who sends them, and
// what must become of them.
type PolicyCases struct {
	Cases []PolicyCase
}

// PolicyCase is one session's statements. Without User it is that of somebody
// who has nothing but Roles and Attributes.
type PolicyCase struct {
	Pos  Pos
	Name string
	User string
	// Roles and Attributes, unless nil, stand in place of the user's.
	Roles      []string
	Attributes map[string]any
	// Database is empty where the roles may use one only.
	Database string
	// Offline cases hold without a schema too.
	Offline bool
	Steps   []PolicyStep
}

// PolicyStep is one message of a session, with what is expected of it. A nil
// list or expression expects nothing in particular.
type PolicyStep struct {
	Pos       Pos
	Statement string
	Expect    string // allowed | denied | an SQLSTATE
	Message   string // part of the refusal's text
	Tables    []Name
	Scopes    []string // as SHOW pgask.last has them
	Masked    []ColumnRef
	Columns   []string
	RowCap    *int64
	SQL       *regexp.Regexp // is found in what would be sent
	Golden    string         // path of a file that holds it, laid out for reading
}

// Verdicts of a step besides SQLSTATEs: Denied is any refusal by the policy.
const (
	Allowed = "allowed"
	Denied  = "denied"
)
