// Command make boils WordNet down to the files of package thesaurus: the nouns and
// adjectives that share a sense which is among the first of both, and for nouns
// what is one step broader.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run writes words.txt and plurals.txt into the current folder.
func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("need the folder of WordNet's database files, which Debian's wordnet-base installs")
	}
	n, err := read(os.DirFS(args[0]))
	if err != nil {
		return fmt.Errorf("read WordNet: %w", err)
	}
	if err := os.WriteFile("words.txt", []byte(n.words()), 0o644); err != nil {
		return err
	}
	return os.WriteFile("plurals.txt", []byte(n.plurals()), 0o644)
}
