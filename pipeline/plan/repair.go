package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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
