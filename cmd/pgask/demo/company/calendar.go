package company

import (
	"sort"
	"time"
)

// Months is how many months the company's history has, the current one
// included.
const Months = 24

// calendar is the history: Months months, the last of which is today's.
type calendar struct {
	start, today time.Time // midnights, UTC
	cumulative   []int     // busyness of the days from start to today, summed up
}

// season is how busy each month of the year is, January first.
func season() [12]int {
	return [12]int{84, 88, 100, 98, 102, 104, 86, 80, 104, 110, 128, 132}
}

func newCalendar(today time.Time) calendar {
	today = time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC)
	c := calendar{today: today, start: time.Date(today.Year(), today.Month()-Months+1, 1, 0, 0, 0, 0, time.UTC)}
	total, busy := 0, season()
	for day := c.start; !day.After(today); day = day.AddDate(0, 0, 1) {
		weight := busy[day.Month()-1] * (100 + 3*c.monthOf(day))
		if wd := day.Weekday(); wd == time.Saturday || wd == time.Sunday {
			weight /= 3
		}
		total += weight
		c.cumulative = append(c.cumulative, total)
	}
	return c
}

// month is the first day of month i of the history.
func (c calendar) month(i int) time.Time { return c.start.AddDate(0, i, 0) }

// monthOf is the index of a day's month, negative before the history.
func (c calendar) monthOf(day time.Time) int {
	return (day.Year()-c.start.Year())*12 + int(day.Month()) - int(c.start.Month())
}

// moment is a time at which something happens: business grows, follows the
// season and rests at weekends. Nothing is later than midnight of today, so
// that no row lies in the future whatever the hour.
func (c calendar) moment(r random) time.Time {
	x := r.below(c.cumulative[len(c.cumulative)-1])
	day := sort.SearchInts(c.cumulative, x+1)
	return c.clip(c.start.AddDate(0, 0, day).Add(time.Duration(r.between(7*3600, 20*3600-1)) * time.Second))
}

// clip keeps a time from passing midnight of today.
func (c calendar) clip(t time.Time) time.Time {
	if t.After(c.today) {
		return c.today
	}
	return t
}
