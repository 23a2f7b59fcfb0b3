package policy

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// currentSetting tells what SHOW may tell, and answers for the user what is
// the login's.
func (j *judge) currentSetting(call *pg_query.FuncCall, _ *level) (*pg_query.Node, error) {
	name := strings.ToLower(constantText(call.Args[0]))
	text := func(s string) *pg_query.Node { return stmt.Cast(stmt.StringConst(s), typeNamed("text")) }
	if _, ok := constantBool(call.Args[len(call.Args)-1]); len(call.Args) == 2 && !ok {
		return nil, j.view.deniedFunction("current_setting")
	}
	switch name {
	case "":
		return nil, deny(stateDenied, "permission denied: current_setting of anything but a literal is not allowed for this role")
	case "search_path":
		return text(j.view.pathText()), nil
	case "role":
		return text("none"), nil
	case "session_authorization":
		return text(j.view.role.User), nil
	case "is_superuser":
		return text("off"), nil
	}
	if !slices.Contains(showable(), name) {
		return nil, deny(stateDenied, "permission denied to examine %q", name)
	}
	call.Args[0] = stmt.StringConst(name)
	return &pg_query.Node{Node: &pg_query.Node_FuncCall{FuncCall: call}}, nil
}

// showsSetting tells whether current_setting asks for what SHOW may tell.
func showsSetting(n *pg_query.FuncCall) bool {
	if len(n.Args) == 2 {
		if _, ok := constantBool(n.Args[1]); !ok {
			return false
		}
	}
	return len(n.Args) > 0 && slices.Contains(showable(), n.Args[0].GetAConst().GetSval().GetSval())
}

func constantBool(n *pg_query.Node) (value, ok bool) {
	b, ok := n.GetAConst().GetVal().(*pg_query.A_Const_Boolval)
	return ok && b.Boolval.Boolval, ok
}

// setConfig lets literals pass that SET may set. What pgask itself follows, it
// follows in SET only.
func (j *judge) setConfig(call *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
	for i, a := range call.Args[:2] {
		if text := constantText(a); text != "" {
			call.Args[i] = stmt.StringConst(text)
		}
	}
	if err := j.harmlessSetting(call); err != nil {
		return nil, err
	}
	if call.Args[0].GetAConst().GetSval().Sval == "search_path" {
		return stmt.Cast(stmt.StringConst(j.view.pathText()), typeNamed("text")), nil
	}
	return &pg_query.Node{Node: &pg_query.Node_FuncCall{FuncCall: call}}, j.walk(call.Args[1], l)
}

func (j *judge) harmlessSetting(call *pg_query.FuncCall) error {
	if len(call.Args) != 3 {
		return j.view.deniedFunction("set_config")
	}
	name, value := call.Args[0].GetAConst().GetSval(), call.Args[1].GetAConst().GetSval()
	_, ok := constantBool(call.Args[2])
	if ok && strings.EqualFold(name.GetSval(), "jit") {
		return nil // whatever its value is: asyncpg puts it back by a parameter
	}
	if !ok || name == nil || value == nil {
		return j.view.deniedFunction("set_config").withHint("Its arguments must be literals; or use SET.")
	}
	name.Sval = strings.ToLower(name.Sval)
	if name.Sval == messagesSetting || name.Sval == "statement_timeout" {
		return deniedSetting(name.Sval).withHint("Use SET.")
	}
	return j.view.role.checkSetting(name.Sval, value.Sval)
}

// messagesSetting is followed by those who filter notices.
const messagesSetting = "client_min_messages"
