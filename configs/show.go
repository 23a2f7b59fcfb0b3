package configs

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Setting is a key of pgask.yaml and what it says.
type Setting struct{ Key, Value string }

// hidden is what stands in the place of a secret.
const hidden = "(hidden)"

// Settings are all keys of pgask.yaml by name, with what is in force. Secrets
// are hidden.
func (c *Config) Settings() []Setting {
	var out []Setting
	flatten("", reflect.ValueOf(*c), func(key string, values []string) {
		for i, v := range values {
			values[i] = public(key, v)
		}
		out = append(out, Setting{key, join(values)})
	})
	slices.SortFunc(out, func(a, b Setting) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// Changed are the keys, sorted, whose values in c are others than in before, or
// that only one of the two has; secrets count.
func (c *Config) Changed(before *Config) []string {
	differ := map[string]bool{}
	old := map[string][]string{}
	flatten("", reflect.ValueOf(*before), func(key string, values []string) { old[key], differ[key] = values, true })
	flatten("", reflect.ValueOf(*c), func(key string, values []string) {
		was, ok := old[key]
		differ[key] = !ok || !slices.Equal(was, values)
	})
	maps.DeleteFunc(differ, func(_ string, yes bool) bool { return !yes })
	return slices.Sorted(maps.Keys(differ))
}

// flatten visits the values of a struct, single ones and lists, by their dotted
// keys. Secrets are not hidden.
func flatten(key string, v reflect.Value, visit func(key string, values []string)) {
	switch x := v.Interface().(type) {
	case time.Duration:
		visit(key, []string{x.String()})
		return
	case Pos:
		return
	case Database: // the rest of it comes from elsewhere
		flatten(below(key, "dsn"), reflect.ValueOf(x.DSN), visit)
		flatten(below(key, "pool"), reflect.ValueOf(x.Pool), visit)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		flatten(key, v.Elem(), visit)
	case reflect.Struct:
		for i := range v.NumField() {
			flatten(below(key, keyOf(v.Type().Field(i).Name)), v.Field(i), visit)
		}
	case reflect.Map:
		entries := map[string]reflect.Value{}
		for _, k := range v.MapKeys() {
			entries[fmt.Sprint(k.Interface())] = v.MapIndex(k)
		}
		for _, k := range slices.Sorted(maps.Keys(entries)) {
			flatten(below(key, k), entries[k], visit)
		}
	case reflect.Slice:
		var items []string
		for i := range v.Len() {
			items = append(items, fmt.Sprint(v.Index(i).Interface()))
		}
		visit(key, items)
	default:
		visit(key, []string{fmt.Sprint(v.Interface())})
	}
}

func below(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}

// keyOf makes a key of a field's name: APIKey is api_key.
func keyOf(field string) string {
	var b strings.Builder
	runes := []rune(field)
	for i, r := range runes {
		begins := i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if unicode.IsUpper(r) && begins {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// public hides what is secret, and the password of a URL.
func public(key, value string) string {
	if value == "" {
		return ""
	}
	last := key[strings.LastIndexByte(key, '.')+1:]
	if last == "dsn" || last == "api_key" {
		return hidden
	}
	if u, err := url.Parse(value); err == nil && u.User != nil {
		return u.Redacted()
	}
	return value
}
