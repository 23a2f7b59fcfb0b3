package main

import "syscall"

// ownDescriptors is about what a process needs besides its sessions: files,
// listeners, cancel requests and questions of its own.
const ownDescriptors = 256

// fitClients is how many of the wanted sessions the limit of open files has
// room for, each with two connections, and how many files all would need. Go
// has raised the soft limit to the hard one when the program started.
func fitClients(wanted int, allowed uint64) (fit int, needed uint64) {
	needed = uint64(2*wanted + ownDescriptors)
	if allowed >= needed {
		return wanted, needed
	}
	own := min(ownDescriptors, allowed/2)
	return max(int((allowed-own)/2), 1), needed
}

// clients is limits.clients, or what of it fits.
func (s *service) clients() int {
	wanted := s.config.Limits.Clients
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		s.log.Warn("limit of open files unknown", "error", err)
		return wanted
	}
	fit, needed := fitClients(wanted, limit.Cur)
	if fit < wanted {
		s.log.Warn("too few open files are allowed for limits.clients", "allowed", limit.Cur, "needed", needed, "clients", fit)
	}
	return fit
}
