package auth

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"
)

const (
	// throttled is how many addresses, how many users, and how many users at an
	// address are remembered. The one that failed longest ago is forgotten first.
	throttled = 1 << 14
	// crowd is how many times a user's failures a whole address may have: behind
	// a balancer everybody has the same one.
	crowd = 10
	// pause is how long a login waits whose user has too many failures. It is
	// not refused: who guesses at a password must not lock its owner out.
	pause = time.Second
	// prefix6 is how many bits of an IPv6 address belong to one customer.
	prefix6 = 64
)

// Throttle slows down guessing. It counts failed logins by user and address,
// by address, and by user, whether or not there is such a user, each in a bucket
// that holds a minute's worth and fills up over a minute. It is safe for
// concurrent use; a nil Throttle lets everything through.
type Throttle struct {
	mu        sync.Mutex
	seed      maphash.Seed
	pairs     *buckets // guarded by mu; by user and address
	addresses *buckets // guarded by mu
	users     *buckets // guarded by mu
}

// NewThrottle allows a user so many failures a minute from one address and
// from all of them, and an address ten times as many; nil for 0, which is no
// limit.
func NewThrottle(failures int) *Throttle {
	if failures <= 0 {
		return nil
	}
	return &Throttle{seed: maphash.MakeSeed(), pairs: newBuckets(failures, throttled),
		addresses: newBuckets(crowd*failures, throttled), users: newBuckets(failures, throttled)}
}

// Refuse is [Throttled] for a user with too many failures from an address, and
// for an address with too many. Ask it before a login begins, and again before a
// proof is checked: many logins may have begun at once. Clients without an
// address are not throttled by it.
func (t *Throttle) Refuse(addr netip.Addr, user string) error {
	if t == nil || !addr.IsValid() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	switch {
	case t.addresses.empty(t.address(addr), now):
		return &Throttled{Everybody: true}
	case t.pairs.empty(t.pair(addr, user), now):
		return &Throttled{}
	}
	return nil
}

// Pause is how long a login for that user has to wait before it begins.
func (t *Throttle) Pause(user string) time.Duration {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users.empty(t.user(user), time.Now()) {
		return pause
	}
	return 0
}

// Failed counts a password that was wrong. It gives what Refuse says from now
// on where that begins with this failure, else nil; a block that lasts, with
// logins let through as its bucket fills, begins once.
func (t *Throttle) Failed(addr netip.Addr, user string) *Throttled {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.users.take(t.user(user), now)
	if !addr.IsValid() {
		return nil
	}
	one := t.pairs.take(t.pair(addr, user), now)
	switch all := t.addresses.take(t.address(addr), now); {
	case all:
		return &Throttled{Everybody: true}
	case one:
		return &Throttled{}
	}
	return nil
}

// Keys are hashes, so that long names take no memory.

func (t *Throttle) user(name string) uint64 { return maphash.String(t.seed, name) }

func (t *Throttle) address(addr netip.Addr) uint64 { return maphash.Comparable(t.seed, network(addr)) }

func (t *Throttle) pair(addr netip.Addr, user string) uint64 {
	return maphash.Comparable(t.seed, struct {
		addr netip.Addr
		user string
	}{network(addr), user})
}

// network is the address that stands for all that one customer has.
func network(addr netip.Addr) netip.Addr {
	if addr.Is6() {
		if block, err := addr.Prefix(prefix6); err == nil {
			return block.Addr()
		}
	}
	return addr
}

// Throttled is a login that is refused unseen.
type Throttled struct {
	// Everybody tells that all of the address's logins are, not only one user's.
	Everybody bool
}

// Error doesn't tell whether there is such a user.
func (t *Throttled) Error() string {
	if t.Everybody {
		return "too many failed logins from this address"
	}
	return "too many failed logins as this user from this address"
}

// Hint is what to do.
func (*Throttled) Hint() string { return "Wait a minute, then try again." }

// SQLState is invalid_authorization_specification.
func (*Throttled) SQLState() string { return "28000" }
