// Package engine knows the hooks of other coding agents: Claude Code, Codex, Copilot CLI,
// Crush, Cursor, Gemini CLI and Qwen Code.
//
// A [Dialect] is a table of facts about one agent: its events, the fields of their payloads,
// what an answer means, exit statuses, matchers, variables, settings files. One engine
// reads the tables in both directions:
//
//   - A hook that was written for the agent runs in chibi: a [Moment] becomes the agent's
//     payload ([Dialect.Payload]), and what the hook answers becomes an [Effect]
//     ([Dialect.Effect]).
//   - A plugin of chibi runs in the agent: the agent's payload becomes a Moment
//     ([Dialect.Moment]), and the Effect of chibi's plugins becomes the agent's answer
//     ([Dialect.Output]).
//
// A Moment and an Effect are in no agent's words. What they are at chibi's hook points
// is in here.go and there.go, a function for each point. So an agent is added by a table and
// its golden files; what a table cannot say is a listed exception with its reason.
//
// The facts come from the vendors' documentation, from source code and from runs of the
// programs; each table says which, and when. They change with each release of the agents:
// this package promises to accept unknown fields and events of newer ones, not to know them.
//
// Values of this package are immutable and safe for concurrent use. It starts no processes
// and reads no files.
//
//go:generate go run ../../agentdoc/cmd/agentdoc -root ../../..
package engine
