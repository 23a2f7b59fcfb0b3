package configs

import (
	"math"
	"os"
	"regexp"
	"strings"
)

// adminDatabase is the name that clients of the admin database ask for.
const adminDatabase = "pgask"

// databases reads the entries of databases, by name. With env,
// PGASK_DATABASES_<NAME>_DSN stands for an entry's dsn.
func databases(dst *map[string]*Database, env bool) setter {
	return func(v value) {
		out := map[string]*Database{}
		variables := map[string]string{}
		v.entries(func(name string, child value) {
			db := &Database{Pos: child.pos(), Name: name, Pool: defaultPool()}
			out[name] = db
			override := value{}
			if env {
				override = child.dsnOverride(name, variables)
			}
			child.database(db, override)
		})
		*dst = out
	}
}

// database reads one entry; an override takes the place of its dsn.
func (v value) database(db *Database, override value) {
	given := false
	v.object(fields{
		"dsn": func(v value) {
			given = true
			if override.node == nil {
				dsn(&db.DSN)(v)
			}
		},
		"pool": func(v value) {
			v.object(fields{
				"mode":     enum(&db.Pool.Mode, "session", "transaction"),
				"size":     integer(&db.Pool.Size, 1, math.MaxInt16),
				"wait":     duration(&db.Pool.Wait, 0),
				"min":      integer(&db.Pool.Min, 0, math.MaxInt16),
				"idle":     duration(&db.Pool.Idle, 0),
				"lifetime": duration(&db.Pool.Lifetime, 0),
				"prepared": integer(&db.Pool.Prepared, 0, math.MaxInt16),
			})
			if db.Pool.Min > db.Pool.Size {
				v.fault("min is over size: %d backends can't be kept of %d", db.Pool.Min, db.Pool.Size)
			}
		},
	})
	switch {
	case db.Name == "":
		v.fault("a database needs a name")
	case db.Name == adminDatabase:
		v.fault("%s is the name of the admin database", adminDatabase)
	case override.node != nil:
		dsn(&db.DSN)(override)
		v.d.take(override.d)
	case !given:
		v.fault("dsn is missing")
	}
}

// dsn stores a connection string that pgconn can use.
func dsn(dst *string) setter {
	return func(v value) {
		before := v.d.wrong
		secret(dst)(v)
		if v.d.wrong > before {
			return
		}
		if *dst == "" {
			v.fault("the connection string is empty")
		} else if reason := checkDSN(*dst); reason != "" {
			v.fault("%s", reason)
		}
	}
}

// notEnv are the characters that no environment variable's name has.
var notEnv = regexp.MustCompile(`[^A-Z0-9]+`)

// dsnOverride is the environment's dsn for a database, if there is one.
// variables keeps which database each variable stands for: two names that
// differ only in case or signs can't share one.
func (v value) dsnOverride(name string, variables map[string]string) value {
	variable := "PGASK_DATABASES_" + notEnv.ReplaceAllString(strings.ToUpper(name), "_") + "_DSN"
	text, set := os.LookupEnv(variable)
	if !set || text == "" {
		return value{}
	}
	if other, taken := variables[variable]; taken {
		v.fault("%s stands for database %s too; rename one", variable, other)
		return value{}
	}
	variables[variable] = name
	return outside(variable, v.dotted("dsn"), text)
}
