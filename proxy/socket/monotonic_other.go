//go:build !linux

package socket

// Reloading is what Tell is given when a reload begins.
func Reloading() []string { return []string{"RELOADING=1"} }
