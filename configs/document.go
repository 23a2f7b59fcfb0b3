package configs

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxFile bounds a file in bytes; the largest sensible policy has a few
// hundred KiB.
const maxFile = 8 << 20

// syntaxPrefix is the beginning of the YAML scanner's messages.
var syntaxPrefix = regexp.MustCompile(`^yaml: (?:line \d+: )?`)

// open parses a file's bytes. An empty file gives a value that is null, which
// every reader takes as a mapping without keys; a file that isn't YAML gives
// the same and a fault.
func open(file string, data []byte) value {
	d := &decoder{file: file, lookup: os.LookupEnv}
	empty := value{d: d, node: &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: 1}}
	if len(data) > maxFile {
		empty.fault("the file is larger than %d MiB", maxFile>>20)
		return empty
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return empty
	case err != nil:
		return empty.syntax(data, err)
	case doc.Kind != yaml.DocumentNode || len(doc.Content) != 1:
		return empty
	}
	switch err := decoder.Decode(&second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		return empty.syntax(data, err)
	default:
		at := value{d: d, node: &second}
		at.fault("a second document starts here; a file holds one")
	}
	root := value{d: d}.child(doc.Content[0], "")
	return root
}

// syntax notes a text that isn't YAML. The scanner names the line where the
// surrounding block began; the line that broke it is looked for.
func (v value) syntax(data []byte, err error) value {
	at := v
	at.node = &yaml.Node{Line: brokenLine(data)}
	msg := syntaxPrefix.ReplaceAllString(err.Error(), "")
	at.fault("not YAML: %s", strings.ReplaceAll(msg, "\n", " "))
	return v
}

// lookAhead is how many lines a value may stretch over, such as a list in
// brackets, whose beginning alone is not YAML.
const lookAhead = 20

// brokenLine is the line after the longest run of lines from the start that is
// YAML by itself: there stands the bad indentation, or what was never closed.
func brokenLine(data []byte) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	parses := func(n int) bool {
		var doc yaml.Node
		return yaml.Unmarshal(bytes.Join(lines[:n], nil), &doc) == nil
	}
	good, bad := 0, len(lines)
	for good+1 < bad {
		if middle := (good + bad) / 2; parses(middle) {
			good = middle
		} else {
			bad = middle
		}
	}
	for n := good + 1; n <= min(good+lookAhead, len(lines)-1); n++ {
		if parses(n) {
			good = n
		}
	}
	return good + 1
}
