package plan

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// Schema is the JSON schema of a plan, made from the Go types, in the form
// that strict structured output takes: every object is closed, every property
// is required, and one that may be left out may be null instead. A nested plan is
// a definition of its own, since it has neither version nor reasoning.
func Schema() []byte {
	defs := map[string]any{}
	root := objectSchema(reflect.TypeFor[Plan](), defs)
	root["properties"].(map[string]any)["version"] = map[string]any{"type": "integer", "enum": []int{Version}}
	root["$defs"] = defs
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic("plan: schema: " + err.Error()) // only maps, slices and strings are in it
	}
	return out
}

// objectSchema describes a struct; the structs it refers to go into defs.
func objectSchema(t reflect.Type, defs map[string]any) map[string]any {
	properties, required := map[string]any{}, []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, optional := jsonKey(f)
		s := typeSchema(f.Type, defs)
		if choices := enum(f); choices != nil {
			s["enum"] = choices
		}
		if optional {
			s = nullable(s)
		}
		properties[name] = s
		required = append(required, name)
	}
	return map[string]any{"type": "object", "properties": properties,
		"required": required, "additionalProperties": false}
}

func typeSchema(t reflect.Type, defs map[string]any) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return typeSchema(t.Elem(), defs)
	case reflect.Slice:
		return map[string]any{"type": "array", "items": typeSchema(t.Elem(), defs)}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Interface: // a literal's value
		return map[string]any{"type": []string{"string", "number", "boolean", "null"}}
	}
	name := strings.ToLower(t.Name())
	if t == reflect.TypeFor[Plan]() {
		name = nestedPlan
	}
	if _, seen := defs[name]; !seen {
		defs[name] = nil // stops the recursion
		s := objectSchema(t, defs)
		if name == nestedPlan {
			leaveOut(s, "version", "reasoning")
		}
		defs[name] = s
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

// nestedPlan is the definition of a plan inside another.
const nestedPlan = "block"

// leaveOut takes properties from an object.
func leaveOut(object map[string]any, names ...string) {
	properties := object["properties"].(map[string]any)
	for _, name := range names {
		delete(properties, name)
	}
	object["required"] = slices.DeleteFunc(object["required"].([]string), func(s string) bool { return slices.Contains(names, s) })
}

// nullable lets a property be null, which means left out.
func nullable(s map[string]any) map[string]any {
	if _, ref := s["$ref"]; ref {
		return map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
	}
	s["type"] = []string{s["type"].(string), "null"}
	if choices, ok := s["enum"].([]any); ok {
		s["enum"] = append(choices, nil)
	}
	return s
}

// jsonKey is a field's key in JSON and whether it may be left out.
func jsonKey(f reflect.StructField) (name string, optional bool) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name, strings.HasPrefix(options, "omit")
}

// enum lists the choices of a field's jsonschema tag; nil where it has none.
func enum(f reflect.StructField) []any {
	var choices []any
	for _, part := range strings.Split(f.Tag.Get("jsonschema"), ",") {
		if v, ok := strings.CutPrefix(part, "enum="); ok {
			choices = append(choices, v)
		}
	}
	return choices
}
