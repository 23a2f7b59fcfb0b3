package planner

import (
	"slices"
	"strings"
	"unicode"
)

// abbreviations are what designers of schemas shorten. Each expansion is one
// that the abbreviation hardly ever isn't.
var abbreviations = map[string]string{
	"cust": "customer", "addr": "address", "qty": "quantity", "amt": "amount", "dept": "department",
	"emp": "employee", "dob": "date of birth", "tel": "telephone", "num": "number", "nbr": "number",
	"desc": "description", "acct": "account", "prod": "product", "cat": "category", "yr": "year",
	"fname": "first name", "lname": "last name", "firstname": "first name", "lastname": "last name",
	"fullname": "full name", "username": "user name", "avg": "average", "min": "minimum", "max": "maximum",
	"pct": "percent", "ts": "time", "dt": "date", "msg": "message", "org": "organization", "mgr": "manager",
	"curr": "currency", "tot": "total", "loc": "location", "lang": "language", "nationality": "nationality",
	"acc": "account", "bal": "balance", "inst": "institution", "stu": "student", "prof": "professor", "bldg": "building", "doc": "document",
	"docs": "documents", "img": "image", "pic": "picture", "trans": "transaction", "txn": "transaction", "univ": "university", "gov": "government",
	"govt": "government", "intl": "international", "sal": "salary", "std": "standard", "vol": "volume", "wt": "weight", "ht": "height", "ref": "reference",
	"src": "source", "dest": "destination", "pop": "population", "temp": "temperature", "freq": "frequency", "mfr": "manufacturer", "inv": "invoice",
	"pmt": "payment", "cnt": "count", "val": "value", "hr": "hour", "hrs": "hours", "wk": "week", "veh": "vehicle", "fac": "faculty", "pos": "position",
	"birthdate": "birth date", "postcode": "postal code", "zipcode": "zip code", "phonenumber": "phone number",
}

// splitIdentifier cuts an identifier into words: at underscores, blanks,
// digits and humps, and spells abbreviations out. orderItems is order items,
// cust_addr customer address.
func splitIdentifier(name string) []string {
	var parts []string
	for _, piece := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		parts = append(parts, humps(piece)...)
	}
	var out []string
	for _, p := range parts {
		if full, ok := abbreviations[p]; ok {
			out = append(out, strings.Fields(full)...)
			continue
		}
		out = append(out, p)
	}
	return out
}

// humps cuts camelCase and trailing digits and folds what it finds.
func humps(s string) []string {
	var out []string
	rs := []rune(s)
	start := 0
	for i := 1; i < len(rs); i++ {
		lowerUpper := unicode.IsLower(rs[i-1]) && unicode.IsUpper(rs[i])
		acronymEnd := i+1 < len(rs) && unicode.IsUpper(rs[i-1]) && unicode.IsUpper(rs[i]) && unicode.IsLower(rs[i+1])
		letterDigit := unicode.IsDigit(rs[i]) != unicode.IsDigit(rs[i-1])
		if lowerUpper || acronymEnd || letterDigit {
			out = append(out, fold(string(rs[start:i])))
			start = i
		}
	}
	return append(out, fold(string(rs[start:])))
}

// stems are the stems of words.
func stems(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = stem(w)
	}
	return out
}

// units are what identifiers append to say how a number is measured; a
// question may leave them out.
var units = map[string]bool{
	"feet": true, "meters": true, "metres": true, "km": true, "miles": true, "kg": true, "lb": true, "usd": true, "eur": true,
	"percent": true, "billion": true, "billions": true, "million": true, "millions": true, "dollars": true, "minutes": true,
	"seconds": true, "hours": true, "days": true, "in": true, "m": true, "cm": true, "mm": true, "ft": true, "mb": true, "gb": true,
}

// variant is another way to say a column's name, less certain than the name.
type variant struct {
	words  []string
	weight float64
	// verb marks words that only name the column together with a value:
	// "created this year" for created_at, "directed by X" for director.
	verb bool
	// count marks "number of X": words are the X.
	count bool
}

// columnVariants are the ways to say a column of a table. The first is its
// whole name.
func columnVariants(table, column []string) []variant {
	out := []variant{{words: column, weight: 1}}
	rest := column
	if trimmed := trimPrefix(rest, table); len(trimmed) > 0 && len(trimmed) < len(rest) {
		out = append(out, variant{words: trimmed, weight: 0.95})
		rest = trimmed
	} else if len(table) > 0 && !underwent(column) {
		out = append(out, variant{words: append(append([]string{}, table...), column...), weight: 1})
	}
	if bare := trimUnits(rest); len(bare) < len(rest) && len(bare) > 0 {
		out = append(out, variant{words: bare, weight: 0.95})
		if len(table) > 0 {
			out = append(out, variant{words: append(slices.Clone(table), bare...), weight: 0.95})
		}
		rest = bare
	}
	last := rest[len(rest)-1]
	head := rest[:len(rest)-1]
	if len(head) > 0 {
		switch last {
		case "code", "name", "description":
			out = append(out, variant{words: head, weight: 0.7})
			if whole := column[:len(column)-1]; len(whole) > len(head) {
				out = append(out, variant{words: whole, weight: 0.8}) // complaint status
			}
		case "at", "on", "date", "time", "year":
			out = append(out, variant{words: head, weight: 0.85, verb: true})
		}
	}
	if len(head) > 0 && !vagueHeads[last] {
		out = append(out, variant{words: []string{last}, weight: 0.75})
	}
	if len(rest) == 2 && !vagueHeads[last] {
		out = append(out, variant{words: []string{last, "of", head[0]}, weight: 0.95}) // type of bed
	}
	if len(rest) == 1 {
		out = append(out, gluedVariants(last)...)
	}
	if len(head) > 0 && verbal(rest[0]) {
		out = append(out, variant{words: rest[:1], weight: 0.85, verb: true}) // born in a state
	}
	out = append(out, countVariants(rest)...)
	if v, ok := agentVerb(rest); ok {
		out = append(out, v)
	}
	return out
}

// gluedVariants are the ends of what may be several words written as one:
// price for baseprice.
func gluedVariants(word string) []variant {
	var out []variant
	for at := 3; at+4 <= len(word); at++ {
		out = append(out, variant{words: []string{word[at:]}, weight: 0.7})
	}
	return out
}

// verbal tells whether the first word of a column's name is what its rows
// underwent: born state, founded year.
func verbal(w string) bool {
	return w == "born" || w == "made" || len(w) > 4 && strings.HasSuffix(w, "ed") || datedVerbs[stem(w)]
}

// underwent tells whether a column is called after what its rows underwent, and no more: "players
// born" are players.
func underwent(column []string) bool {
	return len(column) == 1 && verbal(column[0]) && datedVerbs[stem(column[0])]
}

// vagueHeads are last words of column names that say too little to name the
// column by themselves.
var vagueHeads = set("id", "code", "number", "name", "description", "details", "detail", "value", "text", "at", "on", "of", "by", "in", "flag", "no", "key", "first", "last", "other", "is")

// tableVariants are the other ways to say a table's name: without what
// designers put in front and behind, or by some of its words.
func tableVariants(words []string) []variant {
	var out []variant
	if len(words) > 1 && tablePrefixes[words[0]] {
		words = words[1:]
		out = append(out, variant{words: words, weight: 0.9})
	}
	for n := len(words) - 1; n > 0; n-- {
		weight := 0.75
		if tableTails[words[n]] {
			weight = 0.9
		}
		out = append(out, variant{words: words[:n], weight: weight})
		out = append(out, variant{words: words[len(words)-n:], weight: 0.75})
	}
	return out
}

// tableTails are words behind a table's name that only say that it is a table.
var tableTails = set("detail", "details", "info", "information", "record", "records", "list", "data", "table", "master", "log", "history")

var tablePrefixes = set("ref", "tbl", "tb", "dim", "fact", "fct", "vw", "stg", "t")

// countVariants reads num_employees and number_of_cities: "number of X".
func countVariants(words []string) []variant {
	if len(words) < 2 || words[0] != "number" && words[0] != "no" {
		return nil
	}
	things := words[1:]
	if things[0] == "of" {
		things = things[1:]
	}
	if len(things) == 0 {
		return nil
	}
	full := append([]string{"number", "of"}, things...)
	return []variant{{words: full, weight: 1}, {words: things, weight: 0.9, count: true}}
}

// agentVerb makes the verb of a column that names who did it: director gives
// "directed (by)".
func agentVerb(words []string) (variant, bool) {
	if len(words) != 1 || len(words[0]) < 5 {
		return variant{}, false
	}
	for _, suffix := range []string{"or", "er"} {
		if root, ok := strings.CutSuffix(words[0], suffix); ok {
			return variant{words: []string{root + "ed"}, weight: 0.85, verb: true}, true
		}
	}
	return variant{}, false
}

// tails are what designers glue to a table's name without a mark between:
// roomname, roomid.
var tails = set("name", "id", "code", "type", "date", "title", "number", "price", "status")

// columnWords are the words of a column's name, the table's own name split off
// the front where it was glued on.
func columnWords(table []string, column string) []string {
	words := splitIdentifier(column)
	if len(words) != 1 || len(table) != 1 {
		return words
	}
	for _, plural := range []string{"", "s", "es"} {
		one, ok := strings.CutSuffix(table[0], plural)
		rest, glued := strings.CutPrefix(words[0], one)
		if ok && glued && len(one) > 2 && tails[rest] {
			return []string{one, rest}
		}
	}
	return words
}

// trimPrefix cuts the table's words off the front of a column's, singular or
// plural alike.
func trimPrefix(column, table []string) []string {
	known := stems(table)
	for len(column) > 1 && slices.Contains(known, stem(column[0])) {
		column = column[1:]
	}
	return column
}

func trimUnits(words []string) []string {
	for len(words) > 1 && units[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	return words
}
