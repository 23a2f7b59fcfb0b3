package stmt

import (
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// askHint is what a malformed ASK is answered with.
const askHint = "ASK 'your question'"

// forms are the words that may stand between ASK and the question.
func forms() map[string]Form {
	return map[string]Form{"sql": FormSQL, "plan": FormPlan, "explain": FormExplain, "narrate": FormNarrate,
		"chart": FormChart, "approve": FormApprove, "revoke": FormRevoke, "more": FormMore}
}

// Word is the form's word with a space behind it; empty for the answer's rows.
func (f Form) Word() string {
	for w, g := range forms() {
		if g == f {
			return strings.ToUpper(w) + " "
		}
	}
	return ""
}

// reader walks over the tokens of one ASK.
type reader struct {
	text   string
	tokens []token
}

func (r *reader) word(w string) bool {
	if len(r.tokens) == 0 || !r.tokens[0].word(r.text, w) {
		return false
	}
	r.tokens = r.tokens[1:]
	return true
}

func (r *reader) kind(k pg_query.Token) bool {
	if len(r.tokens) == 0 || r.tokens[0].kind != k {
		return false
	}
	r.tokens = r.tokens[1:]
	return true
}

// fail complains about the next token as Postgres would.
func (r *reader) fail(hint string) *Error {
	if len(r.tokens) == 0 {
		e := syntaxError("syntax error at end of input", hint)
		e.Position = position(r.text, len(r.text))
		return e
	}
	t := r.tokens[0]
	e := syntaxError(`syntax error at or near "`+t.text(r.text)+`"`, hint)
	e.Position = position(r.text, t.start)
	return e
}

// literal reads one string literal.
func (r *reader) literal(hint string) (string, error) {
	if len(r.tokens) == 0 || !r.tokens[0].literal() {
		return "", r.fail(hint)
	}
	t := r.tokens[0]
	r.tokens = r.tokens[1:]
	n, err := parseOne("SELECT " + t.text(r.text))
	if err != nil {
		return "", err
	}
	targets := n.GetSelectStmt().GetTargetList()
	if len(targets) != 1 {
		return "", syntaxError("the string literal can't be read", hint)
	}
	v, ok := targets[0].GetResTarget().GetVal().GetAConst().GetVal().(*pg_query.A_Const_Sval)
	if !ok {
		return "", syntaxError("the string literal can't be read", hint)
	}
	return v.Sval.GetSval(), nil
}

// parseAsk reads what stands behind the word ASK.
func parseAsk(text string, tokens []token) (*Ask, error) {
	r := &reader{text, tokens}
	a := &Ask{}
	for w, f := range forms() {
		if r.word(w) {
			a.Form = f
			break
		}
	}
	question, err := r.literal(r.questionHint(a.Form))
	if err != nil {
		return nil, err
	}
	if strings.Trim(question, space) == "" {
		return nil, syntaxError("the question is empty", askHint)
	}
	a.Question = question
	return a, r.options(a)
}

// questionHint quotes what was asked without quotes.
func (r *reader) questionHint(f Form) string {
	head := "ASK " + f.Word()
	if len(r.tokens) == 0 || r.tokens[0].kind == pg_query.Token_PARAM {
		return head + "'your question'"
	}
	q := r.text[r.tokens[0].start:r.tokens[len(r.tokens)-1].end]
	if len(q) > 200 {
		return head + "'your question'"
	}
	q = strings.Trim(q, `"`)
	return head + "'" + strings.ReplaceAll(q, "'", "''") + "'"
}

// again is the question as it was asked, with another end.
func (a *Ask) again(end string) string {
	return "ASK " + a.Form.Word() + "'" + strings.ReplaceAll(a.Question, "'", "''") + "'" + end
}

// options reads USING PLAN, READING and WITH, each at most once, in any order.
func (r *reader) options(a *Ask) error {
	with := false
	for len(r.tokens) > 0 {
		var err error
		switch {
		case !a.HasPlan && a.Reading == 0 && r.word("using"):
			err = r.usingPlan(a)
		case !a.HasPlan && a.Reading == 0 && r.word("reading"):
			err = r.reading(a)
		case !with && r.word("with"):
			with = true
			err = r.with(a)
		default:
			err = r.fail(a.again(""))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) usingPlan(a *Ask) (err error) {
	hint := a.again(" USING PLAN '{…}'")
	if !r.word("plan") {
		return r.fail(hint)
	}
	a.HasPlan = true
	a.Plan, err = r.literal(hint)
	return err
}

func (r *reader) reading(a *Ask) error {
	hint := a.again(" READING 1")
	if len(r.tokens) == 0 || r.tokens[0].kind != pg_query.Token_ICONST {
		return r.fail(hint)
	}
	n, err := strconv.Atoi(r.tokens[0].text(r.text))
	if err != nil || n < 1 {
		return r.fail(hint)
	}
	a.Reading = n
	r.tokens = r.tokens[1:]
	return nil
}

func (r *reader) with(a *Ask) error {
	hint := a.again(" WITH (columns = 'name text, total numeric')")
	if !r.kind(tokOpen) {
		return r.fail(hint)
	}
	for {
		if err := r.option(a, hint); err != nil {
			return err
		}
		if r.kind(tokClose) {
			return nil
		}
		if !r.kind(tokComma) {
			return r.fail(hint)
		}
	}
}

func (r *reader) option(a *Ask, hint string) (err error) {
	switch {
	case a.Columns == "" && r.word("columns"):
		if !r.kind(tokEquals) {
			return r.fail(hint)
		}
		a.Columns, err = r.literal(hint)
		if err == nil && strings.Trim(a.Columns, space) == "" {
			return syntaxError("columns is empty", hint)
		}
		return err
	case a.Form == FormChart && a.Format == "" && r.word("format"):
		return r.format(a)
	}
	return r.fail(hint)
}

func (r *reader) format(a *Ask) (err error) {
	hint := a.again(" WITH (format = text)")
	if !r.kind(tokEquals) {
		return r.fail(hint)
	}
	if r.word("text") {
		a.Format = "text"
		return nil
	}
	before := *r
	value, err := r.literal(hint)
	if err != nil || !strings.EqualFold(value, "text") {
		return before.fail(hint)
	}
	a.Format = "text"
	return nil
}

// preparesAsk tells whether the tokens are PREPARE name … AS ASK.
func preparesAsk(text string, tokens []token) bool {
	if !tokens[0].word(text, "prepare") || len(tokens) < 4 {
		return false
	}
	brackets := 0
	for i, t := range tokens {
		switch t.kind {
		case tokOpen:
			brackets++
		case tokClose:
			brackets--
		case pg_query.Token_AS:
			if brackets == 0 {
				return i+1 < len(tokens) && tokens[i+1].word(text, "ask")
			}
		}
	}
	return false
}

// parsePrepareAsk reads PREPARE name AS ASK …. An ASK has no parameters, so a
// list of parameter types is refused rather than ignored.
func parsePrepareAsk(text string, tokens []token) (*Prepare, *Ask, error) {
	const hint = "PREPARE name AS ASK 'your question'"
	r := &reader{text, tokens[1:]}
	if r.tokens[1].kind != pg_query.Token_AS {
		r.tokens = r.tokens[1:]
		return nil, nil, r.fail(hint)
	}
	// The grammar itself reads the name, so that keywords and quotes mean
	// what they mean in any PREPARE.
	n, err := parseOne("PREPARE " + r.tokens[0].text(text) + " AS SELECT 1")
	if err != nil {
		return nil, nil, r.fail(hint)
	}
	ask, err := parseAsk(text, r.tokens[3:])
	if err != nil {
		return nil, nil, err
	}
	return &Prepare{Name: n.GetPrepareStmt().GetName()}, ask, nil
}
