package policy

import (
	"regexp"
	"strings"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// functionKind says what a built-in function may be used as.
type functionKind byte

const (
	functionUnknown functionKind = iota
	functionScalar
	functionAggregate
	functionWindow
)

// builtins are the safe built-in functions by name.
type builtins map[string]functionKind

func safeBuiltins() builtins {
	b := builtins{}
	add := func(names string, k functionKind) {
		for _, n := range strings.Fields(names) {
			b[n] = k
		}
	}
	add(mathFunctions(), functionScalar)
	add(stringFunctions(), functionScalar)
	add(timeFunctions(), functionScalar)
	add(jsonFunctions(), functionScalar)
	add(arrayFunctions(), functionScalar)
	add(searchFunctions(), functionScalar)
	add(otherFunctions(), functionScalar)
	add(catalogFunctions(), functionScalar)
	add(aggregateFunctions(), functionAggregate)
	add(windowFunctions(), functionWindow)
	return b
}

// neverAllowed matches functions that run SQL text, change settings or leave
// the database: allowing one would undo the policy, so a file that does is
// faulty.
func neverAllowed() *regexp.Regexp {
	return regexp.MustCompile(`^(.*_to_xml(schema|_and_xmlschema)?|ts_stat|ts_rewrite|crosstab.*|connectby|xpath_table|dblink.*|` +
		`pg_read_.*|pg_ls_.*|pg_stat_file|lo_.*|loread|lowrite|set_config|pg_terminate_backend|pg_cancel_backend|` +
		`pg_reload_conf|pg_rotate_logfile|pg_logical_.*|pg_file_.*|cursor_to_xml.*)$`)
}

// functionRules are a role's additions to and removals from the built-ins.
type functionRules struct {
	allow, deny []configs.Pattern
}

// compileFunctions reads functions: of a role. A name without a schema is a
// built-in.
func compileFunctions(r *configs.Role, key string) (functionRules, []configs.Fault) {
	var out functionRules
	var faults []configs.Fault
	read := func(list []string, sub string, to *[]configs.Pattern) {
		for _, text := range list {
			p, err := functionPattern(text)
			if err != nil {
				faults = append(faults, configs.Fault{Pos: r.Pos, Key: key + "." + sub, Msg: err.Error()})
				continue
			}
			*to = append(*to, p)
		}
	}
	read(r.Functions.Allow, "allow", &out.allow)
	read(r.Functions.Deny, "deny", &out.deny)
	never := neverAllowed()
	for _, f := range out.allow {
		if never.MatchString(f.Table) || f.TableWild && (f.SchemaWild || f.Schema == builtinSchema) {
			faults = append(faults, configs.Fault{Pos: r.Pos, Key: key + ".allow",
				Msg: f.String() + " could read or change what the policy protects; it can't be allowed"})
		}
	}
	return out, faults
}

const builtinSchema = "pg_catalog"

// functionPattern reads a function's name; one without a schema is a built-in.
func functionPattern(text string) (configs.Pattern, error) {
	if !strings.Contains(text, ".") {
		text = builtinSchema + "." + text
	}
	return configs.ParsePattern(text)
}

// anyFunction tells whether one of the patterns names the function.
func anyFunction(list []configs.Pattern, schema, name string) bool {
	return matching(list, catalog.Name{Schema: schema, Table: name}) != nil
}
