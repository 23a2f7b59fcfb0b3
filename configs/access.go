package configs

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// AccessRule is one entry of access in users.yaml, as pg_hba.conf has them: it
// is about the clients that fit all of its conditions, and the first such rule
// decides. A nil list is no condition; an empty one fits nobody.
type AccessRule struct {
	Pos       Pos
	Users     []string // * is a wildcard
	Databases []string // * is a wildcard
	Addresses []Address
	TLS       string // any | required | certificate
	Action    string // allow | reject
}

// Address is a block of IP addresses, or what has none: the clients of a Unix
// socket.
type Address struct {
	Local  bool
	Prefix netip.Prefix
}

// Contains tells whether a client's address is in the block. The invalid
// address is that of a local client; an IPv4 address has its own form.
func (a Address) Contains(client netip.Addr) bool {
	if a.Local || !client.IsValid() {
		return a.Local && !client.IsValid()
	}
	return a.Prefix.Contains(client)
}

// FitsUser tells whether the rule is about a user of that name.
func (r *AccessRule) FitsUser(name string) bool { return fits(r.Users, name) }

// FitsDatabase tells whether the rule is about a database of that name.
func (r *AccessRule) FitsDatabase(name string) bool { return fits(r.Databases, name) }

// FitsAddress tells whether the rule is about clients at that address.
func (r *AccessRule) FitsAddress(client netip.Addr) bool {
	return r.Addresses == nil || slices.ContainsFunc(r.Addresses, func(a Address) bool { return a.Contains(client) })
}

func fits(patterns []string, name string) bool {
	return patterns == nil || slices.ContainsFunc(patterns, func(p string) bool { return glob(p, name) })
}

// glob matches names that are no SQL: as written, with * for any characters.
func glob(pattern, name string) bool { return matchPart(pattern, strings.Contains(pattern, "*"), name) }

// accessRules reads access. What rules do to each other is seen once each is
// as its author meant it.
func accessRules(dst *[]AccessRule) setter {
	return func(v value) {
		before := v.d.wrong
		records(dst, "", accessRule)(v)
		switch {
		case v.d.wrong > before:
		case len(*dst) == 0:
			v.warn("an empty list lets nobody in; leave the key out for everybody")
		default:
			v.futile(*dst)
		}
	}
}

// accessRule reads one entry of access.
func accessRule(r *AccessRule) setter {
	return func(v value) {
		r.Pos, r.TLS = v.pos(), "any"
		v.object(fields{
			"users":     texts(&r.Users),
			"databases": texts(&r.Databases),
			"addresses": list(&r.Addresses, address),
			"tls":       enum(&r.TLS, "any", "required", "certificate"),
			"action":    enum(&r.Action, "allow", "reject"),
		})
		v.need("action", r.Action != "")
	}
}

// address reads a CIDR block, a single address or the word local.
func address(dst *Address) setter {
	return func(v value) {
		s, ok := v.scalar("an address such as 10.0.0.0/8")
		if !ok {
			return
		}
		if s == "local" {
			dst.Local = true
			return
		}
		block, err := netip.ParsePrefix(s)
		if err != nil {
			var one netip.Addr
			if one, err = netip.ParseAddr(s); err == nil && one.Zone() == "" {
				block = netip.PrefixFrom(one, one.BitLen())
			}
		}
		switch {
		case !block.IsValid():
			v.fault("expected a block such as 10.0.0.0/8 or fd00::/8, one address or local, got %q", s)
		case block.Addr().Is4In6():
			v.fault("write an IPv4 address as such: %s", block.Addr().Unmap())
		case block != block.Masked():
			v.fault("%s has bits behind its mask; the block is %s", s, block.Masked())
		default:
			dst.Prefix = block
		}
	}
}

// futile warns of rules that can never decide: those that fit nobody, and
// those whose every client an earlier rule takes.
func (v value) futile(rules []AccessRule) {
	for i := range rules {
		r := &rules[i]
		warn := func(format string, args ...any) {
			v.d.faults = append(v.d.faults, Fault{Pos: r.Pos, Key: fmt.Sprintf("access[%d]", i), Msg: fmt.Sprintf(format, args...), Warning: true})
		}
		switch earlier := slices.IndexFunc(rules[:i], func(e AccessRule) bool { return e.covers(r) }); {
		case empty(r.Users), empty(r.Databases), empty(r.Addresses):
			warn("it has an empty list and so fits nobody; leave the key out for everybody")
		case earlier >= 0:
			warn("it never decides: the rule on line %d takes all its clients", rules[earlier].Pos.Line)
		}
	}
}

func empty[T any](list []T) bool { return list != nil && len(list) == 0 }

// covers tells whether the rule surely fits every client that another fits.
func (r *AccessRule) covers(other *AccessRule) bool {
	strict := []string{"any", "required", "certificate"} // each includes the next
	return coversNames(r.Users, other.Users) && coversNames(r.Databases, other.Databases) &&
		coversAddresses(r.Addresses, other.Addresses) && slices.Index(strict, r.TLS) <= slices.Index(strict, other.TLS)
}

// coversNames compares patterns: one that matches another's text, with its *
// for a character like others, matches all that the other does.
func coversNames(patterns, others []string) bool {
	if patterns == nil || others == nil {
		return patterns == nil || slices.Contains(patterns, "*")
	}
	for _, o := range others {
		if !fits(patterns, o) {
			return false
		}
	}
	return true
}

func coversAddresses(blocks, others []Address) bool {
	if blocks == nil || others == nil {
		return blocks == nil
	}
	for _, o := range others {
		if !slices.ContainsFunc(blocks, func(b Address) bool {
			return b == o || !b.Local && !o.Local && b.Prefix.Overlaps(o.Prefix) && b.Prefix.Bits() <= o.Prefix.Bits()
		}) {
			return false
		}
	}
	return true
}
