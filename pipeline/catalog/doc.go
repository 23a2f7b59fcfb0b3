// Package catalog holds a snapshot of a database's schema: relations, columns,
// types, comments, keys, other objects, row estimates and samples of values. The snapshot's
// types are pure and immutable once built; Read makes one from a live server.
package catalog
