// Package answer says what must be said about an answer: the notice that names
// source, scopes and qualifiers, and its rows in words or as a chart. No
// qualifier can be left out.
//
// Rows come as Postgres has gathered them ([Read]). What kind of answer they are
// (shape.go) decides how they are told by the template ([Narrate]), and drawn as
// Vega-Lite ([Chart]) or in characters ([TextChart]). What a model says of them
// is held against their numbers first ([Check]).
package answer
