package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"
)

// Version is that of the events and replies.
const Version = 1

// Event is what a hook is told. It holds no values of rows, no attributes of users and
// no secrets. Plan belongs to plan.after, SQL to sql.before.
type Event struct {
	Version  int             `json:"version"`
	Hook     string          `json:"hook"` // plan.after | sql.before
	Database string          `json:"database"`
	User     string          `json:"user"`
	Roles    []string        `json:"roles"`
	Question string          `json:"question"`
	Source   string          `json:"source"`
	PlanHash string          `json:"plan_hash,omitempty"`
	Plan     json.RawMessage `json:"plan,omitempty"`
	SQL      string          `json:"sql,omitempty"`
}

// Reply is what it says. Modify comes with a plan or SQL in place of the event's.
type Reply struct {
	Decision string          `json:"decision"` // allow | modify | deny
	Reason   string          `json:"reason"`
	Plan     json.RawMessage `json:"plan"`
	SQL      string          `json:"sql"`
}

// Hook is one command or URL. It may be asked by several goroutines.
type Hook struct {
	name    string
	timeout time.Duration
	slots   chan struct{}
	ask     func(ctx context.Context, event []byte) ([]byte, error)
}

// atOnce is how often one hook may be running; who comes later waits.
const atOnce = 16

// maxReply bounds a reply in bytes.
const maxReply = 1 << 20

// New makes a hook of an entry of pgask.yaml: an http or https URL, or a command and its
// arguments, without a shell. Relative paths start at folder, where commands run.
func New(entry, folder string, timeout time.Duration) (*Hook, error) {
	h := &Hook{timeout: timeout, slots: make(chan struct{}, atOnce)}
	if strings.HasPrefix(entry, "http://") || strings.HasPrefix(entry, "https://") {
		u, err := url.Parse(entry)
		if err != nil || u.Host == "" {
			return nil, errors.New("is not a URL such as http://127.0.0.1:8080/hook")
		}
		h.name, h.ask = u.Host+u.Path, poster(entry)
		return h, nil
	}
	words := strings.Fields(entry)
	if len(words) == 0 {
		return nil, errors.New("names no command")
	}
	if strings.Contains(words[0], "/") && !filepath.IsAbs(words[0]) {
		words[0] = filepath.Join(folder, words[0])
	}
	h.name, h.ask = filepath.Base(words[0]), runner(words, folder)
	return h, nil
}

// Ask gives the hook's reply, allow or modify. Errors are a *Denied, a *Failed, or wrap
// context.Canceled where the caller gave up.
func (h *Hook) Ask(ctx context.Context, e Event) (Reply, error) {
	e.Version = Version
	text, err := json.Marshal(e)
	if err != nil {
		return Reply{}, err
	}
	limited, stop := context.WithTimeout(ctx, h.timeout)
	defer stop()
	answer, err := h.within(limited, text)
	switch {
	case ctx.Err() != nil:
		return Reply{}, ctx.Err()
	case limited.Err() != nil:
		return Reply{}, h.failed(fmt.Sprintf("no reply within %s", h.timeout), limited.Err())
	case err != nil:
		return Reply{}, h.failed("no reply", err)
	}
	r, err := decode(answer)
	if err != nil {
		return Reply{}, h.failed(err.Error(), err)
	}
	if r.Decision == "deny" {
		return Reply{}, &Denied{Reason: line(r.Reason)}
	}
	return r, nil
}

func (h *Hook) within(ctx context.Context, event []byte) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
		return h.ask(ctx, event)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// decode reads a reply strictly.
func decode(text []byte) (Reply, error) {
	var r Reply
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return Reply{}, errors.New("the reply is not the JSON object it should be")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Reply{}, errors.New("something follows the reply")
	}
	switch r.Decision {
	case "allow", "modify", "deny":
		return r, nil
	}
	return Reply{}, errors.New("the decision is allow, modify or deny")
}

// line is a hook's reason as one line of bounded length.
func line(s string) string {
	const most = 500
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return s
}

// poster asks a URL. It follows no redirect: that would carry the question elsewhere.
func poster(target string) func(context.Context, []byte) ([]byte, error) {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(ctx context.Context, event []byte) ([]byte, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, target, strings.NewReader(string(event)))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Content-Type", "application/json")
		reply, err := client.Do(r)
		if u, ok := errors.AsType[*url.Error](err); ok {
			return nil, u.Err // without the URL, which may hold a secret
		}
		if err != nil {
			return nil, err
		}
		defer reply.Body.Close()
		if reply.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("status %d", reply.StatusCode)
		}
		return bounded(io.ReadAll(io.LimitReader(reply.Body, maxReply+1)))
	}
}

// bounded refuses a reply that is too long.
func bounded(text []byte, err error) ([]byte, error) {
	if err == nil && len(text) > maxReply {
		return nil, fmt.Errorf("the reply has more than %d bytes", maxReply)
	}
	return text, err
}
