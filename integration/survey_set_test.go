package integration

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/pgask/pgask/integration/gold"
	"github.com/pgask/pgask/integration/score"
)

// What "make questions" asks.
var (
	setFlag       = flag.String("set", "", "folder with questions.jsonl and a dump DB.sql of each database; empty: the tuning set, held to its floors")
	foldFlag      = flag.String("fold", gold.All, "databases to ask: all, dev or held (out)")
	columnFlag    = flag.String("column", "", "the one wording to ask in, question or synonym_question; empty: both")
	databasesFlag = flag.String("databases", "", "regular expression of the databases to ask")
	reportFlag    = flag.String("report", "", "file for the report as JSON")
	declinedFlag  = flag.Bool("declined", false, "list every question that was declined")
)

// floors are a little under what the tuning set has reached, by wording: right
// answers, and how many may be wrong. A change that does better raises them.
var floors = map[string]struct{ right, wrong int }{
	"question":         {right: 850, wrong: 47},
	"synonym_question": {right: 460, wrong: 28},
}

// TestQuestionSet measures the built-in planner on a set of questions with known
// rows, and holds the tuning set to its floors where no other is named.
func TestQuestionSet(t *testing.T) {
	dir, there := *setFlag, true
	if dir == "" {
		dir, there = gold.Dir("..")
	}
	if !there {
		t.Logf("no set of questions at %s", dir)
		return
	}
	s := newSurvey(t, dir, chosen(t, dir))
	var bold *survey // for the curve, which is for reading
	if *setFlag != "" {
		bold = s.bold(t)
	}
	var reports []score.Report
	for _, w := range wordings {
		if *columnFlag != "" && *columnFlag != w.name {
			continue
		}
		results := s.ask(t, w.text)
		if len(results) == 0 {
			continue
		}
		sure := results
		if bold != nil {
			sure = bold.ask(t, w.text)
		}
		r := score.New(w.name, results, sure)
		reports = append(reports, r)
		if *setFlag != "" {
			r.Write(os.Stdout, *declinedFlag)
			continue
		}
		t.Logf("%s: %s", w.name, r.All)
		if f := floors[w.name]; r.All.Right < f.right || r.All.Wrong > f.wrong {
			t.Errorf("%s: the floor is %d right and at most %d wrong", w.name, f.right, f.wrong)
		}
	}
	if *reportFlag != "" {
		writeReports(t, *reportFlag, reports)
	}
}

// chosen are the folder's questions that the flags choose.
func chosen(t *testing.T, dir string) []gold.Question {
	t.Helper()
	questions, err := gold.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if questions, err = gold.Fold(questions, *foldFlag); err != nil {
		t.Fatal(err)
	}
	named, err := regexp.Compile(*databasesFlag)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(questions, func(q gold.Question) bool { return !named.MatchString(q.DB) })
}

func writeReports(t *testing.T, path string, reports []score.Report) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := score.WriteJSON(f, reports); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
