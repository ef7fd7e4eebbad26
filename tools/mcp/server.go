package mcp

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/tools"
)

// The defaults of a Server.
const (
	// DefaultTimeout is how long a call may take.
	DefaultTimeout = time.Minute
	// StartTimeout is how long a server may take to start or connect, and to answer initialize.
	StartTimeout = 10 * time.Second
)

// Server says how to reach an MCP server and which of its tools to use. Exactly one of Command
// and URL is set.
type Server struct {
	// Name is a part of the names of its tools, see [tools.ValidServerName].
	Name string
	// Source is where it was defined, for messages: a file, with a line if that is known.
	Source string

	// Command is the program of a server that speaks over standard input and output, Args
	// its arguments, Dir its working directory ("": the host's directory), Env variables in addition
	// to the host's variables.
	Command string
	Args    []string
	Dir     string
	Env     map[string]string

	// URL is the endpoint of a server that speaks streamable HTTP, Headers are sent with each request.
	URL     string
	Headers map[string]string
	// OAuth says how to log in to it, if it wants that.
	OAuth OAuth

	// Timeout bounds a call; 0: DefaultTimeout. Start bounds the time before the first call,
	// until the server has answered initialize; 0: StartTimeout.
	Timeout, Start time.Duration
	// Include and Exclude select its tools, by the server's names; an empty
	// Include is all.
	Include, Exclude []string
	// Trusted says that chibi believes the server about its tools: it calls a tool that only
	// reads without a question, and at the same time as others.
	Trusted bool
	// Tools says more about single tools, by the server's names.
	Tools map[string]ToolSettings
}

// OAuth says how to log in to a server with a URL. With the zero value, chibi registers at
// the login server, and asks for the rights that the MCP server names.
type OAuth struct {
	// ClientID and ClientSecret identify chibi to a login server at which it is registered.
	ClientID, ClientSecret string
	// Scopes are the rights to ask for, in place of the rights that the MCP server names.
	Scopes []string
	// RedirectPort is the port of 127.0.0.1 at which a browser comes back; 0: a free one.
	RedirectPort int
}

// ToolSettings are the person's settings for one tool of a server.
type ToolSettings struct {
	// Category is the kind of thing that the tool does; "": [tools.CategoryMCP]. Subject
	// names the argument that the category is about.
	Category tools.Category
	Subject  string
}

// Check reports what is wrong with a definition.
func (s Server) Check() error {
	if err := tools.CheckServerName(s.Name); err != nil {
		return err
	}
	switch {
	case s.Command == "" && s.URL == "":
		return errors.New("it has neither command nor url")
	case s.Command != "" && s.URL != "":
		return errors.New("it has both command and url; keep one")
	}
	return nil
}

// Fingerprint changes when the command or the address changes: it decides whether a
// remembered list of tools still belongs to the server. Values of headers and variables
// are part of it as they are written in the configuration, before variables are filled in.
func (s Server) Fingerprint() string {
	text, _ := json.Marshal([]any{s.Command, s.Args, s.Dir, s.Env, s.URL, s.Headers}) // these types always encode
	return fmt.Sprintf("%.16x", sha256.Sum256(text))
}
