package planner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
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

// flatReplySchema is the same form without recursion: the plan is a text, whose JSON is
// decoded as strictly.
var flatReplySchema = json.RawMessage(`{"type": "object", "additionalProperties": false, "required": ["answerable", "missing", "plan"],
	"properties": {"answerable": {"type": "boolean"}, "missing": {"type": ["string", "null"]}, "plan": {"type": ["string", "null"]}}}`)

// flatRule says so to the model.
const flatRule = `
"plan" is a string here: the plan's JSON object as a text, {"answerable": true, "missing": null, "plan": "{\"version\": 1, …}"}.
`

// modelAnswer is a reply taken apart; the plan or SQL is still JSON.
type modelAnswer struct {
	answerable bool
	missing    string
	body       json.RawMessage
}

// decodeReply reads a reply strictly, whose answer has the key: providers that don't
// hold models to the schema exist. Its errors can be told to the model.
func decodeReply(text, key string) (modelAnswer, error) {
	var r struct {
		Answerable *bool
		Missing    *string
		Body       json.RawMessage
	}
	d := json.NewDecoder(strings.NewReader(text))
	if err := decodeObject(d, map[string]any{"answerable": &r.Answerable, "missing": &r.Missing, key: &r.Body}); err != nil {
		return modelAnswer{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return modelAnswer{}, rejection(plan.CodeJSON, "", "there is text behind the JSON object")
	}
	if r.Answerable == nil {
		return modelAnswer{}, rejection(plan.CodeMissing, "/answerable", "answerable must be true or false")
	}
	a := modelAnswer{answerable: *r.Answerable, body: r.Body}
	if r.Missing != nil {
		a.missing = *r.Missing
	}
	if a.answerable && (len(r.Body) == 0 || bytes.Equal(r.Body, []byte("null"))) {
		return modelAnswer{}, rejection(plan.CodeMissing, "/"+key, "an answerable question needs "+key)
	}
	return a, nil
}

// decodeObject reads an object's keys into their places, each as it is spelled
// and at most once: encoding/json would take other letters and the last one.
func decodeObject(d *json.Decoder, places map[string]any) error {
	broken := func(err error) error {
		return rejection(plan.CodeJSON, "", "the reply is not the JSON object asked for: "+clip(err.Error(), messageRunes))
	}
	switch open, err := d.Token(); {
	case err != nil:
		return broken(err)
	case open != json.Delim('{'):
		return rejection(plan.CodeJSON, "", "the reply is not the JSON object asked for")
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return broken(err)
		}
		key, _ := token.(string)
		place, known := places[key]
		switch {
		case !known:
			return rejection(plan.CodeUnknownKey, "", "the reply has a key "+strconv.Quote(clip(key, shownValue))+"; there are "+strings.Join(slices.Sorted(maps.Keys(places)), ", "))
		case seen[key]:
			return rejection(plan.CodeDuplicate, "/"+key, key+" is there twice")
		}
		seen[key] = true
		if err := d.Decode(place); err != nil {
			return broken(err)
		}
	}
	if _, err := d.Token(); err != nil {
		return broken(err)
	}
	return nil
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
