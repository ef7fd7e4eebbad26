// Package carrier is chibi as a plugin in JavaScript, for agents whose hooks are functions and not commands. The
// plugin runs chibi bridge serve and writes it each event on a line, in a form that is the same for all these
// agents:
//
//	{"event": "tool_call", "session": "s", "cwd": "/p", "tool": "bash", "input": {"command": "ls"}, "id": "c"}
//
// chibi answers with the members that it has something to say about:
//
//	{"block": true, "message": "why", "input": {}, "output": "", "prompt": "", "context": "", "halt": true}
//
// The table of an agent has its events, the members of an answer that it carries out, and the names of its tools.
// carrier.js asks chibi; the file with the agent's name carries out the answer.
//
// If the plugin cannot ask chibi about an event, it decides as chibi bridge run does: the agent goes on, unless a
// required plugin had to decide or the person added the file with --fail-closed.
package carrier
