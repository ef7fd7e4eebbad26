// Package engine reads and writes what coding agents tell their hooks and hear of them.
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
// A Moment and an Effect are in no agent's words, and the engine knows no agent: what a table
// cannot say is a method of the agent ([Own]), listed in its table with the reason.
//
// The facts come from the vendors' documentation, from source code and from runs of the
// programs; each table says which, and when. They change with each release of the agents:
// this package promises to accept unknown fields and events of newer ones, not to know them.
//
// Values of this package are immutable and safe for concurrent use. It starts no processes
// and reads no files.
package engine
