package planner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pgask/pgask/pipeline/plan"
)

// replySchema wraps the plan's schema so that a model can say that there is no
// answer instead of making one up:
//
//	{"answerable": true, "missing": null, "plan": {…}}
//	{"answerable": false, "missing": "weather", "plan": null}
//
// References in the plan's schema count from the root, so that its definitions
// move there.
func replySchema(planSchema []byte) ([]byte, error) {
	var root map[string]any
	if err := json.Unmarshal(planSchema, &root); err != nil {
		return nil, fmt.Errorf("the plan's schema: %w", err)
	}
	defs, _ := root["$defs"].(map[string]any)
	if defs == nil {
		defs = map[string]any{}
	}
	if _, taken := defs["plan"]; taken {
		return nil, errors.New("the plan's schema has a definition named plan")
	}
	for _, key := range []string{"$defs", "$schema", "$id"} {
		delete(root, key)
	}
	defs["plan"] = root
	return json.Marshal(map[string]any{
		"type":                 "object",
		"additionalProperties": false,
		"required":             []string{"answerable", "missing", "plan"},
		"properties": map[string]any{
			"answerable": map[string]any{"type": "boolean"},
			"missing":    map[string]any{"type": []string{"string", "null"}},
			"plan":       map[string]any{"anyOf": []any{map[string]any{"$ref": "#/$defs/plan"}, map[string]any{"type": "null"}}},
		},
		"$defs": defs,
	})
}

// modelAnswer is a reply taken apart; the plan is still text.
type modelAnswer struct {
	answerable bool
	missing    string
	plan       json.RawMessage
}

// decodeReply reads a reply strictly: providers that don't hold models to the
// schema exist. Its errors can be told to the model.
func decodeReply(text string) (modelAnswer, error) {
	var r struct {
		Answerable *bool           `json:"answerable"`
		Missing    *string         `json:"missing"`
		Plan       json.RawMessage `json:"plan"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return modelAnswer{}, rejection(plan.CodeJSON, "", "the reply is not the JSON object asked for: "+clip(err.Error(), messageRunes))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return modelAnswer{}, rejection(plan.CodeJSON, "", "there is text behind the JSON object")
	}
	if r.Answerable == nil {
		return modelAnswer{}, rejection(plan.CodeMissing, "/answerable", "answerable must be true or false")
	}
	a := modelAnswer{answerable: *r.Answerable, plan: r.Plan}
	if r.Missing != nil {
		a.missing = *r.Missing
	}
	if a.answerable && (len(r.Plan) == 0 || bytes.Equal(r.Plan, []byte("null"))) {
		return modelAnswer{}, rejection(plan.CodeMissing, "/plan", "an answerable question needs a plan")
	}
	return a, nil
}

// missingWords keeps what a model calls missing only where the question says
// it: a model's own words may hold what the asker must not read, or what a
// sampled value told it to say.
func missingWords(missing, question string) []string {
	missing = strings.TrimSpace(missing)
	if missing == "" || !strings.Contains(strings.ToLower(question), strings.ToLower(missing)) {
		return nil
	}
	return []string{missing}
}
