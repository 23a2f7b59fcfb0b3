package configs

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// text stores any scalar as it is written.
func text(dst *string) setter {
	return func(v value) {
		if s, ok := v.scalar("text"); ok {
			*dst = s
		}
	}
}

// enum stores one of a few words.
func enum(dst *string, words ...string) setter {
	return func(v value) {
		v.schema.enum(*dst, words)
		s, ok := v.scalar("one of " + join(words))
		if !ok {
			return
		}
		if !slices.Contains(words, s) {
			v.fault("%q is not one of %s", s, join(words))
			return
		}
		*dst = s
	}
}

// boolean stores true or false. YAML 1.1's yes and on are text, as in
// YAML 1.2.
func boolean(dst *bool) setter {
	return func(v value) {
		v.schema.typed("boolean", *dst)
		s, ok := v.scalar("true or false")
		if !ok {
			return
		}
		switch s {
		case "true", "false":
			*dst = s == "true"
		default:
			v.fault("expected true or false, got %q", s)
		}
	}
}

// integer stores a whole number within bounds.
func integer[T int | int64](dst *T, least, most T) setter {
	return func(v value) {
		v.schema.number("integer", float64(*dst), float64(least), float64(most))
		s, ok := v.scalar("a whole number")
		if !ok {
			return
		}
		n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
		switch {
		case err != nil:
			v.fault("expected a whole number, got %q", s)
		case n < int64(least) || n > int64(most):
			v.fault("must be from %d to %d, got %d", least, most, n)
		default:
			*dst = T(n)
		}
	}
}

// number stores a number within bounds.
func number(dst *float64, least, most float64) setter {
	return func(v value) {
		v.schema.number("number", *dst, least, most)
		s, ok := v.scalar("a number")
		if !ok {
			return
		}
		n, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
		switch {
		case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
			v.fault("expected a number, got %q", s)
		case n < least || n > most:
			v.fault("must be from %g to %g, got %s", least, most, s)
		default:
			*dst = n
		}
	}
}

// duration stores a time with its unit; 0 needs none.
func duration(dst *time.Duration, least time.Duration) setter {
	return func(v value) {
		v.schema.duration(*dst)
		s, ok := v.scalar("a time such as 30s")
		if !ok {
			return
		}
		d, err := time.ParseDuration(s)
		switch {
		case err != nil:
			v.fault("expected a time with its unit, such as 500ms, 30s or 1h, got %q", s)
		case d < least:
			v.fault("must be at least %s, got %s", least, s)
		default:
			*dst = d
		}
	}
}

// sizes are the units of bytes, powers of 1024 as Postgres counts them.
var sizes = regexp.MustCompile(`^([0-9]+) ?(B|KiB|MiB|GiB)?$`)

// size stores a number of bytes.
func size(dst *int64, least, most int64) setter {
	units := map[string]int64{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
	return func(v value) {
		v.schema.text(`^[0-9]+ ?(B|KiB|MiB|GiB)?$`, "integer")
		s, ok := v.scalar("a size such as 1MiB")
		if !ok {
			return
		}
		m := sizes.FindStringSubmatch(s)
		if m == nil {
			v.fault("expected a size in bytes, KiB, MiB or GiB, such as 1MiB, got %q", s)
			return
		}
		n, err := strconv.ParseInt(m[1], 10, 64)
		unit := units[m[2]]
		if err != nil || n > most/unit || n*unit < least {
			v.fault("must be from %d to %d bytes, got %s", least, most, s)
			return
		}
		*dst = n * unit
	}
}

// date stores a day as YYYY-MM-DD; nothing stays nothing.
func date(dst *string) setter {
	return func(v value) {
		v.schema.text(`^([0-9]{4}-[0-9]{2}-[0-9]{2})?$`)
		s, ok := v.scalar("a date such as 2026-11-29")
		if !ok || s == "" {
			return
		}
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			v.fault("expected a date as YYYY-MM-DD, got %q", s)
			return
		}
		*dst = s
	}
}

// moments are the ways to write a point in time, those without a zone in UTC.
var moments = []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly}

// moment stores a point in time; a date is its first.
func moment(dst *time.Time) setter {
	return func(v value) {
		v.schema.text(`^[0-9]{4}-[0-9]{2}-[0-9]{2}`)
		s, ok := v.scalar("a time such as 2026-12-31")
		if !ok {
			return
		}
		for _, layout := range moments {
			if t, err := time.Parse(layout, s); err == nil {
				*dst = t.UTC()
				return
			}
		}
		v.fault("expected a date or a time, such as 2026-12-31 or 2026-12-31T18:00:00Z, got %q", s)
	}
}

// scalarOf is a scalar with the type that YAML gives it: nil, bool, int64,
// float64 or string.
func scalarOf(v value) (out any, ok bool) {
	if v.schema != nil {
		v.schema.any()
		return nil, false
	}
	if v.node.Kind != yaml.ScalarNode {
		v.fault("expected a single value, got %s", v.kind())
		return nil, false
	}
	var err error
	switch v.node.ShortTag() {
	case "!!null":
		return nil, true
	case "!!bool":
		var b bool
		err = v.node.Decode(&b)
		out = b
	case "!!int":
		var n int64
		err = v.node.Decode(&n)
		out = n
	case "!!float":
		if !strings.ContainsAny(v.node.Value, ".eE") { // an integer too large for YAML's
			v.fault("%q is out of range", v.node.Value)
			return nil, false
		}
		var f float64
		err = v.node.Decode(&f)
		out = f
		if math.IsNaN(f) || math.IsInf(f, 0) {
			v.fault("expected a finite number")
			return nil, false
		}
	default:
		return v.node.Value, true
	}
	if err != nil {
		v.fault("%q is out of range", v.node.Value)
		return nil, false
	}
	return out, true
}
