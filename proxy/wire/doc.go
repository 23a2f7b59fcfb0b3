// Package wire frames the Postgres protocol: it peeks at message headers,
// forwards bytes without decoding them, and decodes or builds the few messages
// that are judged or made. What it decodes is validated before use and stays in
// the memory of the caller.
package wire
