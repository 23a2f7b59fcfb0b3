// Package index finds the part of a schema that a question is about: it embeds
// tables, columns, metrics and values and returns the nearest, so that a
// planner or a model sees a page and not a warehouse.
package index
