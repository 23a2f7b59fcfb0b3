package plan_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pgask/pgask/pipeline/plan"
)

type object = map[string]any

func schema(t *testing.T) object {
	t.Helper()
	var s object
	if err := json.Unmarshal(plan.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// Strict structured output takes closed objects whose properties are all
// required, and the keywords below.
func TestSchemaIsStrict(t *testing.T) {
	allowed := []string{"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "$ref", "$defs"}
	var check func(node object, at string)
	check = func(node object, at string) {
		for k := range node {
			if !slices.Contains(allowed, k) {
				t.Errorf("%s: keyword %s", at, k)
			}
		}
		if properties, ok := node["properties"].(object); ok {
			if node["additionalProperties"] != false || len(node["required"].([]any)) != len(properties) {
				t.Errorf("%s: an open object", at)
			}
			for k, v := range properties {
				check(v.(object), at+"."+k)
			}
		}
		if items, ok := node["items"].(object); ok {
			check(items, at+"[]")
		}
		if any, ok := node["anyOf"].([]any); ok {
			for _, v := range any {
				check(v.(object), at+"|")
			}
		}
	}
	s := schema(t)
	check(s, "plan")
	for name, def := range s["$defs"].(object) {
		check(def.(object), name)
	}
}

// Every example, with null for what it leaves out, is an instance of the
// schema; a plan with an unknown key or of another shape isn't.
func TestSchemaTakesExamples(t *testing.T) {
	s := schema(t)
	for i, x := range examples(t) {
		var v any
		if err := json.Unmarshal([]byte(x.plan), &v); err != nil {
			t.Fatal(err)
		}
		v = spellNulls(s, s, v)
		if err := conforms(s, s, v, ""); err != nil {
			t.Errorf("example %d: %v", i, err)
		}
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := plan.Decode(b); err != nil {
			t.Errorf("example %d with nulls: %v", i, err)
		}
		v.(object)["sql"] = "x"
		if conforms(s, s, v, "") == nil {
			t.Error("an unknown key conforms")
		}
	}
}

func deref(root, node object) object {
	if ref, ok := node["$ref"].(string); ok {
		return root["$defs"].(object)[strings.TrimPrefix(ref, "#/$defs/")].(object)
	}
	if options, ok := node["anyOf"].([]any); ok {
		return deref(root, options[0].(object))
	}
	return node
}

func spellNulls(root, node object, v any) any {
	node = deref(root, node)
	switch v := v.(type) {
	case object:
		for k, p := range node["properties"].(object) {
			if _, there := v[k]; there {
				v[k] = spellNulls(root, p.(object), v[k])
			} else {
				v[k] = nil
			}
		}
	case []any:
		for i := range v {
			v[i] = spellNulls(root, node["items"].(object), v[i])
		}
	}
	return v
}

// conforms is as much of JSON schema as the plan's uses.
func conforms(root, node object, v any, at string) error {
	if options, ok := node["anyOf"].([]any); ok {
		var err error
		for _, o := range options {
			if err = conforms(root, o.(object), v, at); err == nil {
				return nil
			}
		}
		return err
	}
	node = deref(root, node)
	if !slices.Contains(typesOf(node), kind(v)) && !(kind(v) == "integer" && slices.Contains(typesOf(node), "number")) {
		return fmt.Errorf("%s: %v is not %v", at, v, typesOf(node))
	}
	if choices, ok := node["enum"].([]any); ok && !slices.Contains(choices, v) {
		return fmt.Errorf("%s: %v is not one of %v", at, v, choices)
	}
	switch v := v.(type) {
	case object:
		properties := node["properties"].(object)
		for k := range v {
			if properties[k] == nil {
				return fmt.Errorf("%s: unknown key %s", at, k)
			}
		}
		for k, p := range properties {
			inner, there := v[k]
			if !there {
				return fmt.Errorf("%s: no key %s", at, k)
			}
			if err := conforms(root, p.(object), inner, at+"/"+k); err != nil {
				return err
			}
		}
	case []any:
		for i := range v {
			if err := conforms(root, node["items"].(object), v[i], fmt.Sprintf("%s/%d", at, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func typesOf(node object) []string {
	if one, ok := node["type"].(string); ok {
		return []string{one}
	}
	var out []string
	for _, x := range node["type"].([]any) {
		out = append(out, x.(string))
	}
	return out
}

func kind(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case object:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	}
	return reflect.TypeOf(v).String()
}
