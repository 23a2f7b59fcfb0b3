// Package index finds the part of a schema that a question is about: it weighs
// the words of tables, columns, comments, metrics and values and returns the
// nearest tables, joined up through their keys, so that a planner or a model
// sees a page and not a warehouse.
package index
