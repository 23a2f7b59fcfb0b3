// Package semantic gives a schema its meaning: metrics with their grain and
// additivity, entities, synonyms, descriptions and the relationships that
// foreign keys don't declare. A Model is semantic.yaml resolved against a
// catalog snapshot; what it names that isn't there is a fault.
package semantic
