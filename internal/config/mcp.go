package config

import "time"

// MCPServer says how to reach an MCP server, and which of its tools to use. Without a command and
// a URL it is about the server of that name of a project's .mcp.json.
type MCPServer struct {
	// Where is the file and line, or the flag, that names it first.
	Where string
	// The program of an MCP server that speaks over standard input and output; chibi starts it when it calls the first
	// of its tools. A server has this or `url`.
	Command string `toml:"command" check:"line" unset:"none"`
	// Its arguments. Here and in `command`, `cwd`, `env`, `url` and `headers`, `$VAR`, `${VAR}` and `${VAR:-else}` are
	// variables of the environment; `$$` is a dollar sign.
	Args []string `toml:"args" unset:"none"`
	// Variables for the program besides chibi's own environment, which it gets without the model's key.
	Env map[string]string `toml:"env" name:"VARIABLE" check:"line" unset:"none"`
	// The directory in which the program runs; `~` is your home.
	Cwd string `toml:"cwd" check:"line" unset:"the current one"`
	// The address of a server that speaks streamable HTTP.
	URL string `toml:"url" check:"line" unset:"none"`
	// Headers of each request to that address, as in `Authorization = "Bearer $TOKEN"`.
	Headers map[string]string `toml:"headers" name:"HEADER" check:"line" unset:"none"`
	// OAuth says how to log in to that address, if the server wants a login: `chibi mcp login SERVER`.
	OAuth MCPOAuth `toml:"oauth"`
	// How long a call of one of its tools may take.
	TimeoutMS int `toml:"timeout_ms" min:"1"`
	// How long a server may take to start, or to connect, until it has listed its tools. `chibi mcp check` waits for
	// two minutes at least.
	StartTimeoutMS int `toml:"start_timeout_ms" min:"1"`
	// Tools says which of its tools there are.
	Tools MCPTools `toml:"tools"`
	// `false` turns the server off.
	Enabled bool `toml:"enabled"`
	// `true`: chibi trusts the server's word about its tools, and calls tools that only read without a question and
	// several at a time.
	Trusted bool `toml:"trusted"`
	// Tool has more about single tools.
	Tool map[string]MCPTool `toml:"tool" name:"TOOL"`
}

// MCPTools says which tools of an MCP server there are, by the names that it gives them.
type MCPTools struct {
	// chibi offers only these tools, by the server's names.
	Include []string `toml:"include" unset:"all"`
	// chibi does not offer these tools.
	Exclude []string `toml:"exclude" unset:"none"`
}

// MCPOAuth says how to log in to an MCP server. Without it, chibi registers at the login server.
type MCPOAuth struct {
	// The name by which the login server knows chibi, if somebody registered it there. Without it, chibi registers
	// itself.
	ClientID string `toml:"client_id" check:"line" unset:"none"`
	// The secret that belongs to `client_id`, or a variable with it: `"$NAME"`.
	ClientSecret string `toml:"client_secret" check:"line" unset:"none"`
	// The rights for which chibi asks, in place of the rights that the server names.
	Scopes []string `toml:"scopes" unset:"what the server names"`
	// The port of `http://127.0.0.1:PORT/callback`, at which your browser comes back after the login. A login server
	// must know it where somebody registered `client_id`.
	RedirectPort int `toml:"redirect_port" min:"0" max:"65535" unset:"a free one"`
}

// MCPTool is what the person knows about a tool of an MCP server.
type MCPTool struct {
	// The kind of the server's tool TOOL: `shell`, `read`, `write`, `edit`, `search`, `fetch` or `agent`. Rules,
	// permission points and hooks of other programs then know it as such a tool.
	Category string `toml:"category" check:"category" unset:"mcp"`
	// The argument with the tool's command, path or URL.
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
