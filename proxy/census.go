package proxy

import (
	"net"
	"net/netip"
	"sync"
)

// census counts who is here, for the limits on one user's and one address's
// share. A session counts from its start-up packet (its address) or its login
// (its user) to its end.
type census struct {
	mu        sync.Mutex
	arriving  map[netip.Addr]int // guarded by mu
	addresses map[netip.Addr]int // guarded by mu
	users     map[string]int     // guarded by mu
}

func newCensus() *census {
	return &census{arriving: map[netip.Addr]int{}, addresses: map[netip.Addr]int{}, users: map[string]int{}}
}

// arrive counts a connection in that has not said yet what it wants. An
// address may have as many as sessions, and cancels more.
func (c *census) arrive(addr netip.Addr, limit, cancels int) (leave func(), err error) {
	if limit > 0 {
		limit += cancels
	}
	return c.of(c.arriving, addr, limit)
}

// fromAddress counts a client in, unless its address has its share; 0 is no
// limit. Who has no address, such as clients of a Unix socket, has none.
func (c *census) fromAddress(addr netip.Addr, limit int) (leave func(), err error) {
	return c.of(c.addresses, addr, limit)
}

func (c *census) of(here map[netip.Addr]int, addr netip.Addr, limit int) (leave func(), err error) {
	if !addr.IsValid() {
		return func() {}, nil
	}
	if !enter(&c.mu, here, addr, limit) {
		return nil, &Failure{Code: errCrowded.Code, Message: errCrowded.Message, Details: "All of this address's connections are in use."}
	}
	return func() { depart(&c.mu, here, addr) }, nil
}

// asUser counts a session in, unless its user has its share.
func (c *census) asUser(user string, limit int) (leave func(), err error) {
	if !enter(&c.mu, c.users, user, limit) {
		return nil, failure("53300", "too many connections for role %q", user)
	}
	return func() { depart(&c.mu, c.users, user) }, nil
}

func enter[K comparable](mu *sync.Mutex, here map[K]int, who K, limit int) bool {
	mu.Lock()
	defer mu.Unlock()
	if limit > 0 && here[who] >= limit {
		return false
	}
	here[who]++
	return true
}

func depart[K comparable](mu *sync.Mutex, here map[K]int, who K) {
	mu.Lock()
	defer mu.Unlock()
	if here[who]--; here[who] == 0 {
		delete(here, who)
	}
}

// addressOf is a client's IP address, an IPv4 one in its own form; invalid for
// what has none.
func addressOf(conn net.Conn) netip.Addr {
	tcp, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap().WithZone("")
}
