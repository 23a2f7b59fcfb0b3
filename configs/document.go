package configs

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxFile bounds a file in bytes; the largest sensible policy has a few
// hundred KiB.
const maxFile = 8 << 20

// syntaxLine finds the line in the YAML scanner's messages.
var syntaxLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

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
	msg := err.Error()
	at := v
	line, found := brokenLine(data)
	if m := syntaxLine.FindStringSubmatch(msg); !found && m != nil {
		line, _ = strconv.Atoi(m[1]) // no number is line 0, the whole file
	}
	at.node = &yaml.Node{Line: line}
	msg = syntaxLine.ReplaceAllString(msg, "")
	at.fault("not YAML: %s", strings.ReplaceAll(msg, "\n", " "))
	return v
}

// searchBudget bounds the bytes that brokenLine parses. A file of 400 lines
// needs about 3 MiB.
const searchBudget = 8 << 20

// brokenLine is the line after the longest run of lines from the start that is
// YAML by itself: there stands the bad indentation, or what was never closed.
func brokenLine(data []byte) (line int, found bool) {
	budget, end, count := searchBudget, 0, 0
	for end < len(data) {
		var doc yaml.Node
		if i := bytes.IndexByte(data[end:], '\n'); i >= 0 {
			end += i + 1
		} else {
			end = len(data)
		}
		count++
		if budget -= end; budget < 0 {
			return 0, false
		}
		if err := yaml.Unmarshal(data[:end], &doc); err == nil {
			line = count
		}
	}
	return line + 1, true
}
