// Package index finds the part of a schema that a question is about, so that a
// planner or a model sees a page and not a warehouse. An [Index] is what one role
// may see: it weighs the words of tables, columns, comments, metrics and values.
// A [Store] has vectors of chunks of the whole schema, made by an [Embedder], for
// everybody. [Index.Tables] unites what both find, less what the role may not see,
// and joins it up through keys.
package index
