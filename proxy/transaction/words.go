package transaction

import "strings"

// name is a word that means something here.
type name uint8

const (
	nothing  name = iota // a symbol, a string, or the beginning
	ordinary             // any other word
	wordAll
	wordBegin
	wordCharacteristics
	wordCommit
	wordCreate
	wordCursor
	wordDeallocate
	wordDeferrable
	wordDiscard
	wordDo
	wordDrop
	wordElse
	wordExecute
	wordFunction
	wordGlobal
	wordHold
	wordInsert
	wordInto
	wordIsolation
	wordListen
	wordLoad
	wordLocal
	wordLoop
	wordMerge
	wordNames
	wordNot
	wordOn
	wordPrepare
	wordProcedure
	wordRead
	wordReplace
	wordReset
	wordSchema
	wordSession
	wordSet
	wordSnapshot
	wordTemp
	wordThen
	wordTime
	wordTo
	wordTransaction
	wordTrue
	wordUpdate
	wordWith
	wordZone
	nameSettings // pg_settings, whose rule on update is set_config
	nameSetConfig
	nameLeaves // a function or schema whose use leaves something behind
)

// spelling is a word and how it is written, in lower case.
type spelling struct {
	text string
	name name
}

// spellings are the words by their length.
var spellings = [...][]spelling{
	2: {{"do", wordDo}, {"on", wordOn}, {"to", wordTo}},
	3: {{"all", wordAll}, {"not", wordNot}, {"set", wordSet}},
	4: {{"drop", wordDrop}, {"else", wordElse}, {"hold", wordHold}, {"into", wordInto}, {"load", wordLoad}, {"loop", wordLoop},
		{"read", wordRead}, {"temp", wordTemp}, {"then", wordThen}, {"time", wordTime}, {"true", wordTrue}, {"with", wordWith}, {"zone", wordZone}},
	5: {{"begin", wordBegin}, {"local", wordLocal}, {"merge", wordMerge}, {"names", wordNames}, {"reset", wordReset}},
	6: {{"commit", wordCommit}, {"create", wordCreate}, {"cursor", wordCursor}, {"global", wordGlobal}, {"insert", wordInsert},
		{"listen", wordListen}, {"schema", wordSchema}, {"update", wordUpdate}},
	7: {{"discard", wordDiscard}, {"execute", wordExecute}, {"prepare", wordPrepare}, {"replace", wordReplace}, {"session", wordSession},
		{"setseed", nameLeaves}},
	8:  {{"function", wordFunction}, {"snapshot", wordSnapshot}},
	9:  {{"isolation", wordIsolation}, {"procedure", wordProcedure}, {"set_limit", nameLeaves}, {"temporary", wordTemp}},
	10: {{"deallocate", wordDeallocate}, {"deferrable", wordDeferrable}, {"set_config", nameSetConfig}},
	11: {{"pg_settings", nameSettings}, {"transaction", wordTransaction}},
	15: {{"characteristics", wordCharacteristics}},
}

// initials are the letters that words of a length begin with, a as the lowest
// bit: most of a text's words end here.
var initials = func() (letters [len(spellings)]uint32) {
	for length, all := range spellings {
		for _, s := range all {
			letters[length] |= 1 << (s.text[0] - 'a')
		}
	}
	return letters
}()

// leaves are beginnings of names: temporary schemas, and functions that take
// session-level locks, connections or a replication origin.
var leaves = [...]string{"pg_temp", "pg_advisory_lock", "pg_try_advisory_lock", "pg_replication_origin_session_", "dblink_connect"}

// meaning is what a word or a quoted identifier stands for.
func (t token) meaning() name {
	switch t.kind {
	case word:
	case quoted: // never a keyword
		if n := lookup(t.text); n >= nameSettings {
			return n
		}
		return ordinary
	default:
		return nothing
	}
	return lookup(t.text)
}

func lookup(text string) name {
	if n := len(text); n > 0 && n < len(spellings) && initials[n]&(1<<(text[0]|0x20-'a')) != 0 {
		for _, s := range spellings[len(text)] {
			if s.text[0] == text[0]|0x20 && fold(text, s.text) {
				return s.name
			}
		}
	}
	if len(text) < len("pg_temp") || text[0]|0x20 != 'p' && text[0]|0x20 != 'd' {
		return ordinary
	}
	for _, prefix := range leaves {
		if len(text) >= len(prefix) && fold(text[:len(prefix)], prefix) {
			return nameLeaves
		}
	}
	return ordinary
}

// fold compares two strings of the same length, the second in lower case, as
// Postgres compares keywords: only ASCII has cases.
func fold(s, lower string) bool {
	for i := 0; i < len(lower); i++ {
		b := s[i]
		if b >= 'A' && b <= 'Z' {
			b |= 0x20
		}
		if b != lower[i] {
			return false
		}
	}
	return true
}

// temporary reports whether a string may name a temporary schema.
func temporary(t token) bool {
	if t.spells() {
		return true
	}
	const name = "pg_temp"
	for rest := t.text; ; {
		n := strings.IndexByte(rest, '_')
		if n < 0 {
			return false
		}
		if n >= 2 && len(rest) >= n+5 && fold(rest[n-2:n+5], name) {
			return true
		}
		rest = rest[n+1:]
	}
}
