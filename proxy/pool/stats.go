package pool

import (
	"cmp"
	"slices"
	"time"
)

// Stat is the state of the backends of one login and mode.
type Stat struct {
	// User is the backend login, empty for the dsn's own.
	User     string
	Governed bool
	// Size is the most backends there may be. Active ones are lent, Resetting
	// ones are between two sessions.
	Size, Active, Idle, Resetting, Dialling int
	// Waiting requests have no backend; the first has waited for MaxWait.
	Waiting int
	MaxWait time.Duration
	// Counts since the start: loans, requests that had to wait and for how
	// long in all, dials and those that failed.
	Acquires, Waits     int64
	Waited              time.Duration
	Dials, DialFailures int64
}

// Stats are the pool's, by login and mode; those of logins that have been used.
func (p *Pool) Stats() []Stat {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	out := make([]Stat, 0, len(p.lots))
	for _, l := range p.lots {
		s := Stat{User: l.key.user, Governed: l.key.governed, Size: p.set.Size, Idle: len(l.idle), Dialling: l.dialling,
			Waiting: l.queue.Len(), Acquires: l.totals.acquires, Waits: l.totals.waits, Waited: l.totals.waited,
			Dials: l.totals.dials, DialFailures: l.totals.dialFailures}
		for b := range l.members {
			switch b.state {
			case lent:
				s.Active++
			case resetting:
				s.Resetting++
			}
		}
		if first := l.queue.Front(); first != nil {
			s.MaxWait = now.Sub(first.Value.(*waiter).since)
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Stat) int {
		if c := cmp.Compare(a.User, b.User); c != 0 || a.Governed == b.Governed {
			return c
		}
		if a.Governed {
			return 1
		}
		return -1
	})
	return out
}

// ServerInfo is one backend.
type ServerInfo struct {
	PID      uint32
	User     string // empty for the dsn's own
	Governed bool
	// State is active, idle or reset, Since when.
	State string
	Since time.Time
	// Born is when it was dialled, Address where.
	Born    time.Time
	Address string
}

// Servers are the backends there are, oldest first.
func (p *Pool) Servers() []ServerInfo {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []ServerInfo
	for _, l := range p.lots {
		for b := range l.members {
			out = append(out, ServerInfo{PID: b.PID, User: l.key.user, Governed: l.key.governed, State: b.state.String(),
				Since: b.since, Born: b.born, Address: b.address})
		}
	}
	slices.SortFunc(out, func(a, b ServerInfo) int { return cmp.Or(a.Born.Compare(b.Born), cmp.Compare(a.PID, b.PID)) })
	return out
}

// InUse is the number of backends that exist or are being dialled.
func (p *Pool) InUse() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, l := range p.lots {
		n += l.places
	}
	return n
}

// State is what an administrator has made of the pool: active, paused, killed
// or closed.
func (p *Pool) State() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return "closed"
	case p.refusal != nil:
		return "killed"
	case p.paused:
		return "paused"
	}
	return "active"
}
