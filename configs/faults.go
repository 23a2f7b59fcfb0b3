package configs

import (
	"cmp"
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"
)

// Faulty tells whether any of the faults makes the configuration unusable;
// warnings don't.
func Faulty(faults []Fault) bool {
	return slices.ContainsFunc(faults, func(f Fault) bool { return !f.Warning })
}

// sorted orders one file's faults by line, and leaves equal lines as found.
func sorted(faults []Fault) []Fault {
	slices.SortStableFunc(faults, func(a, b Fault) int { return cmp.Compare(a.Pos.Line, b.Pos.Line) })
	return faults
}

// twice notes words that a list holds more than once.
func (v value) twice(key string, words []string) {
	seen := map[string]bool{}
	for _, w := range words {
		if seen[w] {
			v.fault("%s: %s is listed twice", key, w)
		}
		seen[w] = true
	}
}

// unique notes the second entry of a name in a file.
func (v value) unique(seen map[string]Pos, name, key string, pos Pos) {
	first, taken := seen[name]
	if !taken {
		seen[name] = pos
		return
	}
	if name == "" {
		return // its missing name is a fault already
	}
	v.d.wrong++
	v.d.faults = append(v.d.faults, Fault{Pos: pos, Key: key, Msg: fmt.Sprintf("a second one of this name, first on line %d", first.Line)})
}

// need notes a required key that is missing or empty. One that is there with a
// faulty value has its fault already.
func (v value) need(key string, there bool) {
	if v.schema != nil {
		v.schema.need(key)
		return
	}
	if there || v.node.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		if k, n := v.node.Content[i], v.node.Content[i+1]; k.Value == key && (n.Kind != yaml.ScalarNode || n.Value != "") {
			return
		}
	}
	v.fault("%s is missing", key)
}
