package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// recording is one answered request on disk. It holds the prompt, so that a
// reader sees what was answered, and therefore names and samples of the
// schema; never the key or the address.
type recording struct {
	Task             string `json:"task"`
	Model            string `json:"model"`
	System           string `json:"system"`
	User             string `json:"user"`
	Reply            string `json:"reply"`
	PromptTokens     int    `json:"prompt_tokens"`
	CompletionTokens int    `json:"completion_tokens"`
}

// keyOf names a request's recording: equal for equal task, model, messages, schema
// and sample.
func keyOf(model string, r Request) string {
	if r.Sample > 0 {
		return digest(r.Task, model, r.System, r.User, r.SchemaName, string(r.Schema), strconv.Itoa(r.Sample))
	}
	return digest(r.Task, model, r.System, r.User, r.SchemaName, string(r.Schema))
}

func digest(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func fileOf(dir, key string) string { return filepath.Join(dir, key+".json") }

// replay gives a recorded reply.
func replay(dir, key string) (Reply, error) {
	var r recording
	if err := load(dir, key, &r); err != nil {
		return Reply{}, err
	}
	if r.Reply == "" {
		return Reply{}, damaged(key)
	}
	return Reply{Text: r.Reply, PromptTokens: r.PromptTokens, CompletionTokens: r.CompletionTokens}, nil
}

// load reads a recording. A missing one is the provider's absence, so that a
// session goes on as it would without a provider.
func load(dir, key string, into any) error {
	text, err := os.ReadFile(fileOf(dir, key))
	if errors.Is(err, fs.ErrNotExist) {
		return &ProviderError{Kind: Unavailable, Reason: "no recording of this request (" + key[:12] + ") to replay"}
	}
	if err != nil {
		return &ProviderError{Kind: Unavailable, Reason: "the recording (" + key[:12] + ") can't be read"}
	}
	if json.Unmarshal(text, into) != nil {
		return damaged(key)
	}
	return nil
}

func damaged(key string) error { return badReply("the recording (" + key[:12] + ") is damaged") }

func record(dir, key, model string, r Request, reply Reply) error {
	return save(dir, key, recording{Task: r.Task, Model: model, System: r.System, User: r.User,
		Reply: reply.Text, PromptTokens: reply.PromptTokens, CompletionTokens: reply.CompletionTokens})
}

// save writes a recording in one step: a reader never sees half of one.
func save(dir, key string, recorded any) error {
	text, err := json.MarshalIndent(recorded, "", "  ")
	if err != nil {
		return fmt.Errorf("record the model's answer: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("record the model's answer: %w", err)
	}
	f, err := os.CreateTemp(dir, ".recording-*")
	if err != nil {
		return fmt.Errorf("record the model's answer: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), fileOf(dir, key))
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("record the model's answer: %w", err)
	}
	return nil
}
