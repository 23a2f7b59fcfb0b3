package pipeline

import (
	"math"
	"sync"
	"time"

	"github.com/pgask/pgask/pipeline/planner"
)

// ledger counts what models have cost each user today. The day is UTC's. It is this
// process's alone, and begins anew with it.
type ledger struct {
	mu    sync.Mutex
	day   string
	spent map[string]planner.Spend
}

// reserve adds to what a user has spent, unless that would go past the limit.
func (l *ledger) reserve(user string, cost, limit planner.Spend, now time.Time) *planner.Overspent {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(now)
	sum := l.sum(user, cost)
	if over := sum.Over(limit); over != nil {
		over.Day = true
		return over
	}
	l.spent[user] = sum
	return nil
}

// settle adds the difference between what was reserved and what was spent. What was
// reserved yesterday is today's: a day is too short to tell it apart.
func (l *ledger) settle(user string, cost planner.Spend, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(now)
	l.spent[user] = l.sum(user, cost)
}

func (l *ledger) sum(user string, cost planner.Spend) planner.Spend {
	s := l.spent[user]
	return planner.Spend{Tokens: max(0, s.Tokens+cost.Tokens), Money: max(0, s.Money+cost.Money)}
}

// turn begins a new day.
func (l *ledger) turn(now time.Time) {
	if day := now.UTC().Format(time.DateOnly); day != l.day {
		l.day, l.spent = day, map[string]planner.Spend{}
	}
}

// budget is what models may cost this session's user under its role.
func (s *Session) budget(at *standing) *planner.Budget {
	l := at.role.Limits
	b := &planner.Budget{Question: planner.Spend{Tokens: l.QuestionTokens, Money: millionths(l.QuestionCost)}}
	if day := (planner.Spend{Tokens: l.DailyTokens, Money: millionths(l.DailyCost)}); day != (planner.Spend{}) {
		b.Reserve = func(cost planner.Spend) *planner.Overspent {
			return s.p.spent.reserve(s.who.User, cost, day, s.p.now())
		}
		b.Settle = func(cost planner.Spend) { s.p.spent.settle(s.who.User, cost, s.p.now()) }
	}
	return b
}

// millionths of an amount of money; what is less than one is one, since 0 is no limit.
func millionths(amount float64) int64 { return int64(math.Ceil(amount * 1e6)) }
