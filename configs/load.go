package configs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// All is everything that the files say.
type All struct {
	Config   *Config
	Users    *Users
	Policy   *Policy
	Semantic *Semantic
	Reviews  *Reviews
	Curated  *Curated

	rolesUnknown bool // policy.yaml has a fault that hides its roles
}

// Load reads pgask.yaml at path and the files it names, with defaults below
// and PGASK_… environment variables and overrides above its single-valued
// settings. It returns every fault there is, in the order of the files and
// lines; the configuration is usable unless one of them is more than a
// warning (see [Faulty]). It connects to nothing.
func Load(path string, overrides Overrides) (*All, []Fault) {
	data, err := os.ReadFile(path)
	if err != nil {
		c, origins, _ := decodeConfig(path, nil, layers{})
		all, _ := loadRest(path, c, origins)
		return all, []Fault{{Pos: Pos{File: path}, Msg: "cannot read it: " + reason(err)}}
	}
	c, origins, faults := decodeConfig(path, data, layers{env: true, overrides: overrides})
	all, more := loadRest(path, c, origins)
	faults = sorted(append(faults, validate(c, path, origins)...))
	return all, append(faults, more...)
}

// loadRest reads the other files, then checks what no file can say alone, and
// makes paths absolute.
func loadRest(path string, c *Config, origins map[string]Pos) (*All, []Fault) {
	r := rest{folder: filepath.Dir(path), origins: origins}
	all := &All{Config: c}
	all.Users = read(&r, "files.users", c.Files.Users, DecodeUsers)
	before := len(r.faults)
	all.Policy = read(&r, "files.policy", c.Files.Policy, DecodePolicy)
	all.rolesUnknown = len(all.Policy.Roles) == 0 && Faulty(r.faults[before:])
	all.Semantic = readSemantic(&r, c.Files.Semantic)
	all.Reviews = read(&r, "files.reviews", c.Files.Reviews, DecodeReviews)
	all.Curated = read(&r, "files.curated", c.Files.Curated, DecodeCurated)
	absolute(path, c)
	c.Index.Pos = origins["index.dsn"]
	for _, db := range c.Databases {
		db.Keepalive = c.Limits.Keepalive
	}
	return all, append(r.faults, across(all)...)
}

// rest collects the faults of the files that pgask.yaml names.
type rest struct {
	folder  string
	origins map[string]Pos
	faults  []Fault
}

// read decodes one of the files. Positions name it relative to where the
// program was started, as the path of pgask.yaml is.
func read[T any](r *rest, key, file string, decode func(string, []byte) (*T, []Fault)) *T {
	if file != "" && !filepath.IsAbs(file) {
		file = filepath.Join(r.folder, file)
	}
	data, faults := optional(key, file, r.origins)
	t, more := decode(file, data)
	r.faults = append(append(r.faults, faults...), more...)
	return t
}

// optional reads a file that counts as empty if nobody asked for it by name.
func optional(key, file string, origins map[string]Pos) ([]byte, []Fault) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	pos, named := origins[key]
	switch {
	case err == nil:
		return data, nil
	case errors.Is(err, fs.ErrNotExist) && !named:
		return nil, nil
	case !named:
		pos = Pos{File: file}
	}
	return nil, []Fault{{Pos: pos, Key: key, Msg: "cannot read " + file + ": " + reason(err)}}
}

// reason is the last part of a file system's error.
func reason(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}

// absolute makes the paths in pgask.yaml start at its folder.
func absolute(file string, c *Config) {
	for _, p := range []*string{
		&c.TLS.Cert, &c.TLS.Key, &c.TLS.ClientCA, &c.TLS.CRL, &c.Cluster.CA,
		&c.Files.Users, &c.Files.Policy, &c.Files.Semantic, &c.Files.Reviews, &c.Files.Curated, &c.Files.Approved,
		&c.LLM.Record, &c.LLM.Replay, &c.Audit.Path, &c.Traces.Dir,
	} {
		*p = beside(file, *p)
	}
}
