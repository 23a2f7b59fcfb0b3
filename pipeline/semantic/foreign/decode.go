package foreign

import (
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// Decode reads the document into a struct of fields with yaml tags. Each struct in it that has a field At of
// type Place learns where it stands, and keys that no field reads are noted.
func (d *Document) Decode(into any) error {
	if err := d.root.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", d.File, err)
	}
	d.locate(reflect.ValueOf(into).Elem(), d.root, "document")
	return nil
}

// locate goes through a value and the node it was read from side by side. Within is the key
// under which they stand.
func (d *Document) locate(v reflect.Value, n *yaml.Node, within string) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		d.locate(v.Elem(), n, within)
	case v.Kind() == reflect.Slice && n.Kind == yaml.SequenceNode:
		for i := range min(v.Len(), len(n.Content)) {
			d.locate(v.Index(i), n.Content[i], within)
		}
	case v.Kind() == reflect.Struct && n.Kind == yaml.MappingNode:
		if at := v.FieldByName("At"); at.IsValid() {
			at.Set(reflect.ValueOf(d.at(n)))
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			d.locateKey(v, n.Content[i], n.Content[i+1], within)
		}
	}
}

func (d *Document) locateKey(v reflect.Value, key, value *yaml.Node, within string) {
	for i := range v.NumField() {
		if name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ","); name == key.Value {
			d.locate(v.Field(i), value, key.Value)
			return
		}
	}
	if key.Tag == "!!merge" {
		return // what it merges stands elsewhere, and was read
	}
	reason, given := d.reasons[key.Value]
	switch {
	case !given:
		reason = "it has no counterpart"
	case reason == "":
		return
	}
	d.model.rest(d.at(key), key.Value+" of "+within, reason)
}
