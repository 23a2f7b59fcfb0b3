package company

import "time"

// ARR is an account's annual recurring revenue at the end of a month: a stock,
// not a flow.
type ARR struct {
	Account int
	Month   time.Time
	Dollars int
}

// recurring follows each account from its first month in the history to the
// one in which it left, with some expansion and less contraction.
func recurring(r random, cal calendar, accounts []Account) []ARR {
	var rows []ARR
	for i := range accounts {
		a := &accounts[i]
		dollars := startingARR(r, a.Segment)
		for m := max(0, cal.monthOf(a.Created)); m < Months; m++ {
			month := cal.month(m)
			if !a.churned.IsZero() && !month.Before(a.churned) {
				break
			}
			switch {
			case r.chance(45):
				dollars += dollars * r.between(5, 22) / 100
			case r.chance(18):
				dollars -= dollars * r.between(4, 15) / 100
			}
			rows = append(rows, ARR{Account: a.ID, Month: month, Dollars: dollars})
		}
	}
	return rows
}

func startingARR(r random, segment string) int {
	switch segment {
	case "Enterprise":
		return r.between(120, 480) * 500
	case "Mid-Market":
		return r.between(24, 120) * 500
	default:
		return r.between(6, 48) * 200
	}
}
