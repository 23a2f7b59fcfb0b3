package socket

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// Reloading is what Tell is given when a reload begins.
func Reloading() []string {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return []string{"RELOADING=1"}
	}
	return []string{"RELOADING=1", "MONOTONIC_USEC=" + strconv.FormatInt(now.Nano()/1000, 10)}
}
