// Package proxy carries Postgres's wire protocol between clients and backends:
// it accepts, authenticates, connects and then relays frame for frame, one
// client frame to one backend frame. It judges nothing itself: statement texts
// go through a [Decider].
//
// A [Server] is made of [Options]. What may have a session, and which backend
// it gets, is the [Gate]'s to say. A session has two directions:
//
//	client → upstream   → backend   table in upstream.go: pass, judge, end; all else is refused
//	client ← downstream ← backend   errors, completions and counted rows are looked at; all else passes
//
// Both run in turns on one event loop (turn.go): a direction goes on until
// nothing is there to read, the other side has more to take first, or the frame
// at hand has to wait. Nothing blocks there: what takes long, deciding
// (decide.go) and the end of a session (finish.go), is done aside and posts what
// came of it.
//
// What connects the directions is a queue of the replies owed, in the order of
// the client's messages (owed.go). It says whose rows are coming, which error is
// a refusal's, and when nothing is owed any more. After an error in an extended
// batch Postgres skips to the Sync; so does the queue (replies.go).
//
// A refused statement is replaced by a planted word, which Postgres complains
// about; the complaint is replaced by the refusal. See ARCHITECTURE.md, "The
// planted statement".
//
// The one row of an answer that is told in words or drawn is replaced, too, by what is
// made of it aside, while the backend's direction is held (tale.go).
//
// Where backends are lent ([Lender]), a session has one for a transaction only
// (lend.go). The client's prepared statements are found again on whatever backend
// comes (lent.go); what else a text may leave behind keeps the backend
// (lent_effects.go). Nobody but the proxy answers a client that gets none
// (queued.go).
//
// No state of a session can last for ever: logging in, connecting, cancelling,
// ending and doing nothing each have a limit ([Limits]). How long a statement
// runs is Postgres's to limit.
package proxy
