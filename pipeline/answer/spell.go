package answer

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// title is a column's name as people say it.
func (c Column) title() string {
	words := strings.FieldsFunc(cmp.Or(c.Title, c.Name), func(r rune) bool { return r == '_' || unicode.IsSpace(r) })
	for i, w := range words {
		if strings.EqualFold(w, "avg") {
			words[i] = "average"
		}
	}
	return strings.Join(words, " ")
}

// titled is that with the unit.
func (c Column) titled() string {
	if c.Unit == "" {
		return c.title()
	}
	return c.title() + " (" + c.Unit + ")"
}

// headed is a title with a capital letter.
func headed(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// spell is a value as a reader wants it.
func (c Column) spell(v Value) string {
	switch {
	case !v.Known:
		return "no value"
	case c.Kind == Number && v.Number != nil:
		return grouped(v.Number)
	case c.Kind == Moment:
		return c.when(v.Time)
	case c.Kind == Truth && v.Text == "true":
		return "yes"
	case c.Kind == Truth:
		return "no"
	}
	return clipped(oneLine(v.Text), maxSpelled)
}

// measured is a value with its unit.
func (c Column) measured(v Value) string {
	if s := c.spell(v); c.Unit != "" && v.Number != nil {
		return s + " " + c.Unit
	} else {
		return s
	}
}

// maxSpelled is the longest text that is told of one value, in characters.
const maxSpelled = 60

func clipped(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// oneLine has a space for whatever would break a line or can't be seen.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' || r == '\ufeff' { // they would turn what follows around
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// when is a moment in words, as its period says.
func (c Column) when(at time.Time) string {
	switch c.Period {
	case "year":
		return at.Format("2006")
	case "quarter":
		return fmt.Sprintf("Q%d %d", (int(at.Month())+2)/3, at.Year())
	case "month":
		return at.Format("January 2006")
	case "week":
		return "the week of " + at.Format("2006-01-02")
	case "day":
		return at.Format("2006-01-02")
	case "hour":
		return at.Format("2006-01-02 15:04")
	}
	return at.Format("2006-01-02 15:04:05")
}

// maxDecimals is how many decimals a small number is told with at most.
const maxDecimals = 12

// since is a moment with the word that goes before it.
func (c Column) since(v Value) string {
	switch c.Period {
	case "year", "quarter", "month", "week":
		return "in " + c.spell(v)
	case "day":
		return "on " + c.spell(v)
	}
	return "at " + c.spell(v)
}

// grouped writes a number with commas: whole numbers in full, others rounded to
// two decimals, small ones to four digits.
func grouped(n *big.Rat) string {
	s := n.FloatString(0)
	if small := new(big.Rat).Abs(n); !n.IsInt() && small.Cmp(big.NewRat(1, 1)) < 0 {
		decimals := 4
		for ; decimals < maxDecimals && small.Cmp(big.NewRat(1, 10)) < 0; decimals++ {
			small.Mul(small, big.NewRat(10, 1))
		}
		s = strings.TrimRight(n.FloatString(decimals), "0")
		s = strings.TrimSuffix(s, ".")
	} else if !n.IsInt() {
		s = n.FloatString(2)
	}
	return commas(s)
}

// commas sets off the thousands of a number.
func commas(s string) string {
	sign, whole, rest := "", s, ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	if i := strings.IndexByte(whole, '.'); i >= 0 {
		whole, rest = whole[:i], whole[i:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return sign + whole + rest
}

// percent is a part of a whole, rounded to a tenth.
func percent(part, whole *big.Rat) string {
	share := new(big.Rat).Quo(part, whole)
	return commas(share.Mul(share, big.NewRat(100, 1)).FloatString(1)) + " %"
}

// counted is a number of things.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(new(big.Rat).SetInt64(n)) + " " + many
}

// series joins with commas and an "and".
func series(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}
