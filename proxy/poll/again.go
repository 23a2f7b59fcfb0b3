package poll

// ErrAgain is what an attached connection's Read returns when nothing is
// there: the handler will be called when that changes.
var ErrAgain error = again{}

// again is temporary in the sense of net.Error, which crypto/tls asks for: a
// connection can be read on after it.
type again struct{}

func (again) Error() string   { return "nothing to read yet" }
func (again) Timeout() bool   { return true }
func (again) Temporary() bool { return true }
