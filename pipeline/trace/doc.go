// Package trace keeps what happened to a question: one JSON file for each, with
// its stages, what models were asked and said, and how it ended. Secrets are
// taken out, rows never come in. It can be read again and compared with what
// happens to the same question now.
package trace
