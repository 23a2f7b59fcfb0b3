package trace

import (
	"fmt"
	"strings"
)

// Differences says where what happens now differs from what was recorded, in
// the order in which it happens; nil where it doesn't. Both must have been
// redacted alike. Durations and rows don't count.
func Differences(was, now *Trace) []string {
	var out []string
	differ := func(what, a, b string) {
		if a != b {
			out = append(out, what+" was "+shown(a)+", is "+shown(b))
		}
	}
	differ("schema version", was.SchemaVersion, now.SchemaVersion)
	differ("policy version", was.PolicyVersion, now.PolicyVersion)
	for i := range max(len(was.Stages), len(now.Stages)) {
		var a, b Stage
		if i < len(was.Stages) {
			a = was.Stages[i]
		}
		if i < len(now.Stages) {
			b = now.Stages[i]
		}
		differ(fmt.Sprintf("stage %d", i+1), a.line(), b.line())
	}
	for i := range max(len(was.Calls), len(now.Calls)) {
		switch call := fmt.Sprintf("model call %d", i+1); {
		case i >= len(was.Calls):
			out = append(out, call+" is new: "+now.Calls[i].Task)
		case i >= len(now.Calls):
			out = append(out, call+" isn't made any more: "+was.Calls[i].Task)
		default:
			a, b := was.Calls[i], now.Calls[i]
			differ(call+": task", a.Task, b.Task)
			differ(call+": model", a.Model, b.Model)
			out = append(out, lines(call+": system message", a.System, b.System)...)
			out = append(out, lines(call+": user message", a.User, b.User)...)
		}
	}
	for i := range max(len(was.Answers), len(now.Answers)) {
		var a, b Answer
		if i < len(was.Answers) {
			a = was.Answers[i]
		}
		if i < len(now.Answers) {
			b = now.Answers[i]
		}
		differ(fmt.Sprintf("source of answer %d", i+1), a.Source, b.Source)
		differ(fmt.Sprintf("plan of answer %d", i+1), a.PlanHash, b.PlanHash)
		differ(fmt.Sprintf("curated query of answer %d", i+1), a.Curated, b.Curated)
	}
	out = append(out, lines("SQL", was.SQL, now.SQL)...)
	if was.Rows == nil || now.Verdict != Allowed { // else the verdict is that of an execution
		differ("verdict", was.Verdict, now.Verdict)
		var a, b Failure
		if was.Failure != nil {
			a = *was.Failure
		}
		if now.Failure != nil {
			b = *now.Failure
		}
		differ("error", a.Message, b.Message)
	}
	return out
}

func (s Stage) line() string {
	return strings.TrimSpace(s.Stage + " " + s.Outcome + " " + s.Detail)
}

// lines says where two texts part.
func lines(what, a, b string) []string {
	if a == b {
		return nil
	}
	was, now := strings.Split(a, "\n"), strings.Split(b, "\n")
	i := 0
	for i < len(was) && i < len(now) && was[i] == now[i] {
		i++
	}
	at := func(all []string) string {
		if i < len(all) {
			return shown(all[i])
		}
		return "at its end"
	}
	return []string{fmt.Sprintf("%s differs from line %d: was %s, is %s", what, i+1, at(was), at(now))}
}

// most of a text that is quoted, in runes.
const most = 300

func shown(s string) string {
	if s == "" {
		return "nothing"
	}
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return "“" + s + "”"
}
