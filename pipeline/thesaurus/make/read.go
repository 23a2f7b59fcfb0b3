package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// sense is where a set of synonyms stands: the letter of its part of speech and
// the offset in its file, as in n07942152.
type sense string

// synset is a set of synonyms.
type synset struct {
	words   []string
	broader []sense
	// topic is the number of WordNet's file that it is from; name tells that it names one
	// thing, such as a city.
	topic int
	name  bool
}

// net is what is read of WordNet. See wndb(5) for the format of its files.
type net struct {
	synsets map[sense]synset
	// senses of a word, the most usual first, by part of speech and word.
	senses map[string][]sense
	// used are the words that somebody has met in texts, in any sense.
	used map[string]bool
	// singulars of irregular plurals.
	singulars map[string]string
}

// kinds are the parts of speech that are read, with the names of their files.
var kinds = []struct{ letter, file string }{{"n", "noun"}, {"a", "adj"}}

// read reads WordNet's database files.
func read(dir fs.FS) (*net, error) {
	n := &net{map[sense]synset{}, map[string][]sense{}, map[string]bool{}, map[string]string{}}
	for _, k := range kinds {
		if err := lines(dir, "data."+k.file, func(f []string) error { return n.addSynset(k.letter, f) }); err != nil {
			return nil, err
		}
		if err := lines(dir, "index."+k.file, func(f []string) error { return n.addWord(k.letter, f) }); err != nil {
			return nil, err
		}
	}
	err := lines(dir, "cntlist.rev", func(f []string) error {
		word, _, _ := strings.Cut(f[0], "%")
		n.used[word] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	return n, lines(dir, "noun.exc", func(f []string) error {
		if len(f) < 2 {
			return fmt.Errorf("%q has no singular", f)
		}
		n.singulars[f[0]] = f[1]
		return nil
	})
}

// lines gives the fields of each line of a file to f. Lines that begin with a
// blank are the licence; behind a bar stands a gloss.
func lines(dir fs.FS, name string, f func(fields []string) error) error {
	text, err := fs.ReadFile(dir, name)
	if err != nil {
		return err
	}
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, 1<<20)
	for at := 1; s.Scan(); at++ {
		if strings.HasPrefix(s.Text(), " ") {
			continue
		}
		data, _, _ := strings.Cut(s.Text(), "|")
		fields := strings.Fields(data)
		if len(fields) == 0 {
			continue
		}
		if err := f(fields); err != nil {
			return fmt.Errorf("%s: line %d: %w", name, at, err)
		}
	}
	return s.Err()
}

// addSynset reads: offset, topic, type, number of words in hexadecimal, each word with a
// number, number of pointers, each as symbol, offset, part of speech and words.
func (n *net) addSynset(letter string, f []string) error {
	if len(f) < 6 {
		return fmt.Errorf("%d fields", len(f))
	}
	topic, err := strconv.Atoi(f[1])
	if err != nil {
		return err
	}
	count, err := strconv.ParseUint(f[3], 16, 8)
	if err != nil {
		return err
	}
	at := 4 + 2*int(count)
	if len(f) <= at {
		return fmt.Errorf("%d words and %d fields", count, len(f))
	}
	s := synset{topic: topic}
	for i := 4; i < at; i += 2 {
		word, _, _ := strings.Cut(f[i], "(") // an adjective's place: galore(ip)
		s.words = append(s.words, word)
	}
	pointers, err := strconv.Atoi(f[at])
	if err != nil {
		return err
	}
	if len(f) < at+1+4*pointers {
		return fmt.Errorf("%d pointers and %d fields", pointers, len(f))
	}
	for i := at + 1; i < at+1+4*pointers; i += 4 {
		switch {
		case f[i] == "@" && f[i+2] == letter:
			s.broader = append(s.broader, sense(letter+f[i+1]))
		case f[i] == "@i":
			s.name = true
		}
	}
	n.synsets[sense(letter+f[0])] = s
	return nil
}

// addWord reads: word, part of speech, number of senses, …, and the offsets of
// its senses at the end.
func (n *net) addWord(letter string, f []string) error {
	if len(f) < 4 {
		return fmt.Errorf("%d fields", len(f))
	}
	count, err := strconv.Atoi(f[2])
	if err != nil || count > len(f)-3 {
		return fmt.Errorf("%s senses and %d fields", f[2], len(f))
	}
	for _, offset := range f[len(f)-count:] {
		n.senses[letter+f[0]] = append(n.senses[letter+f[0]], sense(letter+offset))
	}
	return nil
}
