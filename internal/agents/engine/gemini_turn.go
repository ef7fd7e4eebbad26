package engine

// geminiTurnEvents are the events about sessions and turns.
func geminiTurnEvents() []Event {
	const limit = geminiLimit
	context := Row{Path: "hookSpecificOutput.additionalContext", Set: SetContext}
	return []Event{
		{
			Name: "SessionStart", Kind: SessionStart, Matches: Source, Timeout: limit, Bridged: true,
			Fields: geminiFields("SessionStart", Field{Name: "source", Value: Source}),
			Rows:   geminiShown(context),
		},
		{
			Name: "SessionEnd", Kind: SessionEnd, Matches: Reason, Timeout: limit, Bridged: true,
			Fields: geminiFields("SessionEnd", Field{Name: "reason", Value: Reason}),
			Rows:   geminiShown(),
			Lost:   []string{"Gemini CLI does not wait for it, and may end it half-way"},
		},
		{
			Name: "BeforeAgent", Kind: Prompt, Timeout: limit, Bridged: true,
			Fields: geminiFields("BeforeAgent", Field{Name: "prompt", Value: PromptText}),
			Rows:   geminiDecides(context),
			Lost: []string{
				"the prompt cannot be rewritten",
				"it also fires for the text by which AfterAgent made the turn go on, as if the person had typed it",
			},
		},
		{
			Name: "AfterAgent", Kind: Stop, Timeout: limit, Bridged: true,
			Fields: geminiFields("AfterAgent", Field{Name: "prompt", Value: PromptText},
				Field{Name: "prompt_response", Value: Response},
				Field{Name: "stop_hook_active", Value: StopActive, Const: "false"}),
			Rows: geminiDecides(Row{Path: "hookSpecificOutput.additionalContext", Set: NoEffect},
				Row{Path: "hookSpecificOutput.clearContext", Is: "true", Set: NoEffect}),
			Lost: []string{"context is not taken here", "Gemini CLI has no bound on how often the turn is continued"},
		},
		{
			Name: "PreCompress", Kind: BeforeCompact, Matches: Trigger, Timeout: limit,
			Fields: geminiFields("PreCompress", Field{Name: "trigger", Value: Trigger}),
			Rows:   geminiShown(),
			Lost:   []string{"Gemini CLI fires it before every request and ignores a refusal, so nothing is added for it"},
		},
	}
}

// geminiModelEvents are the events about requests to the model.
func geminiModelEvents() []Event {
	const limit = geminiLimit
	request := Field{Name: "llm_request", Value: Request, Form: AsGeminiRequest}
	return []Event{
		{
			Name: "BeforeModel", Kind: BeforeRequest, Timeout: limit, Bridged: true,
			Fields: geminiFields("BeforeModel", request),
			Rows: geminiDecides(Row{Path: "hookSpecificOutput.llm_request", Set: SetRequest, Form: AsGeminiRequest},
				Row{Path: "hookSpecificOutput.llm_response", Set: NoEffect}),
			Lost: []string{
				"of a request plugins see the model, texts, temperature, top_p, top_k and max_tokens; no tools, calls, results",
			},
		},
		{
			Name: "BeforeToolSelection", Kind: SelectTools, Timeout: limit,
			Fields: geminiFields("BeforeToolSelection", request),
			Rows:   geminiShown(Row{Path: "hookSpecificOutput.toolConfig", Set: SetInclude, Form: AsGeminiTools}),
			Lost: []string{
				"Gemini CLI tells the model which tools it may call and does not enforce it; others are refused at BeforeTool",
				"it does not say which tools there are, so nothing is added for it",
			},
		},
		{
			Name: "AfterModel", Kind: AfterResponse, Timeout: limit,
			Fields: geminiFields("AfterModel",
				Field{Name: "llm_request", Value: Request, Form: AsGeminiRequest, Optional: true},
				Field{Name: "llm_response.text", Value: Response},
				Field{Name: "llm_response.candidates", Value: Response, Form: AsGeminiCandidates},
				Field{Name: "llm_response.usageMetadata", Value: Usage, Form: AsGeminiUsage, Optional: true}),
			Rows: geminiDecides(Row{Path: "hookSpecificOutput.llm_response", Set: NoEffect}),
			Lost: []string{"Gemini CLI fires it for every piece of a response, so nothing is added for it"},
		},
	}
}
