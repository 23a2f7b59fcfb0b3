package pgtest

import "github.com/pgask/pgask/proxy/wire"

// Row builds a DataRow of text values.
func Row(values ...string) []byte {
	parts := []any{int16(len(values))}
	for _, v := range values {
		parts = append(parts, int32(len(v)), []byte(v))
	}
	return Frame(wire.DataRow, parts...)
}

// Columns builds a RowDescription of text columns.
func Columns(names ...string) []byte {
	parts := []any{int16(len(names))}
	for _, n := range names {
		parts = append(parts, n, int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0))
	}
	return Frame(wire.RowDescription, parts...)
}

// Complete builds a CommandComplete.
func Complete(tag string) []byte { return Frame(wire.CommandComplete, tag) }

// Ready builds a ReadyForQuery.
func Ready(status byte) []byte { return wire.AppendReadyForQuery(nil, status) }

// Error builds an ErrorResponse.
func Error(severity, code, message string) []byte {
	return wire.AppendErrorResponse(nil, wire.Report{Severity: severity, Code: code, Message: message})
}
