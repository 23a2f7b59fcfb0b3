package llm

import (
	"context"
	"math"
	"net/http"

	openai "github.com/sashabaranov/go-openai"
)

// once makes one request and returns the reply with its HTTP header.
func (c *Client) once(ctx context.Context, r Request) (Reply, http.Header, *ProviderError) {
	response, err := c.api.CreateChatCompletion(ctx, c.request(r))
	if err != nil {
		return Reply{}, response.Header(), c.classify(ctx, err)
	}
	reply, fail := read(response)
	return reply, nil, fail
}

// sampleTemperature makes a model say what else it would have said.
const sampleTemperature = 0.7

// request asks for temperature 0, except for samples and of models that allow none; the
// library knows which those are. The library leaves out a temperature of 0, so
// that the smallest number stands for it here and the transport spells it 0.
func (c *Client) request(r Request) openai.ChatCompletionRequest {
	seed := Seed + r.Sample
	req := openai.ChatCompletionRequest{
		Model: c.Model(r.Task),
		Seed:  &seed,
		Messages: []openai.ChatCompletionMessage{
			{Role: openai.ChatMessageRoleSystem, Content: r.System},
			{Role: openai.ChatMessageRoleUser, Content: r.User},
		},
		Temperature: math.SmallestNonzeroFloat32,
	}
	if r.Sample > 0 {
		req.Temperature = sampleTemperature
	}
	if openai.NewReasoningValidator().Validate(req) != nil {
		req.Temperature = 0
	}
	if len(r.Schema) > 0 && !c.config.Schemaless {
		req.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: r.SchemaName, Schema: r.Schema, Strict: true,
			},
		}
	}
	return req
}

// read takes the answer out of its envelope; anything but one complete,
// willing answer is a bad reply.
func read(r openai.ChatCompletionResponse) (Reply, *ProviderError) {
	if len(r.Choices) == 0 {
		return Reply{}, badReply("the reply holds no answer")
	}
	choice := r.Choices[0]
	switch {
	case choice.Message.Refusal != "":
		return Reply{}, badReply("the model refused to answer")
	case choice.FinishReason == openai.FinishReasonContentFilter:
		return Reply{}, badReply("the provider's content filter held the answer back")
	case choice.FinishReason == openai.FinishReasonLength:
		return Reply{}, badReply("the answer was cut off")
	case choice.Message.Content == "":
		return Reply{}, badReply("the answer is empty")
	}
	return Reply{Text: choice.Message.Content,
		PromptTokens: r.Usage.PromptTokens, CompletionTokens: r.Usage.CompletionTokens}, nil
}
