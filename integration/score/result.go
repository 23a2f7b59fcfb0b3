package score

// Outcome is what became of a question.
type Outcome string

// The outcomes.
const (
	// Right is the right rows.
	Right Outcome = "right"
	// Wrong is other rows, or any for a question that can't be answered.
	Wrong Outcome = "wrong"
	// Declined is a refusal of what could have been answered.
	Declined Outcome = "declined"
	// Refused is a refusal of what can't be answered.
	Refused Outcome = "refused"
)

// Result is one question that was asked.
type Result struct {
	DB         string   `json:"db"`
	Question   string   `json:"question"`
	Constructs []string `json:"constructs"`
	// Unanswerable tells of a question that nothing in the database answers.
	Unanswerable bool    `json:"unanswerable,omitempty"`
	Outcome      Outcome `json:"outcome"`
	// Tied tells of a wrong answer that differs from the right one only in which of equally good rows
	// it has or in their order.
	Tied bool `json:"tied,omitempty"`
	// Confidence is what the answer says of itself, from 0 to 1.
	Confidence float64 `json:"confidence,omitempty"`
	// Code, Message and Detail are the refusal's.
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	Detail  string `json:"detail,omitempty"`
	// SQL is the answer's where it is wrong, Gold the right one.
	SQL  string  `json:"sql,omitempty"`
	Gold string  `json:"gold,omitempty"`
	MS   float64 `json:"ms"`
}

// answered tells whether rows came.
func (r Result) answered() bool { return r.Outcome == Right || r.Outcome == Wrong }
