// Package redact decides what a governed client may read of an error or a
// notice of Postgres's.
//
// The SQLSTATE always stays. A message stays word for word only where it is one
// that messages.txt lists and everything variable in it is the client's own:
// names that it typed or may see, built-in types, operators, numbers of
// columns. A value stays only where the error points at that very constant in
// the client's text, because the same words could as well be a row's that the
// role may not see. What isn't listed becomes the name of its SQLSTATE.
package redact
