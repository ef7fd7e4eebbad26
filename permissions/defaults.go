package permissions

import (
	"fmt"

	"github.com/chibi-host/chibi/tools"
)

// Default decides where neither a rule nor a hook does. It allows reading and searching inside
// the roots, agents, whose tools ask, tools without a category, and tools of MCP servers that
// the person trusts to only read. For all else, chibi asks. For a tool of an MCP server that
// the person gave another category, the stricter of both defaults holds.
func (r *Rules) Default(c Call) Judgement {
	if c.Tool.Remote == nil {
		return r.defaultFor(c)
	}
	remote := remoteDefault(c.Tool.Remote)
	if c.Tool.Category == "" || c.Tool.Category == tools.CategoryMCP {
		return remote
	}
	return Strictest(r.defaultFor(c), remote)
}

// remoteDefault decides about a tool of an MCP server by what the server is trusted to say.
func remoteDefault(remote *tools.Remote) Judgement {
	if remote.ReadOnly {
		return Judgement{Decision: Allow,
			By: fmt.Sprintf("MCP server %s, which is trusted and says that the tool only reads", remote.Server)}
	}
	return Judgement{Decision: Ask, By: "the default for mcp"}
}

func (r *Rules) defaultFor(c Call) Judgement {
	j := Judgement{Decision: Ask, By: fmt.Sprintf("the default for %s", c.Tool.Category)}
	switch c.Tool.Category {
	case tools.CategoryAgent:
		j.Decision = Allow
	case "":
		return Judgement{Decision: Allow, By: "the default for tools without a category"}
	case tools.CategoryShell:
		if !r.isInside(c.Access.Dir) {
			j.Reason = fmt.Sprintf("it would run in %s, and rules allow commands inside the roots only", c.Access.Dir)
		}
	case tools.CategoryRead, tools.CategorySearch:
		if isIn(r.roots, file{c.Access.Path, c.Access.Real}) {
			return Judgement{Decision: Allow, By: j.By + " inside the roots"}
		}
		j.By += " outside the roots"
	}
	return j
}
