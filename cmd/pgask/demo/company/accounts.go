package company

import (
	"fmt"
	"sort"
	"strings"
	"time"
)

// Account is a customer of one of the two tenants.
type Account struct {
	ID, Tenant                                   int
	Name, Region, Country, Segment, Email, TaxID string
	Created                                      time.Time

	churned time.Time // zero: still a customer
	buys    bool      // some accounts never order
	weight  int       // how much business it does
}

// idle are the places, among the accounts of one tenant and region, of those
// that never order: a question about them must find some everywhere.
func idle(place int) bool { return place == 2 || place == 9 || place == 16 || place == 21 }

// accounts makes the accounts, oldest first. About two in three are older than
// the history.
func accounts(r random, cal calendar) []Account {
	names := accountNames(r)
	created := make([]time.Time, accountCount)
	for i := range created {
		days := r.between(-2150, int(cal.today.Sub(cal.start).Hours()/24)-5)
		created[i] = cal.clip(cal.start.AddDate(0, 0, days).Add(time.Duration(r.between(7*3600, 20*3600)) * time.Second))
	}
	sort.Slice(created, func(i, j int) bool { return created[i].Before(created[j]) })
	places := map[string]int{}
	list := make([]Account, accountCount)
	for i := range list {
		a := &list[i]
		a.ID, a.Name, a.Created = i+1, names[i], created[i]
		a.Tenant = 1 + r.weighted([]int{60, 40})
		a.locate(r)
		a.size(r)
		group := fmt.Sprint(a.Tenant, a.Region)
		a.buys = !idle(places[group])
		places[group]++
		a.leave(r, cal)
	}
	return list
}

func (a *Account) locate(r random) {
	regions := []string{"AMER", "EMEA", "APAC"}
	countries := [][]string{
		{"United States", "United States", "United States", "Canada", "Mexico", "Brazil"},
		{"Germany", "Germany", "United Kingdom", "United Kingdom", "France", "Netherlands", "Spain", "Sweden", "South Africa"},
		{"Japan", "Japan", "Australia", "Australia", "Singapore", "India"},
	}
	i := r.weighted([]int{44, 35, 21})
	a.Region, a.Country = regions[i], pick(r, countries[i])
	slug := strings.ReplaceAll(strings.ToLower(a.Name), " ", "-")
	a.Email = pick(r, []string{"billing", "accounts", "office", "orders"}) + "@" + slug + ".example"
	a.TaxID = fmt.Sprintf("%s-%08d", strings.ToUpper(a.Country[:2]), r.below(100_000_000))
}

func (a *Account) size(r random) {
	i := r.weighted([]int{50, 32, 18})
	a.Segment = []string{"SMB", "Mid-Market", "Enterprise"}[i]
	a.weight = []int{2, 5, 12}[i] + r.below(4)
}

// leave lets about one account in ten end its contract during the history.
func (a *Account) leave(r random, cal calendar) {
	for m := max(0, cal.monthOf(a.Created)+4); m < Months; m++ {
		if r.chance(5) {
			a.churned = cal.month(m)
			return
		}
	}
}

// active tells whether the account is a customer at that time.
func (a *Account) active(t time.Time) bool {
	return !t.Before(a.Created) && (a.churned.IsZero() || t.Before(a.churned))
}

// accountNames are 400 different names in random order.
func accountNames(r random) []string {
	first := strings.Fields("Alder Amber Anvil Basalt Beacon Birch Cedar Cobalt Copper Coral Delta Ember Fjord Granite Harbor Indigo Juniper Kestrel Larch Maple")
	second := strings.Fields("Analytics Bakeries Ceramics Diagnostics Energy Freight Gardens Instruments Kitchens Logistics Media Outfitters Packaging Robotics Shipping Studios Textiles Tools Travel Works")
	names := make([]string, 0, accountCount)
	for _, f := range first {
		for _, s := range second {
			names = append(names, f+" "+s)
		}
	}
	for i := len(names) - 1; i > 0; i-- {
		j := r.below(i + 1)
		names[i], names[j] = names[j], names[i]
	}
	return names
}
