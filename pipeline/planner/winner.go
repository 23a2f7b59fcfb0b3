package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// best is the reading that wins alone, or why none does.
func (q *question) best(readings []reading, why []error) (reading, error) {
	switch {
	case oneFits(readings):
		return readings[0], nil
	case len(readings) == 0:
		return reading{}, q.decline(why)
	case rivals(readings):
		return reading{}, q.ambiguous(readings)
	}
	return reading{}, &Declined{Reason: "the words fit too loosely", Try: q.try(nil)}
}

// oneFits tells whether the first reading wins alone.
func oneFits(readings []reading) bool {
	return len(readings) > 0 && !rivals(readings) && readings[0].cost <= maxCost
}

// rivals tells whether another reading is about as good as the first.
func rivals(readings []reading) bool {
	return len(readings) > 1 && readings[1].cost-readings[0].cost < winMargin
}

// maxCost is how loosely words may fit: beyond it the planner keeps silent.
const maxCost = 0.4

// ambiguous lists the readings that are about equally good. Their order depends on
// nothing but what they say, since READING n counts on it.
func (q *question) ambiguous(readings []reading) *Declined {
	var near []reading
	for _, r := range readings {
		if r.cost-readings[0].cost >= winMargin || len(near) == 5 {
			break
		}
		near = append(near, r)
	}
	slices.SortFunc(near, func(a, b reading) int {
		return cmp.Or(strings.Compare(a.text(), b.text()), strings.Compare(a.key, b.key))
	})
	d := &Declined{Reason: "the question has several readings"}
	for i, r := range near {
		d.Readings = append(d.Readings, Reading{Text: r.text(), Plan: r.plan,
			Ask: fmt.Sprintf("ASK %s READING %d", literal(q.in.Question), i+1)})
	}
	return d
}
