package auth

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
		throttle := NewThrottle(10)
		for i := range 10 {
			if err := throttle.Refuse(here, "ana"); err != nil {
				t.Fatalf("after %d failures: %v", i, err)
			}
			throttle.Failed(here, "ana")
		}
		if err := throttle.Refuse(here, "ana"); code(err) != "28000" || strings.Contains(err.Error(), "ana") {
			t.Errorf("after 10: %v", err)
		}
		if err := throttle.Refuse(there, "ana"); err != nil {
			t.Errorf("another address: %v", err)
		}
		if err := throttle.Refuse(here, "ben"); err != nil {
			t.Errorf("another user: %v", err)
		}
		if throttle.Pause("ana") != time.Second || throttle.Pause("ben") != 0 {
			t.Errorf("pauses: %s, %s", throttle.Pause("ana"), throttle.Pause("ben"))
		}
		time.Sleep(6*time.Second - time.Millisecond)
		if throttle.Refuse(here, "ana") == nil || throttle.Pause("ana") == 0 {
			t.Error("forgotten before its time")
		}
		time.Sleep(time.Millisecond) // a tenth of a minute: one more
		if throttle.Refuse(here, "ana") != nil || throttle.Pause("ana") != 0 {
			t.Error("not forgotten in time")
		}
		throttle.Failed(here, "ana")
		if throttle.Refuse(here, "ana") == nil {
			t.Error("two for one")
		}
		time.Sleep(time.Hour) // a bucket holds no more than a minute's worth
		for range 10 {
			throttle.Failed(here, "ana")
		}
		if throttle.Refuse(here, "ana") == nil {
			t.Error("a bucket without a bottom")
		}
	})
}

func TestThrottleWithoutLimit(t *testing.T) {
	none := NewThrottle(0)
	for range 1000 {
		none.Failed(netip.MustParseAddr("192.0.2.1"), "ana")
	}
	if none.Refuse(netip.MustParseAddr("192.0.2.1"), "ana") != nil || none.Pause("ana") != 0 {
		t.Error("0 is a limit")
	}
}

// TestThrottleByNetwork: who has a block of IPv6 addresses has one bucket, and
// who comes by a Unix socket none.
func TestThrottleByNetwork(t *testing.T) {
	throttle := NewThrottle(5)
	for i := range 5 {
		throttle.Failed(netip.MustParseAddr(fmt.Sprintf("2001:db8::%d", i)), "ana")
		throttle.Failed(netip.Addr{}, "local")
	}
	if throttle.Refuse(netip.MustParseAddr("2001:db8::99"), "ana") == nil {
		t.Error("each address of a network has its own bucket")
	}
	if err := throttle.Refuse(netip.MustParseAddr("2001:db8:0:1::1"), "ana"); err != nil {
		t.Errorf("another network: %v", err)
	}
	if throttle.Refuse(netip.Addr{}, "local") != nil || throttle.Pause("local") == 0 {
		t.Error("local clients")
	}
}

// TestThrottleByAddress: who guesses at many names is refused whomever he tries
// next, and one user who fails all the time takes nothing from the others.
func TestThrottleByAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here := netip.MustParseAddr("192.0.2.1")
		throttle := NewThrottle(3)
		var began []string
		try := func(user string) (err error) {
			if err = throttle.Refuse(here, user); err == nil {
				if block := throttle.Failed(here, user); block != nil {
					began = append(began, fmt.Sprint(user, block.Everybody))
				}
			}
			return err
		}
		for range 600 { // ten minutes of a service with a wrong password
			_ = try("service")
			time.Sleep(time.Second)
		}
		if err := throttle.Refuse(here, "ana"); err != nil || fmt.Sprint(began) != "[servicefalse]" {
			t.Errorf("beside a service: %v; blocks %v", err, began)
		}
		time.Sleep(time.Minute)
		for i := range 30 {
			if err := try(fmt.Sprint(i)); err != nil {
				t.Fatalf("name %d: %v", i, err)
			}
		}
		if err := try("ana"); code(err) != "28000" {
			t.Errorf("after ten times the limit: %v", err)
		}
		if fmt.Sprint(began) != "[servicefalse 29true]" {
			t.Errorf("blocks %v", began)
		}
	})
}

// TestThrottleIsBounded: an attacker with many names and addresses costs no
// memory, and is remembered himself.
func TestThrottleIsBounded(t *testing.T) {
	b := newBuckets(2, 100)
	now := time.Now()
	for i := range uint64(10_000) {
		b.take(i, now)
		b.take(i, now)
	}
	if len(b.by) != 100 || b.order.Len() != 100 {
		t.Errorf("%d and %d are remembered", len(b.by), b.order.Len())
	}
	if !b.empty(9_999, now) || b.empty(0, now) {
		t.Error("the wrong ones are remembered")
	}
}
