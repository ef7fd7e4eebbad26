package main

import (
	"fmt"
	"slices"
)

// answers makes replies of one event that end with status 0.
func answers(event string, texts ...string) (list []reply) {
	for _, text := range texts {
		list = append(list, reply{event: event, stdout: text})
	}
	return list
}

// geminiReplies are answers of hooks of Gemini CLI. None is an "ask": it would wait for ever.
func geminiReplies() (list []reply) {
	special := func(event, members string) string {
		return fmt.Sprintf(`{"hookSpecificOutput":{"hookEventName":%q,%s}}`, event, members)
	}
	hint := `"additionalContext":"hint <4711>"`
	deny, halt := `{"decision":"deny","reason":"rule 4711"}`, `{"continue":false,"stopReason":"stop 4711"}`
	list = append(answers("BeforeTool", deny, `{"decision":"block"}`, halt, `{"systemMessage":"message 4711"}`,
		special("BeforeTool", `"tool_input":{"command":"echo rewritten > out.txt"}`), special("BeforeTool", hint)),
		reply{event: "BeforeTool", status: 2, stderr: "rule 4711"},
		reply{event: "BeforeTool", status: 1, stderr: "error 4711"},
		reply{event: "BeforeTool", status: 3, stderr: "error 4711"}, reply{event: "BeforeTool", status: 3})
	list = append(list, answers("AfterTool", deny, halt, special("AfterTool", hint),
		special("AfterTool", `"tool_output":"output 4711"`))...)
	list = append(list, answers("BeforeAgent", deny, halt, special("BeforeAgent", hint))...)
	list = append(list, answers("SessionStart", deny, special("SessionStart", hint))...)
	list = append(list, answers("AfterAgent", halt, special("AfterAgent", hint))...)
	list = append(list, answers("BeforeModel", deny,
		special("BeforeModel", `"llm_request":{"messages":[{"role":"user","content":"prompt 4711"}]}`))...)
	list = append(list, answers("BeforeToolSelection", "{}",
		special("BeforeToolSelection", `"toolConfig":{"mode":"ANY","allowedFunctionNames":["tool_4711"]}`))...)
	list = append(list, answers("AfterModel", deny)...)
	return append(list, answers("PreCompress", deny)...)
}

// copilotReplies are answers of hooks of Copilot CLI.
func copilotReplies() (list []reply) {
	decide := func(word string) string {
		return `{"permissionDecision":"` + word + `","permissionDecisionReason":"rule 4711"}`
	}
	hint, block := `{"additionalContext":"hint <4711>"}`, `{"decision":"block","reason":"rule 4711"}`
	halt := `{"continue":false,"stopReason":"stop 4711"}`
	list = append(answers("preToolUse", decide("deny"), decide("ask"), decide("allow"), hint, block, halt,
		`{"modifiedArgs":{"command":"echo rewritten > out.txt","description":"Do it"}}`,
		`{"modifiedArgs":{"command":"echo rewritten > out.txt","description":"Do it"},"permissionDecision":"allow"}`),
		reply{event: "preToolUse", status: 2, stderr: "rule 4711"},
		reply{event: "preToolUse", status: 1, stderr: "rule 4711"},
		reply{event: "preToolUse", status: 2, stdout: decide("deny"), stderr: "error 4711"},
		reply{event: "preToolUse", status: 127, stderr: "error 4711"})
	list = append(list, answers("postToolUse", hint, block, halt,
		`{"modifiedResult":{"resultType":"success","textResultForLlm":"output 4711"}}`)...)
	list = append(list, answers("permissionRequest", `{"behavior":"deny","message":"rule 4711"}`,
		`{"behavior":"deny","message":"rule 4711","interrupt":true}`)...)
	list = append(list, answers("userPromptSubmitted", hint, block, halt, `{"modifiedPrompt":"prompt 4711"}`)...)
	list = append(list, answers("userPromptTransformed", hint, `{"modifiedTransformedPrompt":"prompt 4711"}`)...)
	list = append(list, answers("sessionStart", hint, block)...)
	return append(list, answers("agentStop", hint, halt)...)
}

// carriedReplies are answers in the dialect of agents in which chibi is a plugin in JavaScript.
func carriedReplies() []reply {
	const deny, hint = `{"block":true,"message":"rule 4711"}`, `{"context":"hint 4711"}`
	const notice = `{"notice":"message 4711"}`
	return slices.Concat(fewCarriedReplies(), answers("tool_call", hint, notice),
		answers("tool_result", `{"output":"output 4711"}`, hint),
		answers("prompt", deny, `{"prompt":"Another prompt 4711."}`, notice), answers("session_start", hint))
}

// fewCarriedReplies are those for an agent whose run takes minutes.
func fewCarriedReplies() []reply {
	return slices.Concat(answers("tool_call", `{"block":true,"message":"rule 4711"}`,
		`{"input":{"command":"echo rewritten > out.txt","description":"Do it"}}`),
		answers("prompt", `{"context":"hint 4711"}`))
}
