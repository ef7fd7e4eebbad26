package llm

import "strings"

// DefaultWindow is the context window assumed for unknown models.
const DefaultWindow = 128_000

// KnownWindow is the context window of a family of models, in tokens.
type KnownWindow struct {
	// Prefix is the prefix of the names of the family.
	Prefix string
	// Tokens is the smallest window in the family.
	Tokens int
}

// KnownWindows lists well-known models whose window differs from [DefaultWindow], and
// those for which a shorter prefix would give a wrong window.
// docs/CONFIGURATION.md has the same table.
func KnownWindows() []KnownWindow {
	return []KnownWindow{
		{"gpt-3.5-turbo", 16_385},
		{"gpt-4", 8_192},
		{"gpt-4-32k", 32_768},
		{"gpt-4-turbo", 128_000},
		{"gpt-4-1106", 128_000},
		{"gpt-4-0125", 128_000},
		{"gpt-4.1", 1_047_576},
		{"gpt-5", 400_000},
		{"gpt-5-chat", 128_000},
		{"gpt-5.1", 400_000},
		{"gpt-5.1-chat", 128_000},
		{"gpt-oss", 131_072},
		{"o1", 200_000},
		{"o1-mini", 128_000},
		{"o1-preview", 128_000},
		{"o3", 200_000},
		{"o4-mini", 200_000},
		{"claude-2.1", 200_000},
		{"claude-3", 200_000},
		{"claude-3.5", 200_000},
		{"claude-3.7", 200_000},
		{"claude-haiku-4", 200_000},
		{"claude-haiku-4.5", 200_000},
		{"claude-opus-4", 200_000},
		{"claude-opus-4.1", 200_000},
		{"claude-opus-4.5", 200_000},
		{"claude-sonnet-4", 200_000},
		{"claude-sonnet-4.5", 200_000},
		{"gemini-1.5-flash", 1_048_576},
		{"gemini-1.5-pro", 2_097_152},
		{"gemini-2.0-flash", 1_048_576},
		{"gemini-2.5-flash", 1_048_576},
		{"gemini-2.5-pro", 1_048_576},
		{"llama-3", 8_192},
		{"llama3", 8_192},
		{"mixtral-8x7b", 32_768},
		{"mixtral-8x22b", 65_536},
	}
}

// ContextWindow returns the context window of a model in tokens: the window of the longest matching
// prefix in [KnownWindows], or [DefaultWindow]. A vendor before the name
// ("anthropic/") and the case of letters are ignored.
func ContextWindow(model string) int {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	window, longest := DefaultWindow, 0
	for _, known := range KnownWindows() {
		if len(known.Prefix) > longest && inFamily(name, known.Prefix) {
			window, longest = known.Tokens, len(known.Prefix)
		}
	}
	return window
}

// inFamily reports whether a name is the prefix, or the prefix followed by a separator:
// "gpt-4-0613" belongs to gpt-4, "gpt-4o" and "gpt-4.1" do not.
func inFamily(name, prefix string) bool {
	rest, found := strings.CutPrefix(name, prefix)
	return found && (rest == "" || strings.ContainsRune("-:@", rune(rest[0])))
}
