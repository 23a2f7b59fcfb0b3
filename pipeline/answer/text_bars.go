package answer

import (
	"math/big"
	"strings"
)

// maxLabel and maxFigure are the most columns of a bar's label and number.
const (
	maxLabel  = 26
	maxFigure = 24
)

// scale is how bars of one picture are drawn: label, bar and number beside each
// other, the bars from a zero that all have in common.
type scale struct {
	label, figure int
	// least and most are the numbers at the ends; least is 0 or below, most 0 or
	// above. left and right are the columns for them.
	least, most *big.Rat
	left, right int
}

func (r reading) scale(rows [][]Value, by int) scale {
	s := scale{least: new(big.Rat), most: new(big.Rat)}
	for _, row := range rows {
		s.label = max(s.label, wide(oneLine(r.Columns[by].label(row[by]))))
		s.figure = max(s.figure, wide(figure(r.Columns[r.of], row[r.of])))
		if n := row[r.of].Number; n != nil {
			s.least, s.most = lesser(s.least, n), greater(s.most, n)
		}
	}
	s.label, s.figure = min(s.label, maxLabel), min(s.figure, maxFigure)
	room := textColumns - s.label - s.figure - 2
	switch whole := new(big.Rat).Sub(s.most, s.least); {
	case s.least.Sign() == 0:
		s.right = room
	case s.most.Sign() == 0:
		s.left = room
	default:
		s.left = min(max(1, eighths(new(big.Rat).Neg(s.least), whole, room)/8), room-1)
		s.right = room - s.left
	}
	return s
}

func lesser(a, b *big.Rat) *big.Rat {
	if b.Cmp(a) < 0 {
		return b
	}
	return a
}

func greater(a, b *big.Rat) *big.Rat {
	if b.Cmp(a) > 0 {
		return b
	}
	return a
}

// eighths is how many eighths of a column a part of a whole takes, rounded.
func eighths(part, whole *big.Rat, columns int) int {
	if whole.Sign() == 0 {
		return 0
	}
	n := new(big.Rat).Quo(part, whole)
	n.Mul(n, big.NewRat(int64(columns)*16, 1)).Add(n, big.NewRat(1, 1))
	return int(new(big.Int).Quo(n.Num(), n.Denom()).Int64() / 2)
}

// figure is a bar's number, or what stands in a cell.
func figure(c Column, v Value) string {
	switch {
	case !v.Known:
		return "-"
	case c.Kind == Number && v.Number == nil: // NaN
		return v.Text
	case c.Kind == Moment:
		return c.label(v)
	}
	return c.spell(v)
}

// partly are blocks of one to seven eighths.
var partly = []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// bar is one line. What isn't zero shows.
func (s scale) bar(label string, v Value, c Column) string {
	left, rightward := strings.Repeat(" ", s.left), ""
	if n := v.Number; n != nil && n.Sign() > 0 {
		e := max(1, eighths(n, s.most, s.right))
		rightward = strings.Repeat("█", e/8) + partly[e%8]
	} else if n != nil && n.Sign() < 0 {
		full := eighths(n, s.least, s.left) / 8
		left = right(strings.Repeat("█", max(1, full)), s.left)
	}
	return fit(label, s.label) + " " + left + fit(rightward, s.right) + " " + right(strings.TrimRight(fit(figure(c, v), s.figure), " "), s.figure)
}
