package pipeline

import (
	"sync"
	"time"

	"github.com/pgask/pgask/pipeline/planner"
)

// ledger counts what models have cost each user today, in tokens. The day is UTC's. It
// is this process's alone, and begins anew with it.
type ledger struct {
	mu    sync.Mutex
	day   string
	spent map[string]int64
}

// reserve adds to what a user has spent, unless that would go past the limit.
func (l *ledger) reserve(user string, tokens, limit int64, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(now)
	if l.spent[user]+tokens > limit {
		return false
	}
	l.spent[user] += tokens
	return true
}

// settle adds the difference between what was reserved and what was spent. What was
// reserved yesterday is today's: a day is too short to tell it apart.
func (l *ledger) settle(user string, tokens int64, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(now)
	l.spent[user] = max(0, l.spent[user]+tokens)
}

// turn begins a new day.
func (l *ledger) turn(now time.Time) {
	if day := now.UTC().Format(time.DateOnly); day != l.day {
		l.day, l.spent = day, map[string]int64{}
	}
}

// budget is what models may cost this session's user under its role.
func (s *Session) budget(at *standing) planner.Budget {
	b := planner.Budget{Question: at.role.Limits.QuestionTokens}
	if limit := at.role.Limits.DailyTokens; limit > 0 {
		b.Reserve = func(n int64) bool { return s.p.spent.reserve(s.who.User, n, limit, s.p.now()) }
		b.Settle = func(n int64) { s.p.spent.settle(s.who.User, n, s.p.now()) }
	}
	return b
}
