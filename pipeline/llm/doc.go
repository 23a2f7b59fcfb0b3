// Package llm is the one client of a model provider: any server that speaks
// OpenAI's chat completions, with structured output, time-outs, and recording
// and replay of the traffic. Provider failures have a family of their own.
package llm
