// Package plans keeps the plans of questions: in memory, or in a Postgres that
// instances share. It keeps texts under keys and knows nothing of what they mean:
// whoever asks for a plan validates it again.
package plans
