package company

import (
	"sort"
	"time"
)

// Seed is the seed of the company that the demo loads.
const Seed = 1

// Sizes of the tables whose sizes are fixed.
const (
	accountCount      = 400
	productCount      = 40
	orderCount        = 20_000
	itemCount         = 50_000
	conversationCount = 3_000
	employeeCount     = 60
)

// Company is the whole data set, rows in the order of their keys.
type Company struct {
	Accounts      []Account
	ARR           []ARR
	Products      []Product
	Orders        []Order
	Items         []Item
	Conversations []Conversation
	Payroll       []Employee
}

// Generate makes the company as it stands on the day of today.
func Generate(seed uint64, today time.Time) *Company {
	cal := newCalendar(today)
	c := &Company{Products: products(stream(seed, 1)), Payroll: payroll(stream(seed, 2), cal)}
	c.Accounts = accounts(stream(seed, 3), cal)
	c.ARR = recurring(stream(seed, 4), cal, c.Accounts)
	c.Orders = orders(stream(seed, 5), cal, c.Accounts)
	c.Items = items(stream(seed, 6), cal, c)
	c.Conversations = conversations(stream(seed, 7), cal, c)
	return c
}

// moments draws n times, in order.
func moments(r random, cal calendar, n int) []time.Time {
	times := make([]time.Time, n)
	for i := range times {
		times[i] = cal.moment(r)
	}
	sort.Slice(times, func(i, j int) bool { return times[i].Before(times[j]) })
	return times
}
