package configs

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/viper"
	"gopkg.in/yaml.v3"
)

// Overrides are settings from the command line: dotted key → value, such as
// limits.clients → 50. They win over everything.
type Overrides map[string]string

// commandLine is the "file" of an override in faults.
const commandLine = "command line"

// layers says where settings may come from besides the file.
type layers struct {
	env       bool
	overrides Overrides
}

// decodeConfig reads pgask.yaml and lays over it what layers allow. origins
// has the position of every key that isn't a default.
func decodeConfig(file string, data []byte, l layers) (c *Config, origins map[string]Pos, faults []Fault) {
	c = &Config{}
	origins = map[string]Pos{}
	scratch := fields{} // keys only; each scalar is set once, by the layer that wins
	for key := range settings(c) {
		scratch[key] = nil
	}
	defaults := open("default.yaml", defaultFile)
	v := open(file, data)
	stack := viper.New()
	set := settings(c)
	for key, d := range defaults.leaves(c, scratch, layers{}, nil) {
		stack.SetDefault(key, d)
		set[key](d) // stays where a faulty value wins
	}
	own := v.leaves(c, scratch, l, origins)
	// MergeConfigMap's error is that of a key delimiter conflict, which a
	// fixed set of keys can't have.
	_ = stack.MergeConfigMap(nested(own))
	if l.env {
		for key := range scratch {
			_ = stack.BindEnv(key, variable(key)) // fails without a key only
		}
	}
	for key, text := range l.overrides {
		stack.Set(key, outside(commandLine, key, text))
	}
	v.unknownOverrides(l.overrides, scratch)
	v.apply(stack, set, origins)
	return c, origins, sorted(v.d.faults)
}

// compounds are the keys of pgask.yaml that aren't single-valued.
func compounds(c *Config, env bool) fields {
	return fields{
		"databases":        databases(&c.Databases, env),
		"planner.order":    enums(&c.Planner.Order, "curated", "cache", "builtin", "model"),
		"llm.prices":       prices(&c.LLM.Prices),
		"cluster.peers":    peers(&c.Cluster.Peers),
		"hooks.plan_after": texts(&c.Hooks.PlanAfter),
		"hooks.sql_before": texts(&c.Hooks.SQLBefore),
	}
}

// leaves walks pgask.yaml strictly. It sets what isn't a single value and
// returns the single values by key.
func (v value) leaves(c *Config, scalars fields, l layers, origins map[string]Pos) map[string]value {
	found := map[string]value{}
	all := compounds(c, l.env)
	for key := range scalars {
		all[key] = func(v value) { found[key] = v }
	}
	for key, set := range all {
		all[key] = func(v value) {
			if origins != nil {
				origins[key] = v.pos()
			}
			set(v)
		}
	}
	v.object(tree(all))
	return found
}

// apply sets every single value from the layer that wins.
func (v value) apply(stack *viper.Viper, set fields, origins map[string]Pos) {
	for _, key := range slices.Sorted(maps.Keys(set)) {
		switch won := stack.Get(key).(type) {
		case value:
			if won.d.file == commandLine {
				origins[key] = won.pos()
			}
			set[key](won)
			if won.d != v.d {
				v.d.take(won.d)
			}
		case string:
			e := outside(variable(key), key, won)
			origins[key] = e.pos()
			set[key](e)
			v.d.take(e.d)
		}
	}
}

// unknownOverrides notes flags that stand for no setting: a mistake of the
// program, but one that must not pass silently.
func (v value) unknownOverrides(o Overrides, known fields) {
	for key := range o {
		if _, ok := known[key]; !ok {
			at := outside(commandLine, key, "")
			at.fault("unknown key; %s", suggestion(key, keys(known)))
			v.d.take(at.d)
		}
	}
}

// take adds another decoder's faults and forgets them there.
func (d *decoder) take(from *decoder) {
	d.faults = append(d.faults, from.faults...)
	d.wrong += from.wrong
	from.faults, from.wrong = nil, 0
}

// outside is a value that stands in no file.
func outside(file, key, text string) value {
	d := &decoder{file: file, lookup: os.LookupEnv}
	return value{d: d, key: key, node: &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}}
}

// variable is the environment variable of a key.
func variable(key string) string {
	return "PGASK_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// tree turns dotted keys into nested mappings.
func tree(flat fields) fields {
	out, groups := fields{}, map[string]fields{}
	for key, set := range flat {
		head, rest, dotted := strings.Cut(key, ".")
		if !dotted {
			out[key] = set
			continue
		}
		if groups[head] == nil {
			groups[head] = fields{}
		}
		groups[head][rest] = set
	}
	for head, group := range groups {
		inner := tree(group)
		out[head] = func(v value) { v.object(inner) }
	}
	return out
}

// nested is the same for values, in the shape that viper merges.
func nested(flat map[string]value) map[string]any {
	out := map[string]any{}
	for key, v := range flat {
		at := out
		words := strings.Split(key, ".")
		for _, w := range words[:len(words)-1] {
			inner, ok := at[w].(map[string]any)
			if !ok {
				inner = map[string]any{}
				at[w] = inner
			}
			at = inner
		}
		at[words[len(words)-1]] = v
	}
	return out
}
