// Package transaction holds the parts of transaction pooling that decide and
// don't act: no I/O, no goroutines, no clock.
//
// How a session uses it, v being a Values of the client and b the backend's:
//
//	v.Note(name, value)                    // every ParameterStatus of the greeting, and later those that the client is sent;
//	b.Note(name, value)                    // of a backend: its greeting, and every one ever after, injected batches' too
//	effects := Scan(text, v.Reported())    // of each Query and Parse, before it goes on; Pins: keep the backend from here to the end
//	effects.Has(DiscardsAll)               // and it worked: by CommandComplete's tag; nothing pins any more, held.Clear(), forget the client's names
//	frames, err := AppendRestore(nil, &v, &b) // at attach: send them first, swallow all up to ReadyForQuery; an ErrorResponse: close the backend
//	st, err := table.Intern(Rest(body))    // a client's Parse by name, table being the pool's; Release(st) at Close, replacement, end
//	if !held.Has(st.Name()) {              // at a Parse, Bind or Describe of it, held being the backend's
//		evict := held.Add(st.Name())   // inject Close of evict, if any, and st.AppendParse, before the client's frame
//	}                                      // an error skips what follows it up to Sync: Drop what was not parsed, Keep what was not closed
//
// An unnamed statement isn't interned: it lives until the next one. Effects of a
// Parse count when it is executed; to take them at once is safe. A client's own
// SQL-level names (Names) are the backend's only where it is pinned.
package transaction
