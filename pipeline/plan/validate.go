package plan

// Validate checks a plan against schema, meaning and access. The error is a
// *Rejections that holds every fault at once.
func Validate(p *Plan, c Context) (*Checked, error) {
	return nil, newRejections([]*Rejection{{Code: CodeUnsupported, Message: "the validator is being built"}})
}
