// Package thesaurus knows English words that mean the same as others, or something
// broader, and irregular plurals. What it knows is boiled down from WordNet 3.0
// (LICENSE.wordnet). It is searched where it lies in the program, so it takes
// neither time nor memory before it is asked.
//
// words.txt and plurals.txt are made from the database files of Debian's package
// wordnet-base, which must be installed for go generate.
package thesaurus

//go:generate go run ./make /usr/share/wordnet
