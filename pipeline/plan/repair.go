package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxMends bounds the repairs of one plan.
const maxMends = 20

// Mend validates a plan. Where all that is wrong with it has a repair that can't
// change what it means, they are applied: it returns the plan that passed, and
// the faults that it no longer has. The error is that of the plan as it was given.
func Mend(p *Plan, c Context) (mended *Plan, checked *Checked, faults []*Rejection, err error) {
	for mended = p; ; {
		done, wrong := Validate(mended, c)
		if wrong == nil {
			return mended, done, faults, nil
		}
		if err == nil {
			err = wrong
		}
		var r *Rejections
		if !errors.As(wrong, &r) || len(faults) == maxMends || slices.ContainsFunc(r.All, func(f *Rejection) bool { return !f.Safe }) {
			return nil, nil, nil, err
		}
		next, fault := r.All[0].Repair.Apply(mended)
		if fault != nil {
			return nil, nil, nil, err
		}
		mended, faults = next, append(faults, r.All[0])
	}
}

// Apply makes the repaired plan; the given one stays as it is. The result is
// as unchecked as any other plan.
func (r Repair) Apply(p *Plan) (*Plan, error) {
	doc, err := generic(p)
	if err != nil {
		return nil, err
	}
	for _, patch := range r {
		value, err := generic(patch.Value)
		if err != nil {
			return nil, err
		}
		if patch.Path == "" && patch.Op == "replace" {
			doc = value
			continue
		}
		steps := strings.Split(strings.TrimPrefix(patch.Path, "/"), "/")
		if doc, err = change(doc, steps, patch.Op, value); err != nil {
			return nil, fmt.Errorf("repair %s %s: %w", patch.Op, patch.Path, err)
		}
	}
	b, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return Decode(b)
}

// generic is a value as encoding/json's maps and lists.
func generic(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.UseNumber()
	var out any
	return out, d.Decode(&out)
}

// change applies one operation below doc and gives the new doc.
func change(doc any, steps []string, op string, value any) (any, error) {
	step := strings.NewReplacer("~1", "/", "~0", "~").Replace(steps[0])
	switch doc := doc.(type) {
	case map[string]any:
		if len(steps) > 1 {
			inner, err := change(doc[step], steps[1:], op, value)
			doc[step] = inner
			return doc, err
		}
		if op == "remove" {
			delete(doc, step)
		} else {
			doc[step] = value
		}
		return doc, nil
	case []any:
		return changeList(doc, step, steps, op, value)
	}
	return nil, fmt.Errorf("there is nothing at %s", step)
}

func changeList(doc []any, step string, steps []string, op string, value any) (any, error) {
	if step == "-" && len(steps) == 1 && op == "add" {
		return append(doc, value), nil
	}
	i, err := strconv.Atoi(step)
	if err != nil || i < 0 || i >= len(doc) {
		return nil, fmt.Errorf("there is no element %s", step)
	}
	switch {
	case len(steps) > 1:
		doc[i], err = change(doc[i], steps[1:], op, value)
		return doc, err
	case op == "remove":
		return slices.Delete(doc, i, i+1), nil
	case op == "add":
		return slices.Insert(doc, i, value), nil
	}
	doc[i] = value
	return doc, nil
}
