package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// The limits of a plan's text.
const (
	maxBytes  = 256 << 10
	maxNested = 3 * maxDepth
)

// Decode reads a plan strictly: unknown, repeated and missing keys, values of
// another kind and anything behind the plan are faults, all of them at once. A
// null stands for a key that is left out, as strict structured output has it. The
// error is a *Rejections of SQLSTATE PA005.
func Decode(data []byte) (*Plan, error) {
	if len(data) > maxBytes {
		return nil, rejected(CodeTooLarge, "", "the plan has %d bytes, at most %d are read", len(data), maxBytes)
	}
	if !utf8.Valid(data) {
		return nil, rejected(CodeJSON, "", "the plan is not UTF-8")
	}
	d := &decoder{json: json.NewDecoder(bytes.NewReader(data))}
	d.json.UseNumber()
	var p Plan
	if _, err := d.value(reflect.ValueOf(&p).Elem(), "", 0); err != nil {
		return nil, rejectedBy(err)
	}
	if _, err := d.json.Token(); !errors.Is(err, io.EOF) {
		return nil, rejected(CodeJSON, "", "something follows the plan")
	}
	if len(d.faults) > 0 {
		return nil, newRejections(d.faults)
	}
	return &p, nil
}

func rejected(code Code, at, format string, args ...any) *Rejections {
	return newRejections([]*Rejection{{Code: code, Path: at, Message: fmt.Sprintf(format, args...)}})
}

func rejectedBy(err error) *Rejections {
	var r *Rejections
	if errors.As(err, &r) {
		return r
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return rejected(CodeJSON, "", "the plan is not a whole JSON object")
	}
	return rejected(CodeJSON, "", "the plan is not JSON: %v", err)
}

// decoder reads tokens into Go values and remembers faults; an error ends it.
type decoder struct {
	json   *json.Decoder
	faults []*Rejection
}

func (d *decoder) faultf(code Code, at, format string, args ...any) *Rejection {
	r := &Rejection{Code: code, Path: at, Message: fmt.Sprintf(format, args...)}
	d.faults = append(d.faults, r)
	return r
}

// value reads one JSON value into v. It tells whether one is there: a null
// stands for none.
func (d *decoder) value(v reflect.Value, at string, depth int) (there bool, err error) {
	tok, err := d.json.Token()
	if err != nil {
		return false, err
	}
	if depth > maxNested {
		return false, rejected(CodeTooLarge, at, "the plan is nested deeper than %d", maxNested)
	}
	if tok == nil && depth > 0 {
		return v.Kind() == reflect.Interface, nil
	}
	for v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	delim, _ := tok.(json.Delim)
	switch {
	case v.Kind() == reflect.Struct && delim == '{':
		return true, d.object(v, at, depth)
	case v.Kind() == reflect.Slice && delim == '[':
		return true, d.array(v, at, depth)
	case delim != 0:
		d.faultf(CodeWrongShape, at, "%s, not %s", wanted(v), map[json.Delim]string{'{': "an object", '[': "a list"}[delim])
		return true, d.skip(depth)
	case !scalarInto(v, tok):
		d.faultf(CodeWrongShape, at, "%s, not %s", wanted(v), jsonKind(tok))
	}
	return true, nil
}

// object reads the keys of a struct, up to its closing brace.
func (d *decoder) object(v reflect.Value, at string, depth int) error {
	seen, given := map[string]bool{}, map[string]bool{}
	for d.json.More() {
		tok, err := d.json.Token()
		if err != nil {
			return err
		}
		name, _ := tok.(string)
		place := at + "/" + pointer(name)
		field, known := fieldOf(v, name)
		switch {
		case !known:
			d.unknown(v.Type(), name, place)
			err = d.discard(depth + 1)
		case seen[name]:
			d.faultf(CodeDuplicate, place, "key %q is there twice", name)
			err = d.discard(depth + 1)
		default:
			given[name], err = d.value(field, place, depth+1)
		}
		if err != nil {
			return err
		}
		seen[name] = true
	}
	d.required(v, given, at)
	if p, ok := v.Addr().Interface().(*Plan); ok && depth == 0 && p.Version == 0 && !d.faulty("/version") {
		f := d.faultf(CodeMissing, at, "key %q is missing", "version")
		f.Repair = Repair{{"add", "/version", Version}}
	}
	_, err := d.json.Token()
	return err
}

func (d *decoder) faulty(at string) bool {
	return slices.ContainsFunc(d.faults, func(f *Rejection) bool { return f.Path == at })
}

// required names the keys that must be there and are not.
func (d *decoder) required(v reflect.Value, given map[string]bool, at string) {
	missing := func(name string) { d.faultf(CodeMissing, at, "key %q is missing", name) }
	for i := range v.NumField() {
		if name, optional := jsonKey(v.Type().Field(i)); !optional && !given[name] {
			missing(name)
		}
	}
	noTable := false
	switch x := v.Addr().Interface().(type) {
	case *Plan:
		for _, name := range []string{"from", "select"} {
			if !given["set"] && !given[name] {
				missing(name)
			}
		}
	case *Source:
		noTable = x.Table == "" && x.Plan == nil
	case *Join:
		noTable = x.Table == "" && x.Plan == nil
	}
	if noTable {
		missing("table")
	}
}

func (d *decoder) unknown(t reflect.Type, name, place string) {
	var names []string
	for i := range t.NumField() {
		known, _ := jsonKey(t.Field(i))
		names = append(names, known)
	}
	f := d.faultf(CodeUnknownKey, place, "there is no key %q here", name)
	if f.Nearest = nearest(name, names); len(f.Nearest) == 0 {
		f.Nearest = names
	}
}

func (d *decoder) array(v reflect.Value, at string, depth int) error {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	for i := 0; d.json.More(); i++ {
		if i >= maxNodes {
			return rejected(CodeTooLarge, at, "the list has more than %d elements", maxNodes)
		}
		item := reflect.New(v.Type().Elem()).Elem()
		place := at + "/" + strconv.Itoa(i)
		there, err := d.value(item, place, depth+1)
		if err != nil {
			return err
		}
		if !there {
			d.faultf(CodeWrongShape, place, "%s, not null", wanted(item))
		}
		v.Set(reflect.Append(v, item))
	}
	_, err := d.json.Token()
	return err
}

// discard reads a value that isn't wanted.
func (d *decoder) discard(depth int) error {
	tok, err := d.json.Token()
	if err != nil {
		return err
	}
	if _, ok := tok.(json.Delim); ok {
		return d.skip(depth)
	}
	return nil
}

// skip reads up to the end of the object or list that was just opened.
func (d *decoder) skip(depth int) error {
	for open := 1; open > 0; {
		if depth+open > maxNested {
			return rejected(CodeTooLarge, "", "the plan is nested deeper than %d", maxNested)
		}
		tok, err := d.json.Token()
		if err != nil {
			return err
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			open++
		case json.Delim('}'), json.Delim(']'):
			open--
		}
	}
	return nil
}
