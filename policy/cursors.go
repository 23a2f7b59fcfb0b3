package policy

import (
	"crypto/sha256"
	"encoding/hex"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// Cursor options as in parsenodes.h.
const (
	cursorBinary      = 0x0001
	cursorScroll      = 0x0002
	cursorNoScroll    = 0x0004
	cursorInsensitive = 0x0008
	cursorAsensitive  = 0x0010
	cursorHold        = 0x0020
	cursorFastPlan    = 0x0100
	cursorKnown       = cursorBinary | cursorScroll | cursorNoScroll | cursorInsensitive | cursorAsensitive | cursorFastPlan
)

// declare judges the query of a cursor. WITH HOLD would keep its rows beyond
// the transaction, and beyond the policy that allowed it.
func (j *judge) declare(n *pg_query.Node, d *pg_query.DeclareCursorStmt) (*pg_query.Node, Facts, error) {
	if d.Options&cursorHold != 0 {
		return nil, Facts{}, unsupported("WITH HOLD", "Open the cursor inside a transaction block, without WITH HOLD.")
	}
	if d.Options&^cursorKnown != 0 {
		return nil, Facts{}, unsupported("this kind of cursor", "Use DECLARE name CURSOR FOR SELECT ….")
	}
	query, f, err := j.inner(d.Query)
	if err != nil {
		return nil, Facts{}, err
	}
	d.Query = query
	d.Portalname = j.cursorName(d.Portalname)
	f.Tag, f.Rows, f.Cursor = "DECLARE CURSOR", false, d.Portalname
	return n, f, nil
}

// inner judges the query inside another statement.
func (j *judge) inner(n *pg_query.Node) (*pg_query.Node, Facts, error) {
	if n.GetSelectStmt() == nil {
		return nil, Facts{}, refusedKind(n)
	}
	return j.topSelect(n)
}

// fetch covers FETCH and MOVE.
func (j *judge) fetch(n *pg_query.Node, f *pg_query.FetchStmt) (*pg_query.Node, Facts, error) {
	f.Portalname = j.cursorName(f.Portalname)
	facts := Facts{Tag: "FETCH", Rows: true, Cursor: f.Portalname, Cap: j.view.role.Limits.Rows}
	if f.Ismove {
		facts.Tag, facts.Rows = "MOVE", false
	}
	facts.Backward = f.Direction != pg_query.FetchDirection_FETCH_FORWARD || f.HowMany < 0
	return n, facts, nil
}

func (j *judge) closeCursor(n *pg_query.Node, c *pg_query.ClosePortalStmt) (*pg_query.Node, Facts, error) {
	if c.Portalname != "" {
		c.Portalname = j.cursorName(c.Portalname)
	}
	return n, Facts{Tag: "CLOSE CURSOR", Cursor: c.Portalname}, nil
}

// cursorName is the name that Postgres gets: the printer leaves cursor names
// unquoted, so one that needs quotes is replaced, always by the same. So is one
// that looks like a replacement.
func (j *judge) cursorName(name string) string {
	if j.verify {
		return name
	}
	return CursorName(name)
}

// CursorName is what Postgres gets as the name of a client's cursor.
func CursorName(name string) string {
	if plainIdentifier(name) && len(name) < len(cursorPrefix)+cursorDigits && !reservedWord(name) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return cursorPrefix + hex.EncodeToString(sum[:])[:cursorDigits]
}

const (
	cursorPrefix = "pgask_cursor_"
	cursorDigits = 32
)

// reservedWord tells whether a name means something in FETCH and MOVE, or
// can't be a name at all.
func reservedWord(name string) bool {
	return !bareCursor(name)
}
