package gold

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Question is one line of questions.jsonl.
type Question struct {
	DB string `json:"db"`
	// Question and Synonym ask the same, in the schema's words and in others.
	Question string `json:"question"`
	Synonym  string `json:"synonym_question"`
	SQL      string `json:"gold_sql"`
	// Ordered tells that the order of Rows counts.
	Ordered bool `json:"ordered"`
	// Rows are the right ones in text form; nil for null.
	Rows [][]*string `json:"rows"`
	// Refused says why nothing in the database answers the question ("opinion",
	// "wrong domain" …); empty where SQL does. Words are those that a refusal has to name.
	Refused string   `json:"refused"`
	Words   []string `json:"words"`
}

// Unanswerable tells of a question that has to be refused.
func (q Question) Unanswerable() bool { return q.Refused != "" }

// Dir is the folder of the tuning questions: in a folder shared beside the
// repository, whose root is given, or where PGASK_SHARED says. The former need not
// be there: tests on schemas of our own hold the same behaviour.
func Dir(root string) (dir string, there bool) {
	if shared := os.Getenv("PGASK_SHARED"); shared != "" {
		return filepath.Join(shared, "questions", "tuning"), true
	}
	dir = filepath.Join(root, "..", "shared", "questions", "tuning")
	_, err := os.Stat(dir)
	return dir, err == nil
}

// Read reads a folder's questions.jsonl.
func Read(dir string) ([]Question, error) {
	f, err := os.Open(filepath.Join(dir, "questions.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<26)
	var out []Question
	for lines.Scan() {
		var q Question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", f.Name(), len(out)+1, err)
		}
		out = append(out, q)
	}
	return out, lines.Err()
}
