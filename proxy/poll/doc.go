// Package poll lets one thread serve many connections. A [Loop] runs handlers
// one at a time; a [Conn] that is attached to it neither blocks nor has a
// goroutine, and its handler is called when there may be something to read, or
// room to write again.
//
// A Conn starts as a plain net.Conn that blocks: for log-ins, TLS handshakes
// and whatever else is a conversation. Attach makes it non-blocking, Detach
// makes it block again. Above a Conn there may be a *tls.Conn all the time:
// crypto/tls goes on after [ErrAgain], which says that it is temporary.
//
// On Linux, sockets are watched by epoll and read and written by system calls
// that the Go scheduler isn't told of, since they can't block. A loop that waits
// for events is parked like any goroutine that waits for a socket. Everything else
// has goroutines of its own that read and write ahead (pump.go): other systems,
// and connections that are no sockets.
package poll
