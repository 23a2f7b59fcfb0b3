package proxy_test

import (
	"context"
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/policy"
	"github.com/pgask/pgask/proxy/wire"
)

// capped makes a Run of at most rows rows. Package pipeline makes them from
// policies only, so the test reaches into the type; it panics when the fields
// are not there.
func capped(rows int64, finish func(pipeline.Outcome) []pipeline.Notice) *pipeline.Run {
	r := &pipeline.Run{}
	set(r, "budget", &pipeline.Budget{Cap: rows})
	if finish != nil {
		set(r, "finish", func(_ *pipeline.Run, o pipeline.Outcome) []pipeline.Notice { return finish(o) })
	}
	return r
}

func set(r *pipeline.Run, field string, value any) {
	put(reflect.ValueOf(r).Elem().FieldByName(field), reflect.ValueOf(value))
}

func put(f, value reflect.Value) {
	reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem().Set(value)
}

// executing makes a Run that is of an EXECUTE.
func executing(r *pipeline.Run) *pipeline.Run {
	of := reflect.ValueOf(r).Elem().FieldByName("of")
	verdict := reflect.New(of.Type().Elem())
	put(verdict.Elem().FieldByName("facts"), reflect.ValueOf(policy.Facts{Tag: "EXECUTE"}))
	put(of, verdict)
	return r
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
	execute  func() *pipeline.Denial
	// knows its answers at once, where they don't wait.
	knows bool
	// follows, unless nil, judges without changing anything.
	follows *follower

	mu     sync.Mutex
	texts  []string
	status []byte
	// refused are the refusals that it wasn't asked about.
	refused []error
	// cancelled counts what was cancelled while it was decided.
	cancelled int
}

func (d *decider) Governed() bool { return d.governed }

func (d *decider) Query(ctx context.Context, text string) pipeline.Decision {
	d.note(text)
	if d.follows != nil {
		return d.follows.query(text)
	}
	if d.query == nil {
		return pipeline.Decision{Untouched: true}
	}
	return d.query(ctx, text)
}

func (d *decider) Parse(_ context.Context, text string, _ []uint32) pipeline.Decision {
	d.note(text)
	if d.follows != nil {
		return d.follows.parse(text)
	}
	if d.parse == nil {
		return pipeline.Decision{Untouched: true}
	}
	return d.parse(text)
}

func (d *decider) Bind(_ context.Context, of *pipeline.Decision) pipeline.Binding {
	if d.follows != nil {
		return d.follows.bind(of)
	}
	if d.bind == nil {
		return pipeline.Binding{}
	}
	return d.bind(of)
}

// waits tells of what can't be answered on the loop: names are asked for.
func (d *decider) waits(text string) bool {
	return d.follows != nil && strings.Contains(text, "execute")
}

func (d *decider) QueryNow(text string) (pipeline.Decision, bool) {
	if !d.knows || d.waits(text) {
		return pipeline.Decision{}, false
	}
	return d.Query(context.Background(), text), true
}

func (d *decider) ParseNow(text string, oids []uint32) (pipeline.Decision, bool) {
	if !d.knows || d.waits(text) {
		return pipeline.Decision{}, false
	}
	return d.Parse(context.Background(), text, oids), true
}

func (d *decider) BindNow(of *pipeline.Decision, run *pipeline.Run) (pipeline.Binding, bool) {
	if !d.knows || d.waits(of.Text) {
		return pipeline.Binding{}, false
	}
	b := d.Bind(context.Background(), of)
	if b.Run != nil && !b.Run.Executes() { // those are known by their places
		*run = *b.Run
		b.Run = run
	}
	return b, true
}

func (d *decider) Stale(*pipeline.Decision) bool                                 { return false }
func (d *decider) Describe(context.Context, *pipeline.Decision) *pipeline.Denial { return nil }

func (d *decider) ExecuteNow(r *pipeline.Run) bool { return d.execute == nil && !r.Executes() }

func (d *decider) Execute(_ context.Context, r *pipeline.Run) pipeline.Execution {
	if d.execute != nil {
		return pipeline.Execution{Denial: d.execute()}
	}
	if d.follows != nil {
		d.follows.execute(r)
	}
	return pipeline.Execution{}
}

func (d *decider) Follow(n pipeline.Names) {
	if d.follows != nil {
		d.follows.names = n
	}
}

func (d *decider) Cancelled() *pipeline.Denial {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cancelled++
	return &pipeline.Denial{Word: "denied_cancelled", Err: &pipeline.Error{Code: "57014", Message: "canceling statement due to user request"}}
}

func (d *decider) Refused(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refused = append(d.refused, err)
}

func (d *decider) Bound(string) {}

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
