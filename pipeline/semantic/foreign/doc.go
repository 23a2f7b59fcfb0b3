// Package foreign is what the importers of other tools' semantic models share: which tool a document is of,
// where things stand in it, what is made of them, and notes of what has no place in that.
package foreign
