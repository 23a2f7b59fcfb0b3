package configs

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// SchemaFiles are the kinds of file that have a JSON schema, by its name.
func SchemaFiles() []string { return slices.Sorted(maps.Keys(described())) }

// Schema is the JSON schema of a kind of file, for editors to complete and
// check it by. It is made from the code that reads the file: setters describe
// what they would take. What concerns several keys at once only reading finds
// out.
func Schema(kind string) []byte {
	root := schema{}
	value{d: &decoder{file: kind}, node: &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}, schema: root}.object(described()[kind])
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = kind + ".yaml of pgask"
	orNull(root)
	root.document(descriptionsOf(kind), "")
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic("configs: schema: " + err.Error()) // only maps, slices, strings and numbers are in it
	}
	return append(out, '\n')
}

// described are the keys of every kind of file.
func described() map[string]fields {
	c := defaultConfig()
	all := compounds(c, false)
	maps.Copy(all, settings(c))
	return map[string]fields{
		"pgask":       tree(all),
		"users":       usersFields(&Users{}),
		"policy":      policyFields(&Policy{Version: policyVersion, Roles: map[string]*Role{}}, &value{}),
		"semantic":    semanticFields(&Semantic{}),
		"reviews":     reviewsFields(&Reviews{}),
		"curated":     curatedFields(&Curated{}),
		"policy_test": casesFields(&PolicyCases{}),
	}
}

// defaultConfig is what an empty pgask.yaml means.
func defaultConfig() *Config {
	c, _, _ := decodeConfig("pgask.yaml", nil, layers{})
	return c
}

// schema is a JSON schema in the making. A nil one takes no notes: setters
// write to it before they read.
type schema map[string]any

// child describes a value inside another by running its setter.
func (s schema) child(v value, set func(value)) schema {
	inner := v
	inner.schema = schema{}
	inner.depth++
	set(inner)
	return inner.schema
}

func (s schema) object(v value, f fields) {
	properties := map[string]any{}
	for key, set := range f {
		properties[key] = orNull(s.child(v, set))
	}
	s["type"], s["properties"], s["additionalProperties"] = "object", properties, false
}

// names are examples of what keys of mappings are: names, tables and numbers.
var names = []string{"a", "a.b", "1"}

func (s schema) entries(v value, visit func(string, value)) {
	for _, name := range names {
		if inner := s.child(v, func(v value) { visit(name, v) }); len(inner) > 0 {
			s["type"], s["additionalProperties"] = "object", orNull(inner)
			return
		}
	}
}

func (s schema) items(v value, visit func(int, value)) {
	s["type"], s["items"] = "array", s.child(v, func(v value) { visit(0, v) })
}

// orNull lets a key stand without a value, which is as good as no key.
func orNull(s schema) schema {
	switch t := s["type"].(type) {
	case string:
		s["type"] = []string{t, "null"}
	case []string:
		if !slices.Contains(t, "null") {
			s["type"] = append(slices.Clone(t), "null")
		}
	}
	if words, ok := s["enum"].([]any); ok {
		s["enum"] = append(words, nil)
	}
	return s
}

// need notes a key that must be there.
func (s schema) need(key string) {
	keys, _ := s["required"].([]string)
	s["required"] = append(keys, key)
}

// any takes single values of every type, unless a setter was more exact.
func (s schema) any() {
	if s["type"] == nil {
		s["type"] = []string{"string", "number", "boolean"}
	}
}

// scalars takes single values and lists of them, and nothing.
func (s schema) scalars() {
	one := []string{"string", "number", "boolean", "null"}
	s["type"] = append(slices.Clone(one), "array")
	s["items"] = schema{"type": one}
}

func (s schema) typed(kind string, preset any) {
	if s != nil {
		s["type"], s["default"] = kind, preset
	}
}

func (s schema) enum(preset string, words []string) {
	if s == nil {
		return
	}
	choices := make([]any, len(words))
	for i, w := range words {
		choices[i] = w
	}
	s["type"], s["enum"] = "string", choices
	if preset != "" {
		s["default"] = preset
	}
}

func (s schema) number(kind string, preset, least, most float64) {
	if s == nil {
		return
	}
	s["type"] = kind
	if least > -math.MaxFloat64 {
		s["minimum"] = least
	}
	if most < math.MaxFloat64 {
		s["maximum"] = most
	}
	if preset >= least && preset <= most {
		s["default"] = preset
	}
}

// durations are what time.ParseDuration reads.
const durations = `^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

func (s schema) duration(preset time.Duration) {
	if s == nil {
		return
	}
	s.text(durations, "integer")
	s["default"] = shortened(preset)
	s["maximum"] = 0 // as a number: only that needs no unit
}

// shortened writes 1h and 30m rather than 1h0m0s and 30m0s.
func shortened(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if cut, ok := strings.CutSuffix(text, zero); ok {
			text = cut + zero[:1]
		}
	}
	return text
}

// text takes texts of a pattern, and values that YAML gives another type.
func (s schema) text(pattern string, also ...string) {
	if s == nil {
		return
	}
	s["pattern"] = pattern
	s["type"] = "string"
	if also != nil {
		s["type"] = append([]string{"string"}, also...)
	}
}

// namePattern is that of SQL names of so many parts, with wildcards or without.
func namePattern(parts int, wild bool) string {
	first, rest := `[A-Za-z_]`, `[A-Za-z0-9_$]`
	if wild {
		first, rest = `[A-Za-z_*]`, `[A-Za-z0-9_$*]`
	}
	const letter = `|[^\x00-\x7f]` // as in Postgres, every character beyond ASCII is one
	bare := "(" + first + letter + ")(" + rest + letter + ")*"
	one := `("([^"]|"")+"|` + bare + `)`
	return "^" + one + strings.Repeat(`\.`+one, parts-1) + "$"
}

// document adds what people read: the description of each key, by its dotted
// path, with * for every entry of a list or mapping.
func (s schema) document(texts map[string]string, path string) {
	if text := texts[path]; text != "" {
		s["description"] = text
	}
	under := func(key string) string { return strings.TrimPrefix(path+"."+key, ".") }
	properties, _ := s["properties"].(map[string]any)
	for key, p := range properties {
		p.(schema).document(texts, under(key))
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if inner, ok := s[key].(schema); ok {
			inner.document(texts, under("*"))
		}
	}
}
