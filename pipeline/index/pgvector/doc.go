// Package pgvector keeps the vectors of the schema index in a Postgres database
// with the extension vector, for all instances of pgask that are told of it. Each
// edition of a database's chunks is a table of its own with an HNSW index, made
// beside the one that is searched; a row says which one that is.
package pgvector
