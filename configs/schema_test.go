package configs

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

//go:generate go test . -run TestSchemasAreCurrent -update

// TestSchemasAreCurrent compares what editors get with what the code reads.
func TestSchemasAreCurrent(t *testing.T) {
	for _, kind := range SchemaFiles() {
		path := filepath.Join("schema", kind+".json")
		if *update {
			if err := os.WriteFile(path, Schema(kind), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(Schema(kind)), string(have)); diff != "" {
			t.Errorf("%s isn't what the code reads, see \"make generate\" (-want +got):\n%s", path, diff)
		}
	}
	if files, err := filepath.Glob("schema/*.json"); err != nil || len(files) != len(SchemaFiles()) {
		t.Errorf("schemas of nothing: %v, %v", files, err)
	}
}

// TestEveryKeyIsDescribed wants a text for each key, and no text besides.
func TestEveryKeyIsDescribed(t *testing.T) {
	for _, kind := range SchemaFiles() {
		var root map[string]any
		if err := json.Unmarshal(Schema(kind), &root); err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		paths(root, "", func(path string, s map[string]any) {
			seen[path] = true
			if s["description"] == nil {
				t.Errorf("%s: %q has no description", kind, path)
			}
		})
		for path := range descriptionsOf(kind) {
			if !seen[path] {
				t.Errorf("%s: %q is described and read by nothing", kind, path)
			}
		}
	}
}

func paths(s map[string]any, path string, visit func(string, map[string]any)) {
	visit(path, s)
	properties, _ := s["properties"].(map[string]any)
	for key, p := range properties {
		paths(p.(map[string]any), strings.TrimPrefix(path+"."+key, "."), visit)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if inner, ok := s[key].(map[string]any); ok {
			paths(inner, strings.TrimPrefix(path+".*", "."), visit)
		}
	}
}

// checkers are the schemas, compiled.
func checkers(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	out := map[string]*jsonschema.Schema{}
	for _, kind := range SchemaFiles() {
		text, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema(kind)))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(kind+".json", text); err != nil {
			t.Fatal(err)
		}
		if out[kind], err = c.Compile(kind + ".json"); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// asEditorsDo reads YAML into what JSON schema knows.
func asEditorsDo(t *testing.T, data []byte) (any, error) {
	t.Helper()
	var node yaml.Node
	if err := yaml.Unmarshal(data, &node); err != nil {
		return nil, err
	}
	if len(node.Content) == 0 {
		return nil, nil
	}
	return plain(node.Content[0], 0), nil
}

func plain(n *yaml.Node, depth int) any {
	if depth > maxDepth {
		return "an alias in itself"
	}
	depth++
	switch n.Kind {
	case yaml.AliasNode:
		return plain(n.Alias, depth)
	case yaml.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			out[n.Content[i].Value] = plain(n.Content[i+1], depth)
		}
		return out
	case yaml.SequenceNode:
		out := []any{}
		for _, c := range n.Content {
			out = append(out, plain(c, depth))
		}
		return out
	}
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return n.Value == "true"
	case "!!int", "!!float":
		var x float64
		if err := n.Decode(&x); err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
			return x
		}
	}
	return n.Value // a date too
}

// TestShippedFilesFit: editors find no fault in what pgask ships, and in every
// text that pgask itself finds none in.
func TestShippedFilesFit(t *testing.T) {
	check := checkers(t)
	kinds := map[string]string{"default": "pgask"}
	checked := 0
	for _, glob := range []string{"*.yaml", "demo/*.yaml", "../cmd/pgask/testdata/good/*.yaml"} {
		files, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			kind := strings.TrimSuffix(filepath.Base(file), ".yaml")
			if other, ok := kinds[kind]; ok {
				kind = other
			}
			v, err := asEditorsDo(t, data)
			if err == nil {
				err = check[kind].Validate(v)
			}
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
			modeline := "# yaml-language-server: $schema=" + map[bool]string{true: "../"}[filepath.Dir(file) == "demo"] + "schema/" + kind + ".json\n"
			if !strings.HasPrefix(glob, "..") && !strings.HasPrefix(string(data), modeline) {
				t.Errorf("%s doesn't begin with %s", file, modeline)
			}
			checked++
		}
	}
	if checked < 12 {
		t.Errorf("only %d files", checked)
	}
}

// TestEmptyFilesFit: a key without a value is as good as no key, in editors too.
func TestEmptyFilesFit(t *testing.T) {
	for kind, check := range checkers(t) {
		for _, text := range []string{"", "{}", "null"} {
			v, err := asEditorsDo(t, []byte(text))
			if err == nil {
				err = check.Validate(v)
			}
			if err != nil {
				t.Errorf("%s %q: %v", kind, text, err)
			}
		}
	}
}

// TestFaultyFilesDont: editors see that each faulty file is faulty, those apart
// whose faults take reading several keys together, SQL or another file.
func TestFaultyFilesDont(t *testing.T) {
	check := checkers(t)
	kinds := map[string]string{"config": "pgask", "cases": "policy_test"}
	beyond := []string{"users_rules.yaml", "users_nobody.yaml", "users_documents.yaml"}
	files, err := filepath.Glob("testdata/faults/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kind := kindOf(file)
		if other, ok := kinds[kind]; ok {
			kind = other
		}
		v, err := asEditorsDo(t, data)
		if err == nil {
			err = check[kind].Validate(v)
		}
		if known := !slices.Contains(beyond, filepath.Base(file)); known != (err != nil) {
			t.Errorf("%s: %v", file, err)
		}
	}
	for kind, texts := range map[string][]string{
		"pgask": {"lisen: x", "tls: {mode: on}", "databases: {acme: {pool: {size: 0}}}", "limits: {idle: 5 minutes}", "limits: {statement_bytes: 1MB}",
			"planner: {order: [model, magic]}", "planner: {today: tomorrow}", "curated: {match_floor: 2}", "listen: [a]"},
		"users": {"users: [{role: a}]", "users: [{name: a, rolle: b}]", "users: [{name: a, admin: yes please}]", "access: [{users: [a]}]", "users: {name: a}"},
		"policy": {"roles: {a: {mode: open}}", "roles: {a: {tables: {allow: [orders]}}}", "roles: {a: {scopes: [{tabel: a.b}]}}", "roles: {a: {limits: {rows: -1}}}",
			"roles: {a: {limits: {statement_timeout: 30}}}", "roles: {a: {columns: [{deny: [x]}]}}", "roles: {a: {backend: {password: x}}}", "roles: [a]"},
		"semantic":    {"metrics: [{name: a, table: a.b}]", "tables: [{table: a.b, columns: {c: {llm: some}}}]", "relationships: [{from: a.b, to: a.b.c}]"},
		"curated":     {"queries: [{id: a, question: b}]", "queries: [{id: a, question: b, sql: c, params: {n: {type: money}}}]"},
		"policy_test": {"cases: [{user: a, statment: b}]", "cases: [{user: a, statement: b, expect: maybe}]", "cases: [{user: a, steps: [{expect: denied}]}]"},
	} {
		for _, text := range texts {
			v, err := asEditorsDo(t, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if check[kind].Validate(v) == nil {
				t.Errorf("%s: nothing is wrong with %s", kind, text)
			}
		}
	}
}
