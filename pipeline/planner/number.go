package planner

import (
	"regexp"
	"strings"
	"time"

	"github.com/pgask/pgask/pipeline/plan"
)

// numberWords are the numbers people spell out. "One" is left to the grammar
// where it is a pronoun: it only counts in front of what can be counted.
var numberWords = map[string]string{
	"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
	"eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14",
	"fifteen": "15", "sixteen": "16", "seventeen": "17", "eighteen": "18", "nineteen": "19", "twenty": "20",
	"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
	"hundred": "100", "thousand": "1000", "million": "1000000",
}

var (
	plainNumber  = regexp.MustCompile(`^\$?-?[0-9]+(\.[0-9]+)?$`)
	groupedDigit = regexp.MustCompile(`^\$?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$`)
	isoDate      = regexp.MustCompile(`^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$`)
	scaledNumber = regexp.MustCompile(`^\$?([0-9]+)([kKmM])$`)
)

// numberToken reads figures: 12, 3.5, 1,000, $20, 10k and ISO dates.
func numberToken(s string) (token, bool) {
	t := token{kind: number, text: s, low: strings.ToLower(s), stem: s}
	switch {
	case isoDate.MatchString(s) && dayAfter(s) != nil:
		t.kind, t.num = date, s
	case plainNumber.MatchString(s):
		t.num = strings.TrimPrefix(s, "$")
	case groupedDigit.MatchString(s):
		t.num = strings.ReplaceAll(strings.TrimPrefix(s, "$"), ",", "")
	case scaledNumber.MatchString(s):
		m := scaledNumber.FindStringSubmatch(s)
		t.num = m[1] + map[string]string{"k": "000", "m": "000000"}[strings.ToLower(m[2])]
	default:
		return token{}, false
	}
	return t, true
}

// multipliers scale the number in front of them: 2 million.
var multipliers = map[string]string{"hundred": "00", "thousand": "000", "million": "000000", "billion": "000000000"}

// isYear tells whether a number can be a calendar year.
func isYear(num string) bool {
	return len(num) == 4 && (strings.HasPrefix(num, "1") || strings.HasPrefix(num, "20"))
}

// dayAfter is the day after an ISO date, as a literal.
func dayAfter(iso string) *plan.Expr {
	t, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return nil // 31 February: nothing is compared with it
	}
	return dateLiteral(t.AddDate(0, 0, 1).Format(time.DateOnly))
}
