package policy

import (
	"regexp"
	"strings"
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
