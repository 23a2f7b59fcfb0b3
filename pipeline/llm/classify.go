package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

func timeout(reason string) *ProviderError {
	return &ProviderError{Kind: Timeout, Reason: reason}
}

// classify says which of the five failures an error of the library is. The
// error's own text is dropped: it may quote the address, the key or the prompt.
func (c *Client) classify(ctx context.Context, err error) *ProviderError {
	var (
		api    *openai.APIError
		plain  *openai.RequestError
		call   *url.Error
		netErr net.Error
	)
	switch {
	case ctx.Err() != nil:
		return timeout("no answer in time")
	case errors.As(err, &api):
		return ofStatus(api.HTTPStatusCode, c.code(api))
	case errors.As(err, &plain):
		return ofStatus(plain.HTTPStatusCode, "")
	case errors.Is(err, errTooBig):
		return badReply(fmt.Sprintf("the reply is over %d bytes", c.config.ReplyBytes))
	case errors.Is(err, errNotText):
		return badReply("the reply is not UTF-8")
	case errors.Is(err, errCut):
		return &ProviderError{Kind: Unavailable, Reason: "the connection broke off"}
	case errors.As(err, &netErr) && netErr.Timeout():
		return timeout("no answer in time")
	case errors.As(err, &call), errors.As(err, new(*net.OpError)):
		return &ProviderError{Kind: Unavailable, Reason: "it can't be reached"}
	case isDecoding(err):
		return badReply("the reply is not what the API describes")
	}
	return &ProviderError{Kind: Unavailable, Reason: "the request failed"}
}

func isDecoding(err error) bool {
	return errors.As(err, new(*json.SyntaxError)) || errors.As(err, new(*json.UnmarshalTypeError)) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// ofStatus sorts HTTP statuses. A used-up quota is the one rate limit that
// waiting a second doesn't lift.
func ofStatus(status int, code string) *ProviderError {
	e := &ProviderError{Status: status, Reason: fmt.Sprintf("HTTP status %d", status)}
	if code != "" {
		e.Reason += " (" + code + ")"
	}
	switch {
	case status == http.StatusTooManyRequests:
		e.Kind, e.retry = RateLimit, code != "insufficient_quota"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Kind = Auth
	case status == http.StatusRequestTimeout:
		e.Kind, e.retry = Timeout, true
	case status >= 500:
		e.Kind, e.retry = Unavailable, true
	case status == http.StatusNotFound:
		e.Kind = Unavailable
	default:
		e.Kind = BadReply
	}
	return e
}

var codeForm = regexp.MustCompile(`^[a-z][a-z0-9_]{2,47}$`)

// code is the provider's machine-readable error code where it looks like one
// and can't be a secret: it is the only word of a provider that users see.
func (c *Client) code(e *openai.APIError) string {
	code, _ := e.Code.(string)
	if !codeForm.MatchString(code) || (c.config.APIKey != "" && strings.Contains(code, c.config.APIKey)) {
		return ""
	}
	return code
}
