package auth

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"
)

const (
	// throttled is how many addresses, and how many users, are remembered. The
	// one that failed longest ago is forgotten first.
	throttled = 1 << 14
	// pause is how long a login waits whose user has too many failures. It is
	// not refused: who guesses at a password must not lock its owner out.
	pause = time.Second
	// prefix6 is how many bits of an IPv6 address belong to one customer.
	prefix6 = 64
)

// Throttle slows down guessing. It counts failed logins by address and by the
// user they were for, whether or not there is such a user, each in a bucket that
// holds a minute's worth and fills up over a minute. It is safe for concurrent
// use; a nil Throttle lets everything through.
type Throttle struct {
	mu        sync.Mutex
	seed      maphash.Seed
	addresses *buckets // guarded by mu
	users     *buckets // guarded by mu
}

// NewThrottle allows so many failures a minute; nil for 0, which is no limit.
func NewThrottle(failures int) *Throttle {
	if failures <= 0 {
		return nil
	}
	return &Throttle{seed: maphash.MakeSeed(), addresses: newBuckets(failures, throttled), users: newBuckets(failures, throttled)}
}

// Refuse is [Throttled] for an address with too many failures. Ask it before a
// login begins, and again before a proof is checked: many logins may have begun
// at once. Clients without an address are not throttled by it.
func (t *Throttle) Refuse(addr netip.Addr) error {
	if t == nil || !addr.IsValid() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.addresses.empty(t.address(addr), time.Now()) {
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

// Failed counts a password that was wrong.
func (t *Throttle) Failed(addr netip.Addr, user string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.users.take(t.user(user), now)
	if addr.IsValid() {
		t.addresses.take(t.address(addr), now)
	}
}

// Keys are hashes, so that long names take no memory.

func (t *Throttle) user(name string) uint64 { return maphash.String(t.seed, name) }

func (t *Throttle) address(addr netip.Addr) uint64 {
	if addr.Is6() {
		if block, err := addr.Prefix(prefix6); err == nil {
			addr = block.Addr()
		}
	}
	return maphash.Comparable(t.seed, addr)
}

// Throttled is a login that is refused unseen.
type Throttled struct{}

// Error says nothing of the user.
func (*Throttled) Error() string { return "too many failed logins from this address" }

// Hint is what to do.
func (*Throttled) Hint() string { return "Wait a minute, then try again." }

// SQLState is invalid_authorization_specification.
func (*Throttled) SQLState() string { return "28000" }
