package policy

import "fmt"

// SQLSTATEs that a judgement can end in.
const (
	stateDenied      = "42501" // insufficient_privilege
	stateReadOnly    = "25006" // read_only_sql_transaction
	stateUnsupported = "0A000" // feature_not_supported: allowed, but not provably safe in this form
	stateNoTable     = "42P01"
	stateNoColumn    = "42703"
	stateNoFunction  = "42883"
	stateNoType      = "42704"
	stateNoSetting   = "42704"
	stateNoRole      = "28000"
	stateBadParam    = "22023"
	stateTooDeep     = "54000"
)

// Denied is a refusal: the statement must not run. Its texts may be shown to
// the client as they are; they name nothing that the role may not know.
type Denied struct {
	state, message, detail, hint string
	// location is the byte, from the place from which the tree's locations
	// count, of what is refused; 0 for none. place is what At made of it.
	location, place int
	// absent tells that a name is none of those that the role sees.
	absent bool
	// cause is for the log only.
	cause error
}

// Error is the message, without detail and hint.
func (d *Denied) Error() string { return d.message }

// SQLState is the five-character code for the client.
func (d *Denied) SQLState() string { return d.state }

// Detail says which rule forbids, for roles with explicit refusals; else empty.
func (d *Denied) Detail() string { return d.detail }

// Hint is something that the user can type instead; often empty.
func (d *Denied) Hint() string { return d.hint }

// Absent tells that a relation or column was named that is not among what the role
// sees: whether it exists for others makes no difference.
func (d *Denied) Absent() bool { return d.absent }

// Location is where the refused words begin, as the tree's locations count; 0
// where none are to blame.
func (d *Denied) Location() int { return d.location }

// At is the refusal with its place in the client's message, in characters from 1.
func (d *Denied) At(place int) *Denied {
	c := *d
	c.place = place
	return &c
}

// Place is what At was given; 0 for none.
func (d *Denied) Place() int { return d.place }

// located blames the words at a location, unless others are to blame already.
func located(err error, location int32) error {
	d, ok := err.(*Denied)
	if !ok || d == nil || d.location > 0 || location <= 0 {
		return err
	}
	c := *d // some refusals are shared
	c.location = int(location)
	return &c
}

// Unwrap is what made a statement unprovable, for logs: it may name what the
// client must not see.
func (d *Denied) Unwrap() error { return d.cause }

func deny(state, format string, args ...any) *Denied {
	return &Denied{state: state, message: fmt.Sprintf(format, args...)}
}

func (d *Denied) withDetail(format string, args ...any) *Denied {
	d.detail = fmt.Sprintf(format, args...)
	return d
}

func (d *Denied) withHint(format string, args ...any) *Denied {
	d.hint = fmt.Sprintf(format, args...)
	return d
}

// unsupported refuses a form that may be harmless but can't be proven so; the
// hint says how to write it instead.
func unsupported(what, hint string) *Denied {
	return deny(stateUnsupported, "%s is not supported for governed roles", what).withHint("%s", hint)
}
