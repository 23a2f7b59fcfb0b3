package foreign

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxFile bounds a file in bytes.
const maxFile = 8 << 20

// Document is one YAML document of a file.
type Document struct {
	File    string
	root    *yaml.Node // a mapping
	reasons map[string]string
	model   *Model
}

// Place is where something stands.
type Place struct {
	File string
	Line int
}

func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

func (d *Document) at(n *yaml.Node) Place { return Place{d.File, n.Line} }

// has tells whether the document has a key at its top.
func (d *Document) has(key string) bool {
	for i := 0; i < len(d.root.Content); i += 2 {
		if d.root.Content[i].Value == key {
			return true
		}
	}
	return false
}

// read splits a file into its documents; those that are no mappings hold nothing.
func read(s Source) ([]*Document, error) {
	if len(s.Text) > maxFile {
		return nil, fmt.Errorf("%s: the file is larger than %d MiB", s.Name, maxFile>>20)
	}
	var out []*Document
	for decoder := yaml.NewDecoder(bytes.NewReader(s.Text)); ; {
		var n yaml.Node
		err := decoder.Decode(&n)
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil && templateLine(s.Text) > 0:
			return nil, fmt.Errorf("%s:%d: a template stands here, which only its own tool can fill in; import what it makes of it", s.Name, templateLine(s.Text))
		case err != nil:
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		if len(n.Content) == 1 && n.Content[0].Kind == yaml.MappingNode {
			out = append(out, &Document{File: s.Name, root: n.Content[0]})
		}
	}
}

// templateLine is the first line that a template language controls, or 0.
func templateLine(text []byte) int {
	for i, line := range strings.Split(string(text), "\n") {
		if Templated(line) {
			return i + 1
		}
	}
	return 0
}

// Templated tells whether a text holds Jinja, whose result isn't known here.
func Templated(text string) bool {
	return strings.Contains(text, "{{") || strings.Contains(text, "{%") || strings.Contains(text, "{#")
}
