package configs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// reference is ${env:NAME} or ${file:PATH}.
var reference = regexp.MustCompile(`\$\{(env|file):([^}]*)\}`)

// secret stores a text in which ${env:NAME} and ${file:PATH} are replaced.
// Paths are relative to the file's folder; a final line break of the file
// read is not part of the secret. Faults never quote the text.
func secret(dst *string) setter {
	return func(v value) {
		s, ok := v.scalar("text")
		if !ok {
			return
		}
		before := v.d.wrong
		s = reference.ReplaceAllStringFunc(s, func(ref string) string {
			m := reference.FindStringSubmatch(ref)
			if m[1] == "env" {
				return v.fromEnvironment(m[2])
			}
			return v.fromFile(m[2])
		})
		if v.d.wrong == before {
			*dst = s
		}
	}
}

func (v value) fromEnvironment(name string) string {
	s, ok := v.d.lookup(name)
	if !ok {
		v.fault("environment variable %s is not set", name)
	}
	return s
}

func (v value) fromFile(path string) string {
	data, err := os.ReadFile(beside(v.d.file, path))
	if err != nil {
		v.fault("cannot read the secret %s: %s", path, reason(err))
		return ""
	}
	s := strings.TrimSuffix(string(data), "\n")
	return strings.TrimSuffix(s, "\r")
}

// beside makes a path that a file names absolute: relative ones start at the
// file's own folder.
func beside(file, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	joined := filepath.Join(filepath.Dir(file), path)
	if abs, err := filepath.Abs(joined); err == nil {
		return abs
	}
	return joined
}

// fileError is an error of the file system as "path: reason".
func fileError(err error) string {
	s := err.Error()
	for _, op := range []string{"open ", "read ", "stat "} {
		s = strings.TrimPrefix(s, op)
	}
	return s
}
