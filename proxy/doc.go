// Package proxy carries Postgres's wire protocol between clients and backends:
// it accepts, authenticates, connects and then relays frame for frame, one
// client frame to one backend frame. It judges nothing itself: statement texts
// go through a Decider. See ARCHITECTURE.md, "The planted statement".
package proxy
