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
			if err := throttle.Refuse(here); err != nil {
				t.Fatalf("after %d failures: %v", i, err)
			}
			throttle.Failed(here, "ana")
		}
		if err := throttle.Refuse(here); code(err) != "28000" || strings.Contains(err.Error(), "ana") {
			t.Errorf("after 10: %v", err)
		}
		if err := throttle.Refuse(there); err != nil {
			t.Errorf("another address: %v", err)
		}
		if throttle.Pause("ana") != time.Second || throttle.Pause("ben") != 0 {
			t.Errorf("pauses: %s, %s", throttle.Pause("ana"), throttle.Pause("ben"))
		}
		time.Sleep(6*time.Second - time.Millisecond)
		if throttle.Refuse(here) == nil || throttle.Pause("ana") == 0 {
			t.Error("forgotten before its time")
		}
		time.Sleep(time.Millisecond) // a tenth of a minute: one more
		if throttle.Refuse(here) != nil || throttle.Pause("ana") != 0 {
			t.Error("not forgotten in time")
		}
		throttle.Failed(here, "ana")
		if throttle.Refuse(here) == nil {
			t.Error("two for one")
		}
		time.Sleep(time.Hour) // a bucket holds no more than a minute's worth
		for range 10 {
			throttle.Failed(here, "ana")
		}
		if throttle.Refuse(here) == nil {
			t.Error("a bucket without a bottom")
		}
	})
}

func TestThrottleWithoutLimit(t *testing.T) {
	none := NewThrottle(0)
	for range 1000 {
		none.Failed(netip.MustParseAddr("192.0.2.1"), "ana")
	}
	if none.Refuse(netip.MustParseAddr("192.0.2.1")) != nil || none.Pause("ana") != 0 {
		t.Error("0 is a limit")
	}
}

// TestThrottleByNetwork: who has a block of IPv6 addresses has one bucket, and
// who comes by a Unix socket none.
func TestThrottleByNetwork(t *testing.T) {
	throttle := NewThrottle(5)
	for i := range 5 {
		throttle.Failed(netip.MustParseAddr(fmt.Sprintf("2001:db8::%d", i)), fmt.Sprint(i))
		throttle.Failed(netip.Addr{}, "local")
	}
	if throttle.Refuse(netip.MustParseAddr("2001:db8::99")) == nil {
		t.Error("each address of a network has its own bucket")
	}
	if err := throttle.Refuse(netip.MustParseAddr("2001:db8:0:1::1")); err != nil {
		t.Errorf("another network: %v", err)
	}
	if throttle.Refuse(netip.Addr{}) != nil || throttle.Pause("local") == 0 {
		t.Error("local clients")
	}
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
