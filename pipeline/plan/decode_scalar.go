package plan

import (
	"encoding/json"
	"reflect"
	"strings"
)

func fieldOf(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if known, _ := jsonKey(v.Type().Field(i)); known == name {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

// scalarInto sets v to a string, number or boolean of the right kind.
func scalarInto(v reflect.Value, tok json.Token) bool {
	switch x := tok.(type) {
	case string:
		if v.Kind() == reflect.String {
			v.SetString(x)
			return true
		}
	case bool:
		if v.Kind() == reflect.Bool {
			v.SetBool(x)
			return true
		}
	case json.Number:
		if v.Kind() == reflect.Int || v.Kind() == reflect.Int64 {
			i, err := x.Int64()
			if err != nil || v.OverflowInt(i) {
				return false
			}
			v.SetInt(i)
			return true
		}
		if v.Kind() == reflect.Float64 {
			f, err := x.Float64()
			v.SetFloat(f)
			return err == nil
		}
	}
	if v.Kind() == reflect.Interface && tok != nil {
		v.Set(reflect.ValueOf(tok))
		return true
	}
	return false
}

func wanted(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Struct:
		return "an object stands here"
	case reflect.Slice:
		return "a list stands here"
	case reflect.String:
		return "a string stands here"
	case reflect.Bool:
		return "true or false stands here"
	case reflect.Float64:
		return "a number stands here"
	case reflect.Interface:
		return "a string, number, boolean or null stands here"
	}
	return "a whole number stands here"
}

func jsonKind(tok json.Token) string {
	switch x := tok.(type) {
	case string:
		return "a string"
	case bool:
		return "true or false"
	case json.Number:
		return x.String()
	}
	return "null"
}

// pointer escapes a key for a JSON pointer.
func pointer(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}
