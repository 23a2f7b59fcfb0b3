package policy_test

import (
	"fmt"
	"slices"
	"strings"
)

// column is a reference to a column of the kind, of any SELECT around when
// outer.
func (g *randomQuery) column(k kind, outer bool) (string, output, bool) {
	if len(g.frames) == 0 {
		return "", output{}, false
	}
	last := len(g.frames) - 1
	if outer && last > 0 && g.one(4) {
		if text, c, ok := g.columnIn(k, g.frames[g.IntN(last)]); ok {
			return text, c, true
		}
	}
	return g.columnIn(k, g.frames[last])
}

// columnIn is a reference to a column of one frame.
func (g *randomQuery) columnIn(k kind, f *frame) (string, output, bool) {
	type candidate struct {
		s *source
		c output
	}
	var found []candidate
	for _, s := range f.sources {
		for _, c := range s.cols {
			if c.kind == k && c.name != "" && (s.name != "" || g.alone(c.name, f)) {
				found = append(found, candidate{s, c})
			}
		}
	}
	for _, c := range f.alone {
		if c.kind == k && g.alone(c.name, f) {
			found = append(found, candidate{nil, c})
		}
	}
	if len(found) == 0 {
		return "", output{}, false
	}
	f.used++
	x := oneOf(g.dice, found)
	if g.loose && g.one(40) && x.s != nil && len(x.s.extra) > 0 {
		return g.identifier(x.s.name) + "." + g.identifier(oneOf(g.dice, x.s.extra)), x.c, true
	}
	if x.s == nil || g.alone(x.c.name, f) && g.one(3) || g.loose && g.one(60) {
		return g.identifier(x.c.name), x.c, true
	}
	if g.shadowed(x.s, f) {
		if g.alone(x.c.name, f) {
			return g.identifier(x.c.name), x.c, true
		}
		return "", output{}, false
	}
	if x.s.full != "" && g.one(4) {
		return x.s.full + "." + g.identifier(x.c.name), x.c, true
	}
	if x.s.own && len(x.s.extra) == 0 && g.one(20) && !g.bareName(x.s.name) {
		return "(" + g.identifier(x.s.name) + ")." + g.identifier(x.c.name), x.c, true
	}
	return g.identifier(x.s.name) + "." + g.identifier(x.c.name), x.c, true
}

// alone tells that the name alone means the frame's column: no SELECT in
// between has it, and nothing else here.
func (g *randomQuery) alone(name string, f *frame) bool {
	inside := false
	for _, o := range g.frames {
		if o == f {
			inside = true
			continue
		}
		if (inside || !slices.Contains(g.frames, f)) && o.bare[name] > 0 {
			return false
		}
	}
	return f.bare[name] == 1
}

// shadowed tells that a SELECT in between has something of the same name.
func (g *randomQuery) shadowed(s *source, f *frame) bool {
	inside := !slices.Contains(g.frames, f)
	for _, o := range g.frames {
		if o == f {
			inside = true
			continue
		}
		if inside && slices.ContainsFunc(o.sources, func(x *source) bool { return x.name == s.name }) {
			return true
		}
	}
	n := 0
	for _, x := range f.sources {
		if x.name == s.name {
			n++
		}
	}
	return n > 1
}

// bareName tells that a column has the name, so that it doesn't mean a row.
func (g *randomQuery) bareName(name string) bool {
	return slices.ContainsFunc(g.frames, func(f *frame) bool { return f.bare[name] > 0 })
}

// expr is an expression of the kind.
func (g *randomQuery) expr(k kind, depth int) string {
	if depth <= 0 || g.one(3) {
		if text, _, ok := g.column(k, true); ok && !g.one(6) {
			return text
		}
		return g.literal(k)
	}
	if g.one(14) && g.size < 14 {
		return g.scalar(k, depth-1)
	}
	if g.one(12) {
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", g.condition(0), g.expr(k, depth-1), g.expr(k, depth-1))
	}
	e := func(k kind) string { return g.expr(k, depth-1) }
	switch k {
	case integer:
		if g.fragile && g.one(3) {
			if text, ok := g.fragment(); ok {
				return text
			}
		}
		return g.pick(e(integer)+" % 100 + 1", "abs("+e(integer)+")", "length("+e(word)+")", "coalesce("+e(integer)+", 7)", "nullif("+e(integer)+", 2)", "greatest("+e(integer)+", "+e(integer)+")",
			"("+e(integers)+")[1]", "cardinality("+e(integers)+")", "extract(day FROM "+e(day)+")::int", "array_length("+e(words)+", 1)", "mod("+e(integer)+", 5)", "position('e' IN "+e(word)+")",
			"("+e(integer)+") / 3", "("+e(integer)+")::bigint::int", "num_nulls("+e(word)+", "+e(integer)+")", "ascii("+e(word)+")", "array_position("+e(integers)+", 1)",
			"(ARRAY["+e(integer)+", "+e(integer)+"])[2]")
	case decimal:
		return g.pick("round("+e(decimal)+", 2)", "coalesce("+e(decimal)+", 1.00)", "least("+e(decimal)+", 20.00)", "("+e(integer)+")::numeric(10,2)", e(decimal)+" + 1.00", "abs("+e(decimal)+")")
	case word:
		return g.pick("lower("+e(word)+")", "upper("+e(word)+")", "left("+e(word)+", 2)", e(word)+" || "+e(word), "coalesce("+e(word)+", '-')", "("+e(integer)+")::text", "("+e(mood)+")::text",
			"replace("+e(word)+", 'e', 'x')", "("+e(words)+")[1]", "split_part("+e(word)+", 'e', 1)", "to_char("+e(day)+", 'YYYY-MM')", "concat("+e(word)+", "+e(integer)+")", "md5("+e(word)+")",
			"format('%s/%s', "+e(word)+", "+e(integer)+")", "substring("+e(word)+" FROM 2)", "trim(BOTH 'e' FROM "+e(word)+")", "overlay("+e(word)+" PLACING 'Q' FROM 1 FOR 1)",
			e(document)+" ->> 'r'", "array_to_string("+e(words)+", ',')", "CAST("+e(integer)+" AS varchar(3))", "("+e(truth)+")::text", "pg_typeof("+e(day)+")::text", e(word)+` COLLATE "C"`,
			"quote_ident("+e(word)+")", "reverse("+e(word)+")", "initcap("+e(word)+")")
	case truth:
		return g.condition(depth)
	case day:
		return g.pick(e(day)+" + 3", "date_trunc('month', "+e(day)+")::date", "coalesce("+e(day)+", '2024-05-05')", "least("+e(day)+", "+e(day)+")", "("+e(moment)+")::date")
	case moment:
		return g.pick(e(moment)+" + interval '1 day'", "date_trunc('hour', "+e(moment)+")", "("+e(day)+")::timestamp", e(moment)+" AT TIME ZONE 'UTC' AT TIME ZONE 'UTC'")
	case mood:
		return g.pick("coalesce("+e(mood)+", 'low')", "greatest("+e(mood)+", "+e(mood)+")", "("+e(mood)+")::text::"+g.w.enum)
	case integers:
		return g.pick("ARRAY["+e(integer)+", "+e(integer)+"]", "array_append("+e(integers)+", "+e(integer)+")", "("+e(integers)+")[1:2]", e(integers)+" || "+e(integers), "coalesce("+e(integers)+", '{}')",
			"array_remove("+e(integers)+", 1)")
	case words:
		return g.pick("ARRAY["+e(word)+", 'all']", "string_to_array("+e(word)+", 'e')", "array_append("+e(words)+", 'z')", "("+e(words)+")[1:1]", "coalesce("+e(words)+", ARRAY['none'])")
	}
	return g.pick("jsonb_build_object('k', "+e(integer)+", 'r', "+e(word)+")", "to_jsonb("+e(words)+")", e(document)+" -> 'a'", "jsonb_build_array("+e(integer)+", "+e(truth)+")", "coalesce("+e(document)+", '{}')",
		"to_jsonb("+e(integer)+")")
}

// fragment is an operation that fails on poison.
func (g *randomQuery) fragment() (string, bool) {
	for _, f := range slices.Backward(g.frames) {
		for _, s := range shuffled(g.dice, f.sources) {
			for _, c := range s.cols {
				if !c.poison || c.name == "" || s.name == "" || g.shadowed(s, f) {
					continue
				}
				n := quoteName(s.name) + "." + quoteName(c.name)
				if c.kind == integer {
					return g.pick("60 / "+n, "60 % "+n, "sqrt("+n+" - 1)::int", "div(9, "+n+")::int", "log("+n+")::int", "(CASE WHEN 1 / "+n+" > 0 THEN 1 ELSE 2 END)"), true
				}
				if c.kind == document {
					return "(" + n + "::bool)::int", true
				}
				return g.pick(n+"::int", "(('{' || "+n+" || '}')::int[])[1]", "(CASE WHEN 'abc1' ~ "+n+" THEN 1 ELSE 0 END)", "("+n+"::jsonb)::text::int",
					"(CASE WHEN 'a' LIKE "+n+" THEN 1 END)", "length(regexp_replace('a1', "+n+", 'x'))", "CAST("+n+" AS numeric)::int", "(jsonb_path_query_first('[1,2]', ('$[0]')::jsonpath)::text || "+n+")::int"), true
			}
		}
	}
	return "", false
}

// cheapFragment is a condition of one operator that fails on poison.
func (g *randomQuery) cheapFragment() (string, bool) {
	for _, f := range slices.Backward(g.frames) {
		for _, s := range shuffled(g.dice, f.sources) {
			for _, c := range s.cols {
				if !c.poison || c.name == "" || s.name == "" || g.shadowed(s, f) {
					continue
				}
				switch n := quoteName(s.name) + "." + quoteName(c.name); c.kind {
				case word:
					return g.pick("'abc1' ~ ", "'abc' !~* ", "'a' LIKE ", "'a' NOT ILIKE ", "'a3' SIMILAR TO ") + n, true
				case document:
					return g.pick(n+"::bool", "jsonb_path_match("+n+", '$')", "NOT ("+n+"::bool)", "("+n+"::bool) IS TRUE"), true
				}
			}
		}
	}
	return "", false
}

// literal spells a constant in one of many ways.
func (g *randomQuery) literal(k kind) string {
	switch k {
	case integer:
		return g.pick("0", "1", "3", "12", "-2", "NULL::int", "'4'::int", "int '5'", "CAST('6' AS integer)", "(+7)")
	case decimal:
		return g.pick("1.50", "12.25", "0.00", "NULL::numeric(10,2)", "numeric '3.75'")
	case word:
		return g.pick("'eu'", "'us'", "'it''s'", `E'it\'s'`, "$$eu$$", "$x$it's$x$", `U&'Zo\00EB'`, "''", "NULL::text", "text 'x'", "'a'\n'b'", `E'\145u'`, "'; DROP TABLE x; --'", "'Zoë'::varchar")
	case truth:
		return g.pick("true", "false", "NULL::bool", "'t'::bool", "(1 = 1)")
	case day:
		return g.pick("date '2024-02-10'", "'2024-02-29'::date", "NULL::date", "make_date(2024, 2, 3)")
	case moment:
		return g.pick("timestamp '2024-02-28 12:00'", "NULL::timestamp", "'2024-03-01'::timestamp")
	case mood:
		name := g.w.enum
		if g.w.path[0] == g.w.enumSchema && g.one(2) {
			name = quoteName(g.w.enumName)
		}
		return g.pick("'low'::"+name, "'é'::"+name, "NULL::"+name, "CAST('it''s' AS "+name+")", `U&'\00E9'::`+name)
	case integers:
		return g.pick("ARRAY[1, 2]", "'{1,5}'::int[]", "ARRAY[]::int[]", "NULL::int[]", "ARRAY[NULL, 3]")
	case words:
		return g.pick("ARRAY['eu', 'all']", "'{t1}'::text[]", "NULL::text[]")
	}
	return g.pick(`'{"k": 2, "r": "eu"}'::jsonb`, "'[1, 2]'::jsonb", "NULL::jsonb", "jsonb '3'")
}

// scalar is a sub-select that gives one value.
func (g *randomQuery) scalar(k kind, depth int) string {
	g.level++
	from, f := g.from(depth)
	g.frames = append(g.frames, f)
	defer func() { g.frames, g.level = g.frames[:len(g.frames)-1], g.level-1 }()
	where := ""
	if g.one(2) {
		where = " WHERE " + g.condition(0)
	}
	used := f.used
	value := g.expr(k, min(depth, 1))
	one := ""
	if f.used == used {
		// An aggregate of nothing but outer columns is the outer query's, and this one
		// has a row for each of its own.
		one = " LIMIT 1"
	}
	switch k {
	case integers, words:
		el := map[kind]kind{integers: integer, words: word}[k]
		x := g.expr(el, 0)
		if strings.HasPrefix(x, "'") || x == "0" || x == "1" || x == "3" || x == "12" {
			x = "(" + x + ")::" + g.typeOf(el)
		}
		return "ARRAY(SELECT " + x + from + where + " ORDER BY " + x + ")"
	case truth:
		return "(SELECT bool_or(" + value + ")" + from + where + one + ")"
	case document:
		return "(SELECT jsonb_agg(" + value + " ORDER BY " + value + ")" + from + where + one + ")"
	case integer:
		return "(SELECT " + g.pick("max", "min", "count") + "(" + value + ")" + from + where + one + ")::int"
	}
	return "(SELECT " + g.pick("max", "min") + "(" + value + ")" + from + where + one + ")"
}

// condition is a truth value.
func (g *randomQuery) condition(depth int) string {
	if depth > 0 && g.size < 14 {
		switch g.IntN(9) {
		case 0:
			return g.nested(depth)
		case 1:
			return fmt.Sprintf("(%s %s %s)", g.condition(depth-1), g.pick("OR", "AND"), g.condition(depth-1))
		case 2:
			return g.pick("NOT (", "NOT (") + g.condition(depth-1) + ")"
		case 3:
			return g.nested(depth)
		case 4:
			return "(" + g.condition(depth-1) + ") " + g.pick("IS TRUE", "IS NOT TRUE", "IS UNKNOWN", "IS NOT FALSE", "IS NOT DISTINCT FROM true")
		}
	}
	e := func(k kind) string { return g.expr(k, min(depth, 1)) }
	if g.one(20) && g.size < 14 {
		return g.oddCondition(e)
	}
	if g.fragile && g.one(3) {
		if text, ok := g.cheapFragment(); ok && g.one(2) {
			return text
		}
		if text, ok := g.tested(); ok && g.one(2) {
			return text
		}
		if text, ok := g.computed(); ok && g.one(3) {
			return text
		}
		if text, ok := g.fragment(); ok {
			return text + " > 0"
		}
	}
	switch g.IntN(14) {
	case 0, 1, 2:
		k := oneOf(g.dice, []kind{integer, integer, word, decimal, day, moment, mood})
		return "(" + e(k) + " " + g.pick("=", "<>", "<", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM", ">", "OPERATOR(pg_catalog.=)") + " " + e(k) + ")"
	case 3:
		return e(integer) + g.pick(" > 3", " IN (1, 2, 3, 20)", " NOT IN (1, 2)", " BETWEEN 2 AND 25", " NOT BETWEEN SYMMETRIC 9 AND 3", " = ANY (ARRAY[1, 2, 5])", " <> ALL ('{1,2}')", " = 1")
	case 4:
		return e(word) + g.pick(" LIKE '%e%'", " ILIKE 'E_'", " ~ '^e'", " !~* 'S$'", " SIMILAR TO '(e|u)%'", " IN ('eu', 'us')", " NOT LIKE 'u%' ESCAPE '!'", " ^@ 'e'", " = ANY (ARRAY['eu', 'Zoë'])")
	case 5:
		k := oneOf(g.dice, []kind{integer, word, day, mood, integers, document})
		return "(" + e(k) + ")" + g.pick(" IS NULL", " IS NOT NULL", " NOTNULL", " ISNULL")
	case 6:
		return "(" + e(integers) + g.pick(" @> ", " && ", " = ", " <@ ") + e(integers) + ")"
	case 7:
		return g.pick("'eu'", e(word)) + " = ANY (" + e(words) + ")"
	case 8:
		return "(" + e(document) + g.pick(" @> ", " <@ ", " = ") + e(document) + ")"
	case 9:
		return fmt.Sprintf("(%s, %s) %s (%s, %s)", e(integer), e(word), g.pick("=", "<", ">=", "<>"), e(integer), e(word))
	case 10:
		return fmt.Sprintf("ROW(%s, %s) IS DISTINCT FROM ROW(%s, %s)", e(integer), e(day), e(integer), e(day))
	case 11:
		if text, _, ok := g.column(truth, true); ok {
			return text
		}
	case 12:
		return "(" + e(document) + " ? 'k')"
	}
	return e(integer) + " <= " + e(integer)
}

// nested is a condition with a sub-select.
func (g *randomQuery) nested(depth int) string {
	k := oneOf(g.dice, []kind{integer, integer, word, mood, day})
	x := g.expr(k, 0)
	switch g.IntN(6) {
	case 0, 1:
		text, _ := g.query(depth-1, []kind{k})
		return x + g.pick(" IN (", " NOT IN (", " = ANY (", " > ALL (", " <> SOME (") + text + ")"
	case 2:
		a := g.expr(integer, 0)
		text, _ := g.query(depth-1, []kind{integer, word})
		return "(" + a + ", " + g.expr(word, 0) + ") " + g.pick("IN", "NOT IN") + " (" + text + ")"
	case 3:
		text, _ := g.query(depth-1, nil)
		return g.pick("EXISTS (", "NOT EXISTS (") + text + ")"
	}
	g.level++
	from, f := g.from(depth - 1)
	g.frames = append(g.frames, f)
	defer func() { g.frames, g.level = g.frames[:len(g.frames)-1], g.level-1 }()
	return g.pick("EXISTS (SELECT ", "NOT EXISTS (SELECT ", "EXISTS (SELECT 1") + from + " WHERE " + g.condition(0) + ")"
}
