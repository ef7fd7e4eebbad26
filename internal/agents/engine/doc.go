// Package engine translates between coding agents and hooks: it reads and writes the payloads of an agent and the
// answers to them.
//
// A [Dialect] is a table of facts about one agent: its events, the fields of their payloads,
// the meaning of answers and exit statuses, matchers, variables, settings files. One engine reads the tables in
// both directions:
//
//   - A hook of the agent runs in chibi: a [Moment] becomes the agent's
//     payload ([Dialect.Payload]), and the hook's answer becomes an [Effect]
//     ([Dialect.Effect]).
//   - A plugin of chibi runs in the agent: the agent's payload becomes a Moment
//     ([Dialect.Moment]), and the Effect of chibi's plugins becomes the agent's answer
//     ([Dialect.Output]).
//
// A Moment and an Effect use no agent's words, and the engine names no agent. If a table cannot express a form of
// an agent, the agent has a method for it ([Own]), and its table has the reason.
//
// The facts come from the vendors' documentation, from source code and from runs of the
// programs. Each table names them, with the date. Facts change with each release of an agent: the engine accepts
// unknown fields and events of newer releases, but does not know their meaning.
//
// Values of this package are immutable and safe for concurrent use. It starts no processes
// and reads no files.
package engine
