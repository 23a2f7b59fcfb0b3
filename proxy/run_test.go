package proxy_test

import (
	"context"
	"reflect"
	"sync"
	"unsafe"

	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/proxy/wire"
)

// capped makes a Run of at most rows rows. Package pipeline makes them from
// policies only, so the test reaches into the type; it panics when the fields
// are not there.
func capped(rows int64, finish func(pipeline.Outcome) []pipeline.Notice) *pipeline.Run {
	r := &pipeline.Run{}
	set(r, "budget", &pipeline.Budget{Cap: rows})
	set(r, "finish", finish)
	return r
}

func set(r *pipeline.Run, field string, value any) {
	f := reflect.ValueOf(r).Elem().FieldByName(field)
	reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem().Set(reflect.ValueOf(value))
}

// truncated is what a capped Run says.
func truncated(o pipeline.Outcome) []pipeline.Notice {
	if o.Truncated {
		return []pipeline.Notice{{Severity: "NOTICE", Code: "01004", Message: "result truncated"}}
	}
	return nil
}

// decider is a Decider made of functions; a nil one leaves the frame alone.
type decider struct {
	governed bool
	query    func(ctx context.Context, text string) pipeline.Decision
	parse    func(text string) pipeline.Decision
	bind     func(d *pipeline.Decision) pipeline.Binding

	mu     sync.Mutex
	texts  []string
	status []byte
}

func (d *decider) Governed() bool { return d.governed }

func (d *decider) Query(ctx context.Context, text string) pipeline.Decision {
	d.note(text)
	if d.query == nil {
		return pipeline.Decision{Untouched: true}
	}
	return d.query(ctx, text)
}

func (d *decider) Parse(_ context.Context, text string, _ []uint32) pipeline.Decision {
	d.note(text)
	if d.parse == nil {
		return pipeline.Decision{Untouched: true}
	}
	return d.parse(text)
}

func (d *decider) Bind(_ context.Context, of *pipeline.Decision) pipeline.Binding {
	if d.bind == nil {
		return pipeline.Binding{}
	}
	return d.bind(of)
}

func (d *decider) Ready(status byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.status = append(d.status, status)
}

func (d *decider) note(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.texts = append(d.texts, text)
}

func (d *decider) judged() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.texts...)
}

// refused is a client's error with everything.
type refused struct{}

func (refused) Error() string    { return "permission denied for table secrets" }
func (refused) SQLState() string { return "42501" }
func (refused) Detail() string   { return "a detail" }
func (refused) Hint() string     { return "a hint" }

func deny(word string) pipeline.Decision {
	return pipeline.Decision{Text: word, Denial: &pipeline.Denial{Word: word, Err: refused{}}}
}

// field is one field of an error's body.
func field(body []byte, code byte) string { return string(wire.Field(body, code)) }
