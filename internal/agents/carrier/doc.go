// Package carrier is chibi as a plugin in JavaScript, for agents whose hooks are functions and no commands. The
// plugin holds chibi bridge serve and tells it of each event on a line, in a dialect of its own that is the same
// for all of these agents:
//
//	{"event": "tool_call", "session": "s", "cwd": "/p", "tool": "bash", "input": {"command": "ls"}, "id": "c"}
//
// and chibi answers, with what there is to say:
//
//	{"block": true, "message": "why", "input": {}, "output": "", "prompt": "", "context": "", "halt": true}
//
// The table of an agent says which events it has, what of an answer it carries out, and what its tools are called.
// carrier.js asks; the file with the agent's name does what is answered.
//
// It promises that what chibi cannot be asked about is decided as chibi bridge run decides it: the agent goes on,
// unless a required plugin had to be asked or the file was added with --fail-closed.
package carrier
