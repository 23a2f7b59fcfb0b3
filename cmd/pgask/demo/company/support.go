package company

import (
	"fmt"
	"time"
)

// Conversation is a support case of an account. Closed is zero while it is
// open.
type Conversation struct {
	ID, Account, Tenant    int
	Opened, Closed         time.Time
	Channel, Subject, Body string
}

// topic is what a conversation may be about. In its texts %s is a product.
type topic struct {
	weight   int
	subjects []string
	problems []string
}

func topics() []topic {
	return []topic{
		{16, []string{"Invoice does not match the order", "Question about an invoice", "Wrong tax on the invoice"},
			[]string{"The invoice lists the %s twice.", "The discount we agreed on is missing for the %s.", "Our finance team needs the tax number on the invoice for the %s."}},
		{14, []string{"Cannot log in", "Locked out of the dashboard", "Password reset mail does not arrive"},
			[]string{"Since this morning nobody on our team can log in to see the %s.", "The login page accepts the password and then shows it again; the %s is out of reach."}},
		{15, []string{"Delivery is late", "Where is our shipment?", "Parcel arrived damaged"},
			[]string{"The %s was promised for last week and has not arrived.", "The box was open and the %s is scratched.", "Tracking has not moved for five days; we wait for the %s."}},
		{13, []string{"Device goes offline", "Readings stop at night", "Gateway loses its connection"},
			[]string{"The %s goes offline every few hours.", "Readings of the %s stop around midnight and come back at six.", "After the last firmware update the %s no longer connects."}},
		{10, []string{"Refund request", "Return of unused items", "Cancel our last order"},
			[]string{"We ordered one %s too many and would like to return it.", "The %s does not fit our site; please refund it."}},
		{9, []string{"API returns errors", "Rate limit too low", "Webhook called twice"},
			[]string{"Calls for the %s return error 500 about once an hour.", "We read the %s every minute and run into the rate limit."}},
		{8, []string{"Dashboard is slow", "Report takes minutes", "Export times out"},
			[]string{"The page of the %s takes half a minute to load.", "The monthly export of the %s times out."}},
		{8, []string{"Feature request", "Could you add an option?", "Idea for the next release"},
			[]string{"Please let us set an alert by weekday for the %s.", "We would like to group sites for the %s."}},
		{7, []string{"Help with the first installation", "Training for new operators", "How do we calibrate?"},
			[]string{"We are about to install the %s and have questions about its range.", "New colleagues need an introduction to the %s."}},
	}
}

func conversations(r random, cal calendar, c *Company) []Conversation {
	all := topics()
	weights := make([]int, len(all))
	for i, t := range all {
		weights[i] = t.weight
	}
	list := make([]Conversation, conversationCount)
	for i, at := range moments(r, cal, conversationCount) {
		a := anyCustomer(r, c.Accounts, at)
		t := all[r.weighted(weights)]
		list[i] = Conversation{ID: i + 1, Account: a.ID, Tenant: a.Tenant, Opened: at, Closed: closing(r, cal, at),
			Channel: []string{"email", "chat", "phone", "portal"}[r.weighted([]int{45, 25, 12, 18})],
			Subject: pick(r, t.subjects), Body: body(r, t, pick(r, c.Products).Name)}
	}
	return list
}

// anyCustomer draws until it meets a customer of that time.
func anyCustomer(r random, accounts []Account, at time.Time) *Account {
	for {
		if a := &accounts[r.below(len(accounts))]; a.active(at) {
			return a
		}
	}
}

// closing is an hour to nine days after the opening; some cases stay open, and
// so do those that would be closed after today.
func closing(r random, cal calendar, opened time.Time) time.Time {
	closed := opened.Add(time.Duration(r.between(3600, 9*86400)) * time.Second)
	if r.chance(30) || closed.After(cal.today) {
		return time.Time{}
	}
	return closed
}

func body(r random, t topic, product string) string {
	opening := pick(r, []string{"Hello,", "Good morning,", "Hi team,", "To whom it may concern:"})
	detail := pick(r, []string{
		"It affects all of our sites.", "Only one site is affected so far.", "It worked until last week.",
		"We tried it with two people and saw the same.", "There is no hurry, but we would like to know.",
		"This blocks us; please answer today.", "Screenshots are attached to the portal.",
	})
	closing := pick(r, []string{"Thank you.", "Please call us back.", "What should we do next?", "Kind regards."})
	return fmt.Sprintf("%s %s %s %s", opening, fmt.Sprintf(pick(r, t.problems), product), detail, closing)
}
