//go:build !linux

package socket

import (
	"errors"
	"time"
)

func reusePort(int) error { return errors.New("reuse_port needs Linux") }

// userTimeout is left to keep-alive: other systems have no such option.
func userTimeout(int, time.Duration) error { return nil }

func refuseNew(int) error { return nil }
