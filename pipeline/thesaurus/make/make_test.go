package main

import (
	"testing"
	"testing/fstest"
)

// small is a net of a few words, in the format of WordNet's files.
func small() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte("  1 a licence\n" + text)} }
	return fstest.MapFS{
		"data.noun": file(`00000001 06 n 02 car 0 auto 0 002 @ 00000002 n 0000 ~ 00000009 n 0000 | a thing with wheels
00000002 06 n 01 vehicle 0 000 | it moves
00000003 05 n 02 horse 0 nag 0 001 @ 00000002 n 0000 | an animal
00000004 15 n 02 Rome 0 eternal_city 0 001 @i 00000005 n 0000 | a city
00000005 15 n 02 city 0 town 0 000 | a place
00000006 06 n 02 car 1 gondola 0 001 @ 00000007 n 0000 | it hangs
00000007 06 n 01 contraption 0 000 | nobody uses the word
00000008 10 n 01 data 0 000 | a word by itself
`),
		"index.noun": file(`car n 2 1 @ 2 1 00000001 00000006
auto n 1 1 @ 1 1 00000001
vehicle n 1 1 @ 1 1 00000002
horse n 1 1 @ 1 1 00000003
nag n 1 1 @ 1 1 00000003
rome n 1 0 1 1 00000004
eternal_city n 1 0 1 1 00000004
city n 1 0 1 1 00000005
town n 1 0 1 1 00000005
gondola n 1 1 @ 1 0 00000006
contraption n 1 0 1 0 00000007
data n 1 0 1 0 00000008
`),
		"data.adj":    file("00000001 00 a 02 yearly 0 annual(p) 0 000 | every year\n"),
		"index.adj":   file("yearly a 1 0 1 1 00000001\nannual a 1 0 1 1 00000001\n"),
		"cntlist.rev": {Data: []byte("car%1:06:00:: 1 9\nvehicle%1:06:00:: 1 3\ntown%1:15:00:: 1 2\nox%1:05:00:: 1 1\ndatum%1:10:00:: 1 1\n")},
		"noun.exc":    {Data: []byte("oxen ox\ndata datum\nteeth tooth\n")},
	}
}

func TestMake(t *testing.T) {
	n, err := read(small())
	if err != nil {
		t.Fatal(err)
	}
	const want = `annual	yearly
auto	car ^vehicle
car	auto gondola1 ^vehicle
city	town
gondola	car1
town	city
yearly	annual
`
	if got := n.words(); got != want {
		t.Errorf("words.txt:\n%s", got)
	}
	if got := n.plurals(); got != "oxen\tox\n" {
		t.Errorf("plurals.txt:\n%s", got)
	}
}

func TestFaultyFiles(t *testing.T) {
	for name, text := range map[string]string{
		"data.noun":  "00000001 06 n 09 car 0 000\n",
		"index.noun": "car n 7 1 00000001\n",
		"data.adj":   "00000001 00 a 01 yearly 0 003 @ 1 a\n",
		"noun.exc":   "oxen\n",
	} {
		files := small()
		files[name] = &fstest.MapFile{Data: []byte(text)}
		if _, err := read(files); err == nil {
			t.Errorf("%s: no error for %q", name, text)
		}
		delete(files, name)
		if _, err := read(files); err == nil {
			t.Errorf("no error without %s", name)
		}
	}
}
