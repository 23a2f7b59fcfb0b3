package audit

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// chained is a log of six lines.
func chained(t testing.TB) []string {
	t.Helper()
	o := options(t)
	o.Chain = true
	l := Open(o)
	say(l, 0, 5)
	closeLog(t, l)
	text, err := os.ReadFile(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(text)))
}

// TestTampered finds the first line that isn't what was written.
func TestTampered(t *testing.T) {
	all := chained(t)
	replaced := func(i int, line string) []string {
		out := slices.Clone(all)
		out[i] = line
		return out
	}
	for name, c := range map[string]struct {
		text   []string
		line   int
		reason string
	}{
		"edited":                         {replaced(2, strings.Replace(all[2], `"rows":7`, `"rows":8`, 1)), 3, "was changed"},
		"hash edited":                    {replaced(2, strings.Replace(all[2], all[2][len(all[2])-10:], "00000000\"}\n"[1:], 1)), 3, "hash"},
		"edited and rehashed":            {replaced(2, rehash(strings.Replace(all[2], `"rows":7`, `"rows":8`, 1))), 4, "doesn't follow"},
		"deleted":                        {slices.Delete(slices.Clone(all), 2, 3), 3, "doesn't follow"},
		"first deleted":                  {all[1:], 0, ""}, // as if it were in a file before
		"moved":                          {[]string{all[0], all[2], all[1], all[3]}, 2, "doesn't follow"},
		"twice":                          {[]string{all[0], all[1], all[1], all[2]}, 3, "doesn't follow"},
		"middle cut":                     {replaced(2, all[2][:40]), 3, "was changed"},
		"middle cut, with its line feed": {replaced(2, all[2][:40]+"\n"), 3, "no hash"},
		"without hash":                   {replaced(2, all[2][:len(all[2])-tailLen-1]+"}\n"), 3, "no hash"},
		"inserted":                       {slices.Insert(slices.Clone(all), 2, "{}\n"), 3, "no hash"},
		"last without hash":              {append(slices.Clone(all), "{}\n"), 7, "no hash"},
		"empty line":                     {slices.Insert(slices.Clone(all), 1, "\n"), 2, "no hash"},
		"end cut":                        {all[:3], 0, ""}, // only a hash kept elsewhere tells
	} {
		t.Run(name, func(t *testing.T) {
			var c2 Check
			err := c2.File(strings.NewReader(strings.Join(c.text, "")))
			b, broken := errors.AsType[*Broken](err)
			switch {
			case c.line == 0 && err != nil:
				t.Error(err)
			case c.line == 0:
			case !broken || b.Line != c.line || !strings.Contains(b.Reason, c.reason):
				t.Errorf("it said %v", err)
			case c2.Lines != c.line-1:
				t.Errorf("%d lines are good", c2.Lines)
			}
		})
	}
}

// rehash gives an edited line the hash of its new contents.
func rehash(line string) string {
	body := line[:len(line)-tailLen-1] + "}\n"
	prev, _, _, _ := links([]byte(strings.TrimSuffix(line, "\n")))
	out, _ := link(nil, []byte(body), prev)
	return string(out)
}

// TestHead knows a hash that was kept elsewhere.
func TestHead(t *testing.T) {
	all := chained(t)
	_, kept, _, _ := links([]byte(strings.TrimSuffix(all[3], "\n")))
	for n, found := range map[int]bool{6: true, 4: true, 3: false} {
		var c Check
		c.Expect(kept)
		if err := c.File(strings.NewReader(strings.Join(all[:n], ""))); err != nil || c.Found() != found {
			t.Errorf("of %d lines: found %v, %v", n, c.Found(), err)
		}
	}
}

// TestTextLikeHash isn't misled by a statement that looks like the end of a line.
func TestTextLikeHash(t *testing.T) {
	o := options(t)
	o.Chain = true
	l := Open(o)
	of := something
	of.Text = prevKey + genesis + hashKey + genesis + "\"}\n{"
	l.Statement(someone.Part(), of.Part(), Outcome{Verdict: "allowed"})
	closeLog(t, l)
	verified(t, 2, o.Path)
}

func FuzzVerify(f *testing.F) {
	all := strings.Join(chained(f), "")
	f.Add(all)
	f.Add(all[:len(all)/2])
	f.Add("\n{}\n" + genesis)
	f.Fuzz(func(t *testing.T, text string) {
		var c Check
		if err := c.File(strings.NewReader(text)); err == nil && c.Lines > strings.Count(text, "\n") {
			t.Errorf("%d lines", c.Lines)
		}
	})
}
