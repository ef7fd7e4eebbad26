package config

import (
	"time"
)

// MCPServer says how an MCP server is reached, and what of it is used. Without a command and
// a URL it is about the server of that name of a project's .mcp.json.
type MCPServer struct {
	// Where is the file and line, or the flag, that names it first.
	Where string
	// The program of an MCP server that speaks over standard input and output. It starts when the first of its
	// tools is called. A server has this or `url`.
	Command string `toml:"command" check:"line" unset:"none"`
	// Its arguments. In these, as in `command`, `cwd`, `env`, `url` and `headers`, `$VAR`, `${VAR}` and `${VAR:-else}`
	// are variables of the environment, which are filled in when the server starts; `$$` is a dollar sign.
	Args []string `toml:"args" unset:"none"`
	// Variables that the program gets besides those of chibi's own environment, which it gets without the key for the
	// model's server.
	Env map[string]string `toml:"env" name:"VARIABLE" check:"line" unset:"none"`
	// The directory in which the program runs; `~` is your home.
	Cwd string `toml:"cwd" check:"line" unset:"the current one"`
	// The address of a server that speaks streamable HTTP.
	URL string `toml:"url" check:"line" unset:"none"`
	// What is sent to that address with each request, as in `Authorization = "Bearer $TOKEN"`.
	Headers map[string]string `toml:"headers" name:"HEADER" check:"line" unset:"none"`
	// OAuth says how to log in to that address, if the server wants a login: `chibi mcp login SERVER`.
	OAuth MCPOAuth `toml:"oauth"`
	// How long a call of one of its tools may take.
	TimeoutMS int `toml:"timeout_ms" min:"1"`
	// How long it may take to start, or to be connected to, until it has said which tools it has. `chibi mcp check`
	// waits for two minutes at least.
	StartTimeoutMS int `toml:"start_timeout_ms" min:"1"`
	// Tools says which of its tools there are.
	Tools MCPTools `toml:"tools"`
	// `false` leaves the server out.
	Enabled bool `toml:"enabled"`
	// `true`: what the server says about its tools counts. Those that only read, by its word, are called without a
	// question, and at the same time as others.
	Trusted bool `toml:"trusted"`
	// Tool has more about single tools.
	Tool map[string]MCPTool `toml:"tool" name:"TOOL"`
}

// MCPTools says which tools of an MCP server there are, by the names that it gives them.
type MCPTools struct {
	// Only these of its tools are offered, by the server's names.
	Include []string `toml:"include" unset:"all"`
	// These of its tools are not offered.
	Exclude []string `toml:"exclude" unset:"none"`
}

// MCPOAuth says how to log in to an MCP server. Without it, chibi registers at the login server.
type MCPOAuth struct {
	// What the login server knows chibi by, if somebody registered it there. Without it, chibi registers itself.
	ClientID string `toml:"client_id" check:"line" unset:"none"`
	// The secret that belongs to `client_id`. Variables are filled in as in `headers`: `"$NAME"`.
	ClientSecret string `toml:"client_secret" check:"line" unset:"none"`
	// The rights to ask for, in the place of those that the server names.
	Scopes []string `toml:"scopes" unset:"what the server names"`
	// The port at which your browser comes back after the login, to `http://127.0.0.1:PORT/callback`, which a login
	// server must know where `client_id` is registered.
	RedirectPort int `toml:"redirect_port" min:"0" max:"65535" unset:"a free one"`
}

// MCPTool is what the person knows about a tool of an MCP server.
type MCPTool struct {
	// What kind of thing the server's tool TOOL does: `shell`, `read`, `write`, `edit`, `search`, `fetch` or `agent`.
	// Rules, permission points and hooks of other programs then know it as a tool of that kind.
	Category string `toml:"category" check:"category" unset:"mcp"`
	// Which of its arguments names what that is about: the command, the path or the URL.
	Subject string `toml:"subject" unset:"none"`
}

func (s *MCPServer) setDefaults() {
	*s = MCPServer{Enabled: true, TimeoutMS: ms(time.Minute), StartTimeoutMS: ms(10 * time.Second)}
}

func (s *MCPServer) setPlace(where string) { s.Where = where }

// Timeout returns how long a call may take.
func (s MCPServer) Timeout() time.Duration { return time.Duration(s.TimeoutMS) * time.Millisecond }

// StartTimeout returns how long the server may take to start.
func (s MCPServer) StartTimeout() time.Duration {
	return time.Duration(s.StartTimeoutMS) * time.Millisecond
}
