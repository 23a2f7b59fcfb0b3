package company

import (
	"sort"
	"time"
)

// Order is what an account ordered at one time.
type Order struct {
	ID, Account, Tenant int
	Status, Currency    string
	Ordered             time.Time
}

// Item is a line of an order. The price is the one at the time of the order.
type Item struct {
	Order, Product, Quantity int
	Cents                    int
	DiscountPercent          int
}

// orders draws the times, then for each time an account that is a customer
// then, big ones more often.
func orders(r random, cal calendar, accounts []Account) []Order {
	buyers := newBuyers(accounts)
	list := make([]Order, orderCount)
	for i, at := range moments(r, cal, orderCount) {
		a := buyers.pick(r, at)
		status := []string{"completed", "cancelled", "refunded"}[r.weighted([]int{82, 11, 7})]
		list[i] = Order{ID: i + 1, Account: a.ID, Tenant: a.Tenant, Status: status, Currency: currency(a.Country), Ordered: at}
	}
	return list
}

// buyers are the accounts that order, oldest first, with their weights summed
// up.
type buyers struct {
	accounts   []*Account
	cumulative []int
}

func newBuyers(accounts []Account) buyers {
	var b buyers
	total := 0
	for i := range accounts {
		if accounts[i].buys {
			total += accounts[i].weight
			b.accounts = append(b.accounts, &accounts[i])
			b.cumulative = append(b.cumulative, total)
		}
	}
	return b
}

// pick draws until it meets a customer of that time. There always is one: most
// accounts are older than the history and few leave.
func (b buyers) pick(r random, at time.Time) *Account {
	known := sort.Search(len(b.accounts), func(i int) bool { return b.accounts[i].Created.After(at) })
	for {
		x := r.below(b.cumulative[known-1])
		if a := b.accounts[sort.SearchInts(b.cumulative, x+1)]; a.active(at) {
			return a
		}
	}
}

func currency(country string) string {
	switch country {
	case "Germany", "France", "Netherlands", "Spain":
		return "EUR"
	case "United Kingdom":
		return "GBP"
	case "Japan":
		return "JPY"
	case "Australia":
		return "AUD"
	case "Canada":
		return "CAD"
	default:
		return "USD"
	}
}

// items gives every order one to six different products, itemCount in all.
func items(r random, cal calendar, c *Company) []Item {
	counts := lineCounts(r, len(c.Orders))
	popularity := make([]int, len(c.Products))
	for i := range popularity {
		popularity[i] = r.between(2, 20)
	}
	list := make([]Item, 0, itemCount)
	for i, o := range c.Orders {
		segment := c.Accounts[o.Account-1].Segment
		for _, p := range draw(r, popularity, counts[i]) {
			cents := c.Products[p].Cents
			if cal.monthOf(o.Ordered) < Months/2 {
				cents = cents * 96 / 100 // prices rose in the middle of the history
			}
			list = append(list, Item{Order: o.ID, Product: p + 1, Quantity: quantity(r, segment), Cents: cents,
				DiscountPercent: []int{0, 5, 10, 15, 20, 25}[r.weighted([]int{58, 14, 13, 7, 5, 3})]})
		}
	}
	return list
}

// lineCounts says how many lines each order has; they add up to itemCount.
func lineCounts(r random, n int) []int {
	counts := make([]int, n)
	sum := 0
	for i := range counts {
		counts[i] = 1 + r.weighted([]int{28, 28, 22, 14, 8})
		sum += counts[i]
	}
	for sum != itemCount {
		i := r.below(n)
		switch {
		case sum < itemCount && counts[i] < 6:
			counts[i]++
			sum++
		case sum > itemCount && counts[i] > 1:
			counts[i]--
			sum--
		}
	}
	return counts
}

// draw takes n different indexes by weight, in order.
func draw(r random, weights []int, n int) []int {
	chosen := make([]int, 0, n)
	for len(chosen) < n {
		i := r.weighted(weights)
		at := sort.SearchInts(chosen, i)
		if at < len(chosen) && chosen[at] == i {
			continue
		}
		chosen = append(chosen, 0)
		copy(chosen[at+1:], chosen[at:])
		chosen[at] = i
	}
	return chosen
}

func quantity(r random, segment string) int {
	if segment == "Enterprise" {
		return r.between(2, 14)
	}
	return r.between(1, 6)
}
