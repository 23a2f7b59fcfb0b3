package plan

import (
	"bytes"
	"encoding/json"
)

// Decode reads a plan strictly. The error is a *Rejections of SQLSTATE PA005.
func Decode(data []byte) (*Plan, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	d.DisallowUnknownFields()
	var p Plan
	if err := d.Decode(&p); err != nil {
		return nil, newRejections([]*Rejection{{Code: CodeJSON, Message: err.Error()}})
	}
	return &p, nil
}
