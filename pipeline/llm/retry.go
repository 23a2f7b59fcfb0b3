package llm

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// firstWait is the pause before the first retry; each later one is doubled.
const firstWait = 500 * time.Millisecond

// attempt makes one request. It gives the reply's header, which says after a
// failure how long to wait.
type attempt func(ctx context.Context) (http.Header, *ProviderError)

// try asks, in a slot of its own each time, until there is an answer, the failure is one that asking again
// can't mend, the retries are used up, or the next pause would outlast ctx.
func (c *Client) try(ctx context.Context, once attempt) error {
	wait := firstWait
	for attempt := 0; ; attempt++ {
		header, fail := c.inSlot(ctx, once)
		if fail == nil {
			return nil
		}
		if !fail.retry || attempt >= c.config.Retries {
			return fail
		}
		pause := max(wait, retryAfter(header))
		if end, ok := ctx.Deadline(); ok && time.Until(end) <= pause {
			return fail
		}
		if c.config.Sleep(ctx, pause) != nil {
			return timeout("no answer in time")
		}
		wait *= 2
	}
}

func (c *Client) inSlot(ctx context.Context, once attempt) (http.Header, *ProviderError) {
	if err := c.slots.Acquire(ctx, 1); err != nil {
		return nil, timeout("no free slot in time")
	}
	defer c.slots.Release(1)
	return once(ctx)
}

// retryAfter reads the pause a provider asks for, in seconds: the only form
// that chat providers send.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.ParseFloat(h.Get("Retry-After"), 64)
	if err != nil || seconds < 0 || seconds > 3600 {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}
