package permissions

import (
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/permissions/internal/commandline"
	"github.com/chibi-host/chibi/tools"
)

// Approvals remember which definitions of tools of MCP servers are approved: the
// definitions with which a call was allowed. Implementations are safe for concurrent use.
type Approvals interface {
	// Changed returns how the definition of a tool differs from the approved ones; nil: it is
	// one of them, or there is none. An error means that nobody knows.
	Changed(r *tools.Remote) (*Change, error)
	// Approve remembers the definition of a tool. It does nothing if that is approved.
	Approve(r *tools.Remote) error
}

// Change is how the definition of a tool differs from the one that was approved last.
type Change struct {
	// Parts names what differs, such as "description" and "input schema".
	Parts []string
	// Diff is a unified diff of each part. It is text of the server.
	Diff string
	// Since is when the earlier definition was approved.
	Since time.Time
}

// aChangedDefinition is who asks about a tool whose definition has changed.
const aChangedDefinition = "a changed definition"

// withApproval returns the judgement about a call: if the tool's definition has changed,
// chibi asks the person, whatever allows the call.
func withApproval(approvals Approvals, c Call, j ruling) ruling {
	remote := c.Tool.Remote
	if approvals == nil || remote == nil {
		return j
	}
	change, err := approvals.Changed(remote)
	switch {
	case err != nil:
		j.Judgement = Judgement{Decision: Deny, By: "the list of approved definitions",
			Reason: fmt.Sprintf("chibi cannot find out whether %s has changed: %v", nameOf(remote), err)}
	case change != nil:
		reason := fmt.Sprintf("%s differs from its approved definition: its %s changed", nameOf(remote),
			strings.Join(change.Parts, ", "))
		if j.Decision == Ask && j.Reason != "" {
			reason += "; " + j.Reason
		}
		j.Judgement = Judgement{Decision: Ask, By: aChangedDefinition, Reason: reason, Protected: j.Protected,
			Doubtful: j.Doubtful, Changed: change}
	}
	return j
}

// approve remembers the definition of the tool of a call that is allowed.
func approve(approvals Approvals, c Call, o Outcome) error {
	if approvals == nil || c.Tool.Remote == nil || o.Decision != Allow {
		return nil
	}
	return approvals.Approve(c.Tool.Remote)
}

// unapproved refuses a call because nobody can approve the tool's definition, and says who
// can.
func unapproved(q Question) Judgement {
	remote := q.Tool.Remote
	command := "chibi mcp approve " + remote.Server
	if tools.ValidName(remote.Tool) {
		command += " " + commandline.Quote(remote.Tool)
	}
	j := q.Why
	j.Decision = Deny
	j.Reason += "; only you can approve that: " + command
	return j
}

func nameOf(r *tools.Remote) string {
	return fmt.Sprintf("tool %.100q of MCP server %s", r.Tool, r.Server)
}
