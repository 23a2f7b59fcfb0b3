package answer

import (
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// quantity is a number as it stands in a text.
type quantity struct {
	text    string
	value   *big.Rat
	unit    *big.Rat // of the last digit that counts
	percent bool
	word    bool // a count in a word
	ratio   bool // a word for one, such as twice
}

// numerals finds numbers with what makes them larger or percentages, and the words for
// small ones.
var numerals = regexp.MustCompile(`(?i)([0-9][0-9,]*(?:\.[0-9]+)?)\s*(%|percent\b|per cent\b|thousand\b|million\b|billion\b|trillion\b|bn\b|[kmb]\b)?|\b(` + wordsOf() + `)\b`)

// small are numbers in words, ratios the words for those. One is left out, because it
// seldom is a number.
var (
	small = map[string]int64{"zero": 0, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
		"twelve": 12, "twenty": 20, "fifty": 50, "hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9}
	ratios = map[string]*big.Rat{"half": big.NewRat(1, 2), "twice": big.NewRat(2, 1), "double": big.NewRat(2, 1), "doubled": big.NewRat(2, 1),
		"triple": big.NewRat(3, 1), "tripled": big.NewRat(3, 1)}
)

func wordsOf() string {
	return strings.Join(slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(small)), slices.Collect(maps.Keys(ratios))))), "|")
}

var magnitudes = map[string]int64{"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9, "trillion": 1e12}

// said are the numbers of a text.
func said(s string) []quantity {
	var out []quantity
	for _, m := range numerals.FindAllStringSubmatch(s, -1) {
		if m[3] != "" {
			out = append(out, inWords(strings.ToLower(m[3])))
			continue
		}
		out = append(out, inDigits(m[1], strings.ToLower(m[2])))
	}
	return out
}

// inWords is a number in a word. A ratio is one of its first decimal.
func inWords(word string) quantity {
	if r := ratios[word]; r != nil {
		return quantity{text: word, value: r, unit: big.NewRat(1, 10), ratio: true}
	}
	return quantity{text: word, value: big.NewRat(small[word], 1), unit: new(big.Rat), word: true}
}

// inDigits reads a number. Noughts at its end may be a rounding's, as long as two
// digits are left.
func inDigits(digits, suffix string) quantity {
	plain := strings.TrimRight(strings.ReplaceAll(digits, ",", ""), ".")
	value, ok := new(big.Rat).SetString(plain)
	if !ok || len(plain) > maxDigits {
		return quantity{text: digits, value: big.NewRat(-1, 1), unit: new(big.Rat)} // nothing rounds to it
	}
	unit := big.NewRat(1, 1)
	ten := big.NewRat(10, 1)
	if i := strings.IndexByte(plain, '.'); i >= 0 {
		for range len(plain) - i - 1 {
			unit.Quo(unit, ten)
		}
	} else {
		for n := len(plain); n > 2 && plain[n-1] == '0'; n-- {
			unit.Mul(unit, ten)
		}
	}
	f := quantity{text: strings.TrimRight(digits, ",."), value: value, unit: unit, percent: strings.HasPrefix(suffix, "per") || suffix == "%"}
	if by := magnitudes[suffix]; by != 0 {
		f.value.Mul(f.value, big.NewRat(by, 1))
		f.unit.Mul(f.unit, big.NewRat(by, 1))
	}
	return f
}

// rounds tells whether a number, whatever its sign, rounds to what was said.
func (f quantity) rounds(v *big.Rat) bool {
	off := new(big.Rat).Abs(v)
	off.Sub(off, f.value).Abs(off)
	if off.Sign() == 0 {
		return true
	}
	return off.Mul(off, big.NewRat(2, 1)).Cmp(f.unit) <= 0
}
