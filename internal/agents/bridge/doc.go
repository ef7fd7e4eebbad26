// Package bridge lets chibi's plugins work inside other coding agents: it fires chibi's points for the agent's
// events, and turns the plugins' answers into the agent's answer.
//
// [Event.Answer] is one event: the agent's JSON in, its answer out. install.go writes entries into settings files,
// and takes them out again. Only the agents' packages know an agent's names for things.
//
// Whatever is wrong with chibi, the agent goes on, unless an entry asks for the opposite or a required guard is
// missing. The bridge never approves a call without the person's consent. Its answer comes before the agent's time
// limit.
package bridge
