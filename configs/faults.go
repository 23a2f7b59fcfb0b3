package configs

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
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

// listIndex is the number of a list's item at the end of a key.
var listIndex = regexp.MustCompile(`\[\d+\]$`)

// named replaces the number of a list's item in a key by its name, which
// people look for.
func (v value) named(name string) value {
	if name != "" {
		v.key = listIndex.ReplaceAllString(v.key, "") + "." + name
	}
	return v
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

// need notes a required key that is missing, unless its value was faulty.
func (v value) need(before int, key string, there bool) {
	if !there && v.d.wrong == before {
		v.fault("%s is missing", key)
	}
}
