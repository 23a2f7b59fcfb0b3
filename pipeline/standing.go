package pipeline

import (
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/policy"
)

// standing is what a judgement rests on: the rules in force, the schema, and
// what a user may see of it. It is immutable, and all sessions that would have
// an equal one share it.
type standing struct {
	rules *Rules
	role  *policy.Role
	snap  *catalog.Snapshot
	view  *policy.View
	// attributes are the user's, which the view is bound to.
	attributes map[string]any
	// number is no other standing's, era that of rules and schema.
	number, era uint64
	known       atomic.Pointer[knowledge]
	learning    atomic.Bool // somebody samples again
}

// place is what standings are made from, attributes aside. Who logs in to
// Postgres is part of it, since that decides what statements are estimated to cost,
// and so is the user, whose name is the answer to current_user.
type place struct {
	db       *Database
	rules    *Rules
	snap     *catalog.Snapshot
	user     string
	roles    string
	login    auth.Login
	governed bool
}

// keptStandings is how many standings are kept for the next client while no
// session has them.
const keptStandings = 16

// standings finds the standing that a session shares with others. Only those
// of the rules and schema in force are found: they are an era.
type standings struct {
	mu     sync.Mutex
	number uint64
	eras   map[*Database]era
	by     map[place][]weak.Pointer[standing]
	kept   [keptStandings]*standing
	next   int
	// sweep is how many places there may be until those are looked for that
	// nobody stands at.
	sweep int
}

type era struct {
	rules  *Rules
	snap   *catalog.Snapshot
	number uint64
}

// get is the standing at a place for somebody of those attributes, made by build
// where there is none. began tells that it is the first of its era.
func (t *standings) get(at place, attributes map[string]any, build func() (*standing, error)) (s *standing, began bool, err error) {
	s, now, began := t.find(at, attributes)
	if s != nil {
		return s, began, nil
	}
	if s, err = build(); err != nil {
		return nil, began, err
	}
	return t.add(at, attributes, s, now), began, nil
}

// find is the standing, if there is one, and the era's number.
func (t *standings) find(at place, attributes map[string]any) (s *standing, number uint64, began bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.eras[at.db]; e.rules != at.rules || e.snap != at.snap {
		t.begin(at)
		began = true
	}
	return t.lookUp(at, attributes), t.eras[at.db].number, began
}

// begin forgets the standings of a database's last era.
func (t *standings) begin(at place) {
	if t.eras == nil {
		t.eras, t.by = map[*Database]era{}, map[place][]weak.Pointer[standing]{}
	}
	t.number++
	t.eras[at.db] = era{at.rules, at.snap, t.number}
	last := map[uint64]bool{}
	for p, all := range t.by {
		if p.db != at.db {
			continue
		}
		for _, w := range all {
			if s := w.Value(); s != nil {
				last[s.number] = true
			}
		}
		delete(t.by, p)
	}
	for i, s := range t.kept {
		if s != nil && last[s.number] {
			t.kept[i] = nil
		}
	}
}

func (t *standings) lookUp(at place, attributes map[string]any) *standing {
	for _, w := range t.by[at] {
		if s := w.Value(); s != nil && reflect.DeepEqual(s.attributes, attributes) {
			return s
		}
	}
	return nil
}

// add puts a new standing where others find it, unless somebody was first.
func (t *standings) add(at place, attributes map[string]any, s *standing, number uint64) *standing {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.number++
	s.attributes, s.number, s.era = attributes, t.number, number
	if t.eras[at.db].number != number {
		return s // rules or schema changed meanwhile: it won't be used again
	}
	if first := t.lookUp(at, attributes); first != nil {
		return first
	}
	t.by[at] = append(alive(t.by[at]), weak.Make(s))
	t.kept[t.next] = s
	t.next = (t.next + 1) % keptStandings
	if len(t.by) > t.sweep {
		t.sweepAll()
	}
	return s
}

// sweepAll forgets places that nobody stands at any more.
func (t *standings) sweepAll() {
	for p, all := range t.by {
		if all = alive(all); len(all) == 0 {
			delete(t.by, p)
		} else {
			t.by[p] = all
		}
	}
	t.sweep = 2*len(t.by) + keptStandings
}

// alive leaves out the standings that are gone.
func alive(all []weak.Pointer[standing]) []weak.Pointer[standing] {
	var out []weak.Pointer[standing]
	for _, w := range all {
		if w.Value() != nil {
			out = append(out, w)
		}
	}
	return out
}

// current reports whether an era is the newest of its database.
func (t *standings) current(db *Database, number uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.eras[db].number == number
}

// place is where the session stands under rules.
func (s *Session) place(rules *Rules, snap *catalog.Snapshot) place {
	return place{db: s.db, rules: rules, snap: snap, user: s.who.User, roles: strings.Join(s.who.Roles, "\x00"),
		login: s.login, governed: s.governed}
}
