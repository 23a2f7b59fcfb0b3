package llm

import (
	"context"
	"math"
	"net/http"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// EmbedBatch is the most texts that one request of Embed has.
const EmbedBatch = 64

// embedding is a recorded answer of an embedding model.
type embedding struct {
	Task    string      `json:"task"`
	Model   string      `json:"model"`
	Texts   []string    `json:"texts"`
	Vectors [][]float32 `json:"vectors"`
}

// Embed asks the task's model for a vector of each text, in the order of the
// texts, all of one length and none of them zero. Errors are those of Complete.
func (c *Client) Embed(ctx context.Context, task string, texts []string) ([][]float32, error) {
	var out [][]float32
	for len(texts) > 0 {
		n := min(len(texts), EmbedBatch)
		vectors, err := c.embedBatch(ctx, task, texts[:n])
		if err != nil {
			return nil, err
		}
		if len(out) > 0 && len(vectors[0]) != len(out[0]) {
			return nil, badReply("the vectors are of several lengths")
		}
		out, texts = append(out, vectors...), texts[n:]
	}
	return out, nil
}

func (c *Client) embedBatch(ctx context.Context, task string, texts []string) ([][]float32, error) {
	start := time.Now()
	key := digest(append([]string{"embed", task, c.Model(task)}, texts...)...)
	if c.config.Replay != "" {
		var r embedding
		if err := load(c.config.Replay, key, &r); err != nil {
			return nil, err
		}
		if checkVectors(r.Vectors, len(texts)) != nil {
			return nil, damaged(key)
		}
		return r.Vectors, nil
	}
	var vectors [][]float32
	tokens := 0
	err := c.bounded(ctx, func(ctx context.Context) (header http.Header, fail *ProviderError) {
		vectors, tokens, header, fail = c.embedOnce(ctx, task, texts)
		return header, fail
	})
	c.observe(task, start, tokens, 0, err)
	if err == nil && c.config.Record != "" {
		err = save(c.config.Record, key, embedding{Task: task, Model: c.Model(task), Texts: texts, Vectors: vectors})
	}
	return vectors, err
}

func (c *Client) embedOnce(ctx context.Context, task string, texts []string) ([][]float32, int, http.Header, *ProviderError) {
	response, err := c.api.CreateEmbeddings(ctx, openai.EmbeddingRequestStrings{Input: texts, Model: openai.EmbeddingModel(c.Model(task))})
	if err != nil {
		return nil, 0, response.Header(), c.classify(ctx, err)
	}
	vectors := make([][]float32, len(texts))
	for _, d := range response.Data {
		if d.Index < 0 || d.Index >= len(vectors) || vectors[d.Index] != nil {
			return nil, 0, nil, badReply("the vectors are not those of the texts")
		}
		vectors[d.Index] = d.Embedding
	}
	return vectors, response.Usage.PromptTokens, nil, checkVectors(vectors, len(texts))
}

// checkVectors wants n vectors of one length that can be compared.
func checkVectors(vectors [][]float32, n int) *ProviderError {
	if len(vectors) != n {
		return badReply("the vectors are not those of the texts")
	}
	for _, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return badReply("the vectors are of several lengths")
		}
		square := 0.0
		for _, x := range v {
			square += float64(x) * float64(x)
		}
		if square == 0 || math.IsNaN(square) || math.IsInf(square, 0) {
			return badReply("a vector has no direction")
		}
	}
	return nil
}
