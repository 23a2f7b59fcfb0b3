package configs

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxName is Postgres's NAMEDATALEN-1 in bytes: a longer name could never be
// that of a relation.
const maxName = 63

// part is one identifier of a dotted name.
type part struct {
	text   string // unquoted and folded
	quoted bool
}

// ParseName reads schema.table as SQL spells it.
func ParseName(text string) (Name, error) {
	parts, err := split(text, false)
	if err != nil {
		return Name{}, err
	}
	if len(parts) != 2 {
		return Name{}, fmt.Errorf("%s is not schema.table, such as public.orders", text)
	}
	return Name{Schema: parts[0].text, Table: parts[1].text}, nil
}

// ParsePattern reads schema.table in which * outside quotes stands for any
// characters.
func ParsePattern(text string) (Pattern, error) {
	parts, err := split(text, true)
	if err != nil {
		return Pattern{}, err
	}
	if len(parts) != 2 {
		return Pattern{}, fmt.Errorf("%s is not schema.table, such as public.orders or public.*", text)
	}
	return Pattern{
		Text:       text,
		Schema:     parts[0].text,
		Table:      parts[1].text,
		SchemaWild: parts[0].wild(),
		TableWild:  parts[1].wild(),
	}, nil
}

// ParseColumn reads schema.table.column as SQL spells it.
func ParseColumn(text string) (ColumnRef, error) {
	parts, err := split(text, false)
	if err != nil {
		return ColumnRef{}, err
	}
	if len(parts) != 3 {
		return ColumnRef{}, fmt.Errorf("%s is not schema.table.column, such as public.orders.id", text)
	}
	return ColumnRef{Name: Name{Schema: parts[0].text, Table: parts[1].text}, Column: parts[2].text}, nil
}

// ParseIdentifier reads a single name, such as a column, as SQL spells it.
func ParseIdentifier(text string) (string, error) {
	parts, err := split(text, false)
	if err != nil {
		return "", err
	}
	if len(parts) != 1 {
		return "", fmt.Errorf("%s has dots; it must be a single name, quoted if a dot is part of it", text)
	}
	return parts[0].text, nil
}

// Match tells whether a relation, by its true name, is one the pattern names.
func (p Pattern) Match(schema, table string) bool {
	return matchPart(p.Schema, p.SchemaWild, schema) && matchPart(p.Table, p.TableWild, table)
}

// String is the pattern as it was written.
func (p Pattern) String() string { return p.Text }

// String spells the name as SQL does, quoted where it has to be.
func (n Name) String() string { return Spell(n.Schema) + "." + Spell(n.Table) }

// String spells the reference as SQL does.
func (c ColumnRef) String() string { return c.Name.String() + "." + Spell(c.Column) }

// Spell quotes an identifier where its characters or case need it. Keywords
// stay bare: these spellings are for files and messages, not for SQL.
func Spell(identifier string) string {
	if bare(identifier) && identifier == fold(identifier) {
		return identifier
	}
	return `"` + strings.ReplaceAll(identifier, `"`, `""`) + `"`
}

// matchPart is glob matching with * only, in linear time for one star and
// without recursion for more.
func matchPart(pattern string, wild bool, name string) bool {
	if !wild {
		return pattern == name
	}
	pieces := strings.Split(pattern, "*")
	first, last := pieces[0], pieces[len(pieces)-1]
	if len(name) < len(first)+len(last) || !strings.HasPrefix(name, first) || !strings.HasSuffix(name, last) {
		return false
	}
	name = name[len(first) : len(name)-len(last)]
	for _, piece := range pieces[1 : len(pieces)-1] {
		i := strings.Index(name, piece)
		if i < 0 {
			return false
		}
		name = name[i+len(piece):]
	}
	return true
}

func (p part) wild() bool { return !p.quoted && strings.Contains(p.text, "*") }

// split takes a dotted name apart, unquotes and folds.
func split(text string, wild bool) ([]part, error) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, errors.New("a name that is not UTF-8 text")
	}
	var parts []part
	for rest := text; ; {
		p, after, err := identifier(rest, wild)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		parts = append(parts, p)
		if after == "" {
			return parts, nil
		}
		if after[0] != '.' {
			return nil, fmt.Errorf("%s: a dot or the end is missing after %q", text, p.text)
		}
		rest = after[1:]
	}
}

// identifier reads one part of a name and returns what follows it.
func identifier(text string, wild bool) (p part, rest string, err error) {
	if strings.HasPrefix(text, `"`) {
		return quoted(text)
	}
	end := strings.IndexByte(text, '.')
	if end < 0 {
		end = len(text)
	}
	word := text[:end]
	plain := word
	if wild {
		plain = strings.ReplaceAll(word, "*", "_")
	}
	switch {
	case word == "":
		return p, "", errors.New("a part of the name is empty")
	case !bare(plain):
		return p, "", fmt.Errorf("%q has to be quoted with double quotes", word)
	case len(word) > maxName:
		return p, "", fmt.Errorf("%q is longer than %d bytes", word, maxName)
	}
	return part{text: fold(word)}, text[end:], nil
}

// quoted reads "…" with "" for a quote inside.
func quoted(text string) (p part, rest string, err error) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		if text[i] != '"' {
			b.WriteByte(text[i])
			continue
		}
		if strings.HasPrefix(text[i+1:], `"`) {
			b.WriteByte('"')
			i++
			continue
		}
		switch {
		case b.Len() == 0:
			return p, "", errors.New("a quoted part of the name is empty")
		case b.Len() > maxName:
			return p, "", fmt.Errorf("a quoted part is longer than %d bytes", maxName)
		}
		return part{text: b.String(), quoted: true}, text[i+1:], nil
	}
	return p, "", errors.New("a closing double quote is missing")
}

// bare tells whether SQL takes the word without quotes (ident_start and
// ident_cont of Postgres's lexer).
func bare(word string) bool {
	for i, r := range word {
		letter := r == '_' || r >= 0x80 || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '$' && (r < '0' || r > '9')) {
			return false
		}
	}
	return word != ""
}

// fold lower-cases ASCII letters only: that is all Postgres does in UTF-8.
func fold(word string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, word)
}
