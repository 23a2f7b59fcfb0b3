package llm

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// firstWait is the pause before the first retry; each later one is doubled.
const firstWait = 500 * time.Millisecond

// try asks until there is an answer, the failure is one that asking again
// can't mend, the retries are used up, or the next pause would outlast ctx.
func (c *Client) try(ctx context.Context, r Request) (Reply, error) {
	wait := firstWait
	for attempt := 0; ; attempt++ {
		reply, header, fail := c.once(ctx, r)
		if fail == nil {
			return reply, nil
		}
		if !fail.retry || attempt >= c.config.Retries {
			return Reply{}, fail
		}
		pause := max(wait, retryAfter(header))
		if end, ok := ctx.Deadline(); ok && time.Until(end) <= pause {
			return Reply{}, fail
		}
		if c.config.Sleep(ctx, pause) != nil {
			return Reply{}, timeout("no answer in time")
		}
		wait *= 2
	}
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
