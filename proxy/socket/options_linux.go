package socket

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

func reusePort(fd int) error {
	return os.NewSyscallError("SO_REUSEPORT", unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1))
}

// userTimeout ends a connection whose bytes stay unacknowledged for so long.
func userTimeout(fd int, limit time.Duration) error {
	return os.NewSyscallError("TCP_USER_TIMEOUT", unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(limit.Milliseconds())))
}

// Flags of TCP, and where a header has them.
const (
	flagsAt = 13
	syn     = 0x02
	ack     = 0x10
)

// refuseNew makes a listening socket deaf to the packet that opens a connection.
// Closing a socket resets whoever waits in its queue, and until it is closed
// the system goes on giving it its share of the clients. A client whose packet
// was dropped repeats it after a second, and then another socket gets it.
func refuseNew(fd int) error {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: flagsAt},
		{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: syn | ack},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: syn, Jt: 0, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0xffffffff},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	return os.NewSyscallError("SO_ATTACH_FILTER", unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &program))
}
