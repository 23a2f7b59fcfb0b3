package configs

import "slices"

// records stores a list of mappings. One with a fault stays in the list, so
// that checks across entries and files still see it. Where entries have a name,
// under the key id, their faults are found by it instead of by number.
func records[T any](dst *[]T, id string, item func(*T) setter) setter {
	return func(v value) {
		out := []T{}
		v.items(func(_ int, child value) {
			out = append(out, *new(T))
			if name := child.peek(id); name != "" {
				child.key = v.dotted(name)
			}
			item(&out[len(out)-1])(child)
		})
		*dst = out
	}
}

// list stores a list of single values; those with a fault are left out.
func list[T any](dst *[]T, item func(*T) setter) setter {
	return func(v value) {
		out := []T{}
		v.items(func(_ int, child value) {
			var t T
			before := v.d.wrong
			item(&t)(child)
			if v.d.wrong == before {
				out = append(out, t)
			}
		})
		*dst = out
	}
}

// texts stores a list of scalars. [] is an empty list, unlike no key at all.
func texts(dst *[]string) setter {
	return func(v value) {
		out := []string{}
		v.items(func(_ int, item value) {
			var s string
			text(&s)(item)
			if s != "" {
				out = append(out, s)
			}
		})
		*dst = out
	}
}

// enums stores a list of different words out of a few.
func enums(dst *[]string, words ...string) setter {
	return func(v value) {
		out := []string{}
		v.items(func(_ int, item value) {
			var s string
			enum(&s, words...)(item)
			switch {
			case s == "":
			case slices.Contains(out, s):
				item.fault("%s is listed twice", s)
			default:
				out = append(out, s)
			}
		})
		*dst = out
	}
}
