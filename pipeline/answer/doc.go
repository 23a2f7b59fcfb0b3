// Package answer says what must be said about an answer: the notice that
// names source, scopes and qualifiers. No qualifier can be left out.
package answer
