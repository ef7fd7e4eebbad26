package gemini

import "github.com/chibi-host/chibi/internal/agents/engine"

// turnEvents are the events about sessions and turns.
func turnEvents() []engine.Event {
	const limit = timeLimit
	context := engine.Row{Path: "hookSpecificOutput.additionalContext", Set: engine.SetContext}
	return []engine.Event{
		{
			Name: "SessionStart", Kind: engine.SessionStart, Matches: engine.Source, Timeout: limit, Bridged: true,
			Fields: fields("SessionStart", engine.Holds("source", engine.Source)),
			Rows:   shown(context),
		},
		{
			Name: "SessionEnd", Kind: engine.SessionEnd, Matches: engine.Reason, Timeout: limit, Bridged: true,
			Fields: fields("SessionEnd", engine.Holds("reason", engine.Reason)),
			Rows:   shown(),
			Lost:   []string{"Gemini CLI does not wait for it, and may end it half-way."},
		},
		{
			Name: "BeforeAgent", Kind: engine.Prompt, Timeout: limit, Bridged: true, Repeats: true,
			Fields: fields("BeforeAgent", engine.Holds("prompt", engine.PromptText)),
			Rows:   decides(context),
			Lost: []string{
				"A plugin cannot change the prompt: Gemini CLI takes text beside it, or refuses it.",
				"It also fires for the text by which AfterAgent made the turn go on; chibi asks no plugin about its own text.",
			},
		},
		{
			Name: "AfterAgent", Kind: engine.Stop, Timeout: limit, Bridged: true,
			Fields: fields("AfterAgent", engine.Holds("prompt", engine.PromptText),
				engine.Holds("prompt_response", engine.Response), engine.Usually("stop_hook_active", engine.StopActive, "false")),
			Rows: decides(engine.Row{Path: "hookSpecificOutput.additionalContext", Set: engine.NoEffect},
				engine.Row{Path: "hookSpecificOutput.clearContext", Is: "true", Set: engine.NoEffect}),
			Lost: []string{"Gemini CLI takes no context here, and does not limit how often a plugin makes it go on."},
		},
		{
			Name: "PreCompress", Kind: engine.BeforeCompact, Matches: engine.Trigger, Timeout: limit,
			Fields: fields("PreCompress", engine.Holds("trigger", engine.Trigger)),
			Rows:   shown(),
			Lost:   []string{"Gemini CLI fires it before every request and ignores a refusal, so chibi adds no entry."},
		},
	}
}

// modelEvents are the events about requests to the model.
func modelEvents() []engine.Event {
	const limit = timeLimit
	request := engine.Field{Name: "llm_request", Value: engine.Request, Form: asWhole, Const: noRequest}
	return []engine.Event{
		{
			Name: "BeforeModel", Kind: engine.BeforeRequest, Timeout: limit, Bridged: true,
			Fields: fields("BeforeModel", request),
			Rows: decides(engine.Row{Path: "hookSpecificOutput.llm_request", Set: engine.SetRequest, Form: asRequest},
				engine.Row{Path: "hookSpecificOutput.llm_response", Set: engine.NoEffect}),
			Lost: []string{
				"Plugins see a request's model, texts, temperature, top_p, top_k and max_tokens, but no tools, calls, results.",
			},
		},
		{
			Name: "BeforeToolSelection", Kind: engine.SelectTools, Timeout: limit,
			Fields: fields("BeforeToolSelection", request),
			Rows:   shown(engine.Row{Path: "hookSpecificOutput.toolConfig", Set: engine.SetInclude, Form: asToolConfig}),
			Lost: []string{
				"Gemini CLI tells the model which tools it may call, but enforces nothing: chibi refuses others at BeforeTool.",
				"Gemini CLI does not list the tools, so chibi adds no entry for it.",
			},
		},
		{
			Name: "AfterModel", Kind: engine.AfterResponse, Timeout: limit,
			Fields: fields("AfterModel", request, engine.Holds("llm_response.text", engine.Response),
				engine.Formed("llm_response.candidates", engine.Response, asCandidates),
				engine.Field{Name: "llm_response.usageMetadata", Value: engine.Usage, Form: asUsage, Optional: true}),
			Rows: decides(engine.Row{Path: "hookSpecificOutput.llm_response", Set: engine.NoEffect}),
			Lost: []string{"Gemini CLI fires it for every piece of a response, so chibi adds no entry for it."},
		},
	}
}
