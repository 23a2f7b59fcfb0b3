package llm

import (
	"context"
	"time"
)

// Exchange is one request with its reply or error, as it was made.
type Exchange struct {
	Model   string
	Request Request
	Reply   Reply
	Err     error
	Took    time.Duration
}

type hearerKey struct{}

// WithHearer tells of every Complete below ctx when it ends. It may be called by
// several goroutines at once.
func WithHearer(ctx context.Context, hear func(Exchange)) context.Context {
	return context.WithValue(ctx, hearerKey{}, hear)
}

func heard(ctx context.Context, e Exchange) {
	if hear, ok := ctx.Value(hearerKey{}).(func(Exchange)); ok {
		hear(e)
	}
}
