// Package plans keeps the plans of questions: those to use again in memory, those that
// were approved in a file, or both in a Postgres that instances share. It knows nothing
// of what a plan means: whoever asks for one validates it again.
package plans
