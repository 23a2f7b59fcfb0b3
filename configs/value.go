package configs

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

const (
	// maxDepth bounds nesting in a file; the deepest real key has 8 levels.
	maxDepth = 32
	// maxNodes bounds what aliases can blow a small file up to.
	maxNodes = 200_000
)

// decoder reads one file. It collects faults instead of stopping at the first.
type decoder struct {
	file   string
	faults []Fault
	wrong  int  // faults that are no warnings
	nodes  int  // values visited
	full   bool // nodes passed maxNodes, and that was said
	// lookup finds environment variables, for secrets.
	lookup func(string) (string, bool)
}

// value is a place in a file: a node and the dotted key that leads there.
type value struct {
	d     *decoder
	node  *yaml.Node
	key   string
	depth int
	// schema, unless nil, is made instead of reading anything: setters describe
	// what they would take.
	schema schema
}

// setter stores what a value holds, or notes why it can't.
type setter func(value)

// fields are the keys that a mapping may have.
type fields map[string]setter

// pos is where the value stands.
func (v value) pos() Pos { return Pos{File: v.d.file, Line: v.node.Line} }

// fault notes something wrong with the value.
func (v value) fault(format string, args ...any) { v.note(false, format, args...) }

// warn notes something that works, but not as it looks.
func (v value) warn(format string, args ...any) { v.note(true, format, args...) }

func (v value) note(warning bool, format string, args ...any) {
	if v.schema != nil {
		return
	}
	if !warning {
		v.d.wrong++
	}
	v.d.faults = append(v.d.faults, Fault{Pos: v.pos(), Key: v.key, Msg: fmt.Sprintf(format, args...), Warning: warning})
}

// child is a value inside this one, aliases followed.
func (v value) child(node *yaml.Node, key string) value {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	v.d.nodes++
	return value{d: v.d, node: node, key: key, depth: v.depth + 1}
}

// dotted is the key of a child by name.
func (v value) dotted(name string) string {
	if v.key == "" {
		return name
	}
	return v.key + "." + name
}

// tooLarge stops at what only an attack or an accident with aliases makes.
func (v value) tooLarge() bool {
	switch {
	case v.depth > maxDepth:
		v.fault("nested more than %d levels deep", maxDepth)
		return true
	case v.d.nodes > maxNodes:
		if !v.d.full {
			v.d.full = true
			v.fault("more than %d values, aliases counted each time", maxNodes)
		}
		return true
	}
	return false
}

// null is a key without a value, which is as good as no key.
func (v value) null() bool {
	return v.node.Kind == yaml.ScalarNode && v.node.ShortTag() == "!!null"
}

// kind words what the file has, for "expected …, got …".
func (v value) kind() string {
	switch v.node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch v.node.ShortTag() {
	case "!!bool":
		return "true or false"
	case "!!int", "!!float":
		return "a number"
	case "!!null":
		return "nothing"
	}
	return "text"
}

// object reads a mapping whose keys are known.
func (v value) object(f fields) {
	if v.schema != nil {
		v.schema.object(v, f)
		return
	}
	v.entries(func(name string, child value) {
		set, known := f[name]
		if !known {
			child.fault("unknown key; %s", suggestion(name, keys(f)))
			return
		}
		if !child.null() {
			set(child)
		}
	})
}

// entries visits the pairs of a mapping, in the file's order. The second of
// two equal keys is a fault and is not visited.
func (v value) entries(visit func(name string, child value)) {
	if v.schema != nil {
		v.schema.entries(v, visit)
		return
	}
	if v.null() || v.tooLarge() {
		return
	}
	if v.node.Kind != yaml.MappingNode {
		v.fault("expected a mapping of keys, got %s", v.kind())
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		k, n := v.node.Content[i], v.node.Content[i+1]
		if k.Kind != yaml.ScalarNode {
			v.child(k, v.key).fault("a key must be a plain word")
			continue
		}
		if line, twice := seen[k.Value]; twice {
			v.child(k, v.dotted(k.Value)).fault("duplicate key, first on line %d", line)
			continue
		}
		seen[k.Value] = k.Line
		visit(k.Value, v.child(n, v.dotted(k.Value)).at(k))
	}
}

// at places a block value and an alias on the line of its key, where a reader
// looks for them.
func (v value) at(k *yaml.Node) value {
	n := *v.node
	n.Line = k.Line
	v.node = &n
	return v
}

// items visits the elements of a list.
func (v value) items(visit func(i int, child value)) {
	if v.schema != nil {
		v.schema.items(v, visit)
		return
	}
	if v.null() || v.tooLarge() {
		return
	}
	if v.node.Kind != yaml.SequenceNode {
		v.fault("expected a list, got %s", v.kind())
		return
	}
	for i, n := range v.node.Content {
		visit(i, v.child(n, fmt.Sprintf("%s[%d]", v.key, i)))
	}
}

// scalar is the text of a single value, however it is written.
func (v value) scalar(expected string) (string, bool) {
	if v.schema != nil {
		v.schema.any()
		return "", false
	}
	if v.node.Kind != yaml.ScalarNode || v.null() {
		v.fault("expected %s, got %s", expected, v.kind())
		return "", false
	}
	return v.node.Value, true
}

// peek is the text of a scalar inside a mapping, or "".
func (v value) peek(key string) string {
	if v.node.Kind != yaml.MappingNode {
		return ""
	}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		if k, n := v.node.Content[i], v.node.Content[i+1]; k.Value == key && n.Kind == yaml.ScalarNode {
			return n.Value
		}
	}
	return ""
}

// join lists words for people.
func join(words []string) string { return strings.Join(words, ", ") }
