package llm

// Failure is the kind of a provider's failure, as DETAIL shows it.
type Failure string

// The kinds of failure.
const (
	RateLimit   Failure = "PROVIDER_RATE_LIMIT"
	Auth        Failure = "PROVIDER_AUTH"
	Timeout     Failure = "PROVIDER_TIMEOUT"
	Unavailable Failure = "PROVIDER_UNAVAILABLE"
	BadReply    Failure = "PROVIDER_BAD_REPLY"
)

// ProviderError says that the provider gave no usable answer. Its texts are
// made of fixed words, an HTTP status and the provider's error code: neither
// key, address, prompt nor the provider's prose can be in them, because users
// read them. It wraps nothing for the same reason.
type ProviderError struct {
	Kind Failure
	// Reason completes "model provider failed: ".
	Reason string
	// Status is the HTTP status, 0 where none arrived.
	Status int

	retry bool // asking again may help
}

// Error is the failure in one line.
func (e *ProviderError) Error() string { return "model provider failed: " + e.Reason }

// SQLState is PA009.
func (e *ProviderError) SQLState() string { return "PA009" }

// Detail is the kind of failure.
func (e *ProviderError) Detail() string { return string(e.Kind) }

func badReply(reason string) *ProviderError {
	return &ProviderError{Kind: BadReply, Reason: reason}
}
