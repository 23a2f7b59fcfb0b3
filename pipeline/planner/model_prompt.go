package planner

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/llm"
	"github.com/pgask/pgask/pipeline/plan"
)

// prompt is what a model is told of one question. The system message is the
// same for all questions that are shown the same tables, rules and examples
// first, so that a provider can cache it; everything that changes from question
// to question or from day to day is in the user message.
type prompt struct {
	rules, schema string
	// form is the JSON schema of the reply.
	form json.RawMessage
	// head and tail of the user message; an attempt's faults go between.
	head, tail string
	// hidden are the column names that must not be told.
	hidden map[string]bool
}

func (p prompt) system() string { return p.rules + "\n" + p.schema }

// request asks for an answer. Sample tells opinions apart, which have a prompt in common.
func (p prompt) request(user string, sample int) llm.Request {
	return llm.Request{Task: plannerTask, System: p.system(), User: user, SchemaName: "answer", Schema: p.form, Sample: sample}
}

// user is the user message of an attempt, the question last.
func (p prompt) user(faults, advice []string) string {
	return p.head + block("[ERRORS]", faults) + block("[ADVICE]", advice) + p.tail
}

// block is a part of a prompt with a line for each item; empty without any.
func block(name string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return name + "\n" + strings.Join(lines, "\n") + "\n\n"
}

func (m *Model) prompt(in Input, tables []*catalog.Table) prompt {
	var head strings.Builder
	head.WriteString("[TODAY]\n" + dateOf(in) + "\n\n")
	mode := m.mode(in)
	if mode == ModeSQL {
		head.WriteString("[DATE_EXPRESSION]\n" + dateExpression(in) + "\n\n")
	}
	if in.Semantic != nil && in.Semantic.FiscalYearStart > 0 {
		head.WriteString("[FISCAL_YEAR_START]\n" + time.Month(in.Semantic.FiscalYearStart).String() + "\n\n")
	}
	if in.Last != nil {
		head.WriteString("[LAST_PLAN]\n" + compact(amended{in.Last.Question, in.Last.Plan, "the question amends this plan: reply with the whole plan as it is to be"}) + "\n\n")
	}
	if in.Columns != nil {
		head.WriteString("[EXPECTED_COLUMNS]\n" + compact(expected(in)) + "\n\n")
	}
	if c := m.link(in, tables); !c.empty() {
		head.WriteString("[SEMANTIC_CONTEXT]\n" + compact(c) + "\n\n")
	}
	p := prompt{
		rules:  rules(),
		schema: "[SCHEMA]\n" + renderSchema(in, tables),
		form:   m.schema,
		head:   head.String(),
		tail:   "[QUESTION]\n" + compact(in.Question) + "\n",
		hidden: hiddenNames(in),
	}
	if m.options.FlatSchema {
		p.rules += flatRule
	}
	if mode == ModeSQL {
		p.rules, p.schema, p.form = sqlRules, renderTarget(in, tables)+p.schema, sqlReplySchema
	}
	return p
}

// dateOf is the date that symbolic dates will count from.
func dateOf(in Input) string {
	if in.Today != "" {
		return in.Today
	}
	return in.Now.Format(time.DateOnly)
}

// amended is the answer that a follow-up is about.
type amended struct {
	Question string     `json:"question"`
	Plan     *plan.Plan `json:"plan"`
	Task     string     `json:"task"`
}

type expectedColumn struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
}

func expected(in Input) []expectedColumn {
	out := make([]expectedColumn, len(in.Columns))
	for i, c := range in.Columns {
		out[i] = expectedColumn{c.Name, c.Type}
	}
	return out
}

// compact writes a value as JSON on one line, the letters < > & as they are.
// Quoting is what keeps a newline and a marker in somebody's text from looking
// like a part of the prompt.
func compact(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "null" // only strings, slices and structs of them come here
	}
	return strings.TrimSuffix(b.String(), "\n")
}
