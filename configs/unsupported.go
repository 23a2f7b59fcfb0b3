package configs

// unsupported lists the settings that are part of the files' contract and do
// nothing in this version. A value for one of them gives a warning, so that
// nobody relies on what isn't there. Take an entry out when its feature comes.
var unsupported = []struct {
	key    string
	used   func(*Config) bool
	effect string
}{
	{"llm.routing.narrator", func(c *Config) bool { return c.LLM.Routing["narrator"] != "" }, "answers are not narrated"},
}

// warnUnsupported notes the settings of pgask.yaml that this version ignores.
func warnUnsupported(c *Config, origins map[string]Pos) []Fault {
	var out []Fault
	for _, u := range unsupported {
		if u.used(c) {
			out = append(out, ignored(origins[u.key], u.key, u.effect))
		}
	}
	return out
}

func ignored(pos Pos, key, effect string) Fault {
	return Fault{Pos: pos, Key: key, Msg: "this version of pgask ignores it: " + effect, Warning: true}
}
