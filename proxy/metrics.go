package proxy

// noMetrics counts nothing.
type noMetrics struct{}

func (noMetrics) SessionOpened()            {}
func (noMetrics) SessionClosed(string)      {}
func (noMetrics) LoginFailed(string)        {}
func (noMetrics) Moved(Direction, int, int) {}
func (noMetrics) Judged(Verdict)            {}
func (noMetrics) Cancelled(bool)            {}
