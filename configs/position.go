package configs

import "fmt"

// Pos is where something stands in a file, 1-based; the zero Pos is nowhere.
type Pos struct {
	File string
	Line int
}

// String is "file:line", as editors and compilers print it.
func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Fault is one thing wrong in a file: where, which key, what, and what to do.
type Fault struct {
	Pos     Pos
	Key     string // dotted path of the key, such as roles.analyst.limits.rows
	Msg     string
	Warning bool // a warning leaves the configuration usable
	// Fix is what mends it, line by line, where that can be typed as it is.
	Fix []string
}

// Error makes a fault an error of one line.
func (f Fault) Error() string {
	if f.Key == "" {
		return fmt.Sprintf("%s: %s", f.Pos, f.Msg)
	}
	return fmt.Sprintf("%s: %s: %s", f.Pos, f.Key, f.Msg)
}
