package hook

// Denied is a hook's refusal.
type Denied struct{ Reason string }

// Error is the refusal in one line.
func (e *Denied) Error() string {
	if e.Reason == "" {
		return "a hook denied the answer"
	}
	return "a hook denied the answer: " + e.Reason
}

// SQLState is PA010.
func (e *Denied) SQLState() string { return "PA010" }

// Detail tells a refusal from a failure.
func (e *Denied) Detail() string { return "HOOK_DENIED" }

// Failed is a hook that gave no usable reply.
type Failed struct {
	Hook   string // its name, for the log
	Reason string
	Err    error
}

func (h *Hook) failed(reason string, err error) *Failed {
	return &Failed{Hook: h.name, Reason: reason, Err: err}
}

// Fail is the failure of a hook whose reply can't be used. The reason is for the asker, so
// that it names nothing of the reply, which may hold what he may not know; err is for the log.
func (h *Hook) Fail(reason string, err error) error { return h.failed(reason, err) }

// Error says no more than that: which hooks there are is nobody's business.
func (e *Failed) Error() string { return "a hook failed, so there is no answer" }

// Unwrap is what went wrong, for the log.
func (e *Failed) Unwrap() error { return e.Err }

// SQLState is PA010.
func (e *Failed) SQLState() string { return "PA010" }

// Detail is HOOK_FAILED and why.
func (e *Failed) Detail() string { return "HOOK_FAILED: " + e.Reason }
