// Package llm is the one client of the model provider: any server that speaks
// the chat completions API. A [Client] asks one question at a time with
// structured output, or for vectors of texts, bounded in time, size and
// concurrency, and says in five words what went wrong ([ProviderError]). It can record what it was told and
// replay it without a network. It knows neither plans nor catalogs.
package llm
