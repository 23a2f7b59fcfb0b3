package configs

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseName(t *testing.T) {
	for text, want := range map[string]Name{
		"public.orders":                {Schema: "public", Table: "orders"},
		"Public.ORDERS":                {Schema: "public", Table: "orders"},
		`public."Order Lines"`:         {Schema: "public", Table: "Order Lines"},
		`"a.b"."c""d"`:                 {Schema: "a.b", Table: `c"d`},
		"public.größe":                 {Schema: "public", Table: "größe"},
		"public.GRÖSSE":                {Schema: "public", Table: "grÖsse"}, // Postgres folds ASCII only
		"_x.y$1":                       {Schema: "_x", Table: "y$1"},
		`public."*"`:                   {Schema: "public", Table: "*"},
		"s." + strings.Repeat("x", 63): {Schema: "s", Table: strings.Repeat("x", 63)},
	} {
		got, err := ParseName(text)
		if err != nil || got != want {
			t.Errorf("ParseName(%s) = %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestParseNameRefuses(t *testing.T) {
	for _, text := range []string{
		"", ".", "a", "a.", ".a", "a.b.c", "a b.c", "a.b ", " a.b", `a."b`, `a.""`, `a."b"c`, `"a"b.c`, "a.*", "1a.b", "a.$b",
		"a-b.c", "a.b;drop", "a.b\x00", "a.\xff", "s." + strings.Repeat("x", 64), `s."` + strings.Repeat("x", 64) + `"`, "U&\"a\".b",
	} {
		if got, err := ParseName(text); err == nil {
			t.Errorf("ParseName(%q) = %+v, want an error", text, got)
		}
	}
}

func TestParseColumnAndIdentifier(t *testing.T) {
	c, err := ParseColumn(`public.Orders."Account Id"`)
	if err != nil || c.Schema != "public" || c.Table != "orders" || c.Column != "Account Id" {
		t.Errorf("ParseColumn: %+v, %v", c, err)
	}
	if c.String() != `public.orders."Account Id"` {
		t.Errorf("String: %s", c)
	}
	if _, err := ParseColumn("public.orders"); err == nil {
		t.Error("a relation was taken for a column")
	}
	if id, err := ParseIdentifier("TAX_ID"); err != nil || id != "tax_id" {
		t.Errorf("ParseIdentifier: %q, %v", id, err)
	}
	if _, err := ParseIdentifier("a.b"); err == nil {
		t.Error("a dotted name was taken for a single one")
	}
}

func TestPatternMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, schema, table string
		want                   bool
	}{
		{"public.*", "public", "orders", true},
		{"public.*", "public", "", true},
		{"public.*", "Public", "orders", false},
		{"PUBLIC.*", "public", "orders", true},
		{"*.*", "any", "thing", true},
		{"public.*_events", "public", "web_events", true},
		{"public.*_events", "public", "_events", true},
		{"public.*_events", "public", "events", false},
		{"public.a*a", "public", "a", false},
		{"public.a*a", "public", "aa", true},
		{"public.a*b*c", "public", "axbxc", true},
		{"public.a*b*c", "public", "acb", false},
		{`public."*"`, "public", "orders", false},
		{`public."*"`, "public", "*", true},
		{`public."Order Lines"`, "public", "Order Lines", true},
		{"public.orders", "public", "orders", true},
		{"public.orders", "public", "Orders", false},
		{"public.order_", "public", "orders", false},
		{"sales_*.orders", "sales_eu", "orders", true},
	} {
		p, err := ParsePattern(c.pattern)
		if err != nil {
			t.Errorf("ParsePattern(%s): %v", c.pattern, err)
			continue
		}
		if got := p.Match(c.schema, c.table); got != c.want {
			t.Errorf("%s matches %s.%s: %v, want %v", c.pattern, c.schema, c.table, got, c.want)
		}
	}
}

// TestMatchIsGlob compares with a regular expression made of the pattern.
func TestMatchIsGlob(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		glob := rapid.StringMatching(`[ab*]{1,6}`).Draw(t, "glob")
		name := rapid.StringMatching(`[ab]{0,8}`).Draw(t, "name")
		p, err := ParsePattern("s." + glob)
		if err != nil {
			t.Fatal(err)
		}
		want := regexp.MustCompile("^" + strings.ReplaceAll(glob, "*", ".*") + "$").MatchString(name)
		if got := p.Match("s", name); got != want {
			t.Fatalf("%s matches %q: %v, want %v", glob, name, got, want)
		}
	})
}

// TestSpellIsReadBack holds Spell against ParseIdentifier.
func TestSpellIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringN(1, 15, maxName).Filter(func(s string) bool { return !strings.ContainsRune(s, 0) }).Draw(t, "name")
		got, err := ParseIdentifier(Spell(name))
		if err != nil || got != name {
			t.Fatalf("Spell(%q) = %s, read back as %q, %v", name, Spell(name), got, err)
		}
	})
}
