// Package wire frames the Postgres protocol: it peeks at message headers,
// forwards bytes without decoding them, and decodes or builds the few messages
// that are judged or made, into memory the caller owns. It is the only user of
// pgproto3.
package wire
