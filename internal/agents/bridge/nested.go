package bridge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
)

// insideVariable lists the events of agents in which a process was started, for chibi that it may start.
const insideVariable = "CHIBI_BRIDGED"

// mark is how the variable says in which event of which session, about which call, and of which home: the
// plugins of another home are others.
func (r *run) mark() string {
	home, _ := app.Home(r.Options.Home) // without one, none of its plugins is asked
	sum := sha256.Sum256([]byte(home + "\x00" + r.moment.Text(engine.CallID)))
	return strings.Join([]string{r.Agent.Name, cmp.Or(r.event.Name, r.Name), r.bridge.Session,
		hex.EncodeToString(sum[:8])}, "/")
}

// isInside reports whether the same event of the same session is being answered around this one: then
// it is an entry that was asked as a hook, and asking again would never end. An agent that a hook has
// started has a session of its own.
func (r *run) isInside() bool {
	return slices.Contains(strings.Fields(os.Getenv(insideVariable)), r.mark())
}

// maxNested is how many runs of chibi may be nested around an event: agents that start each other for
// ever end there.
const maxNested = 24

// nestedError reports that more are.
type nestedError struct{ depth int }

// Error says what to look for.
func (e *nestedError) Error() string {
	return fmt.Sprintf("%d runs of chibi are nested, each started by a plugin or an agent in the previous one; "+
		"look for a hook that starts an agent whose hook starts an agent", e.depth)
}

// pluginEnvironment returns the environment of plugins: without the variables by which hooks of the
// agent know it, so that a script that is one for several agents answers as chibi's, and with the event
// that they are asked about, for chibi that they start.
func (r *run) pluginEnvironment() []string {
	inside := strings.TrimSpace(os.Getenv(insideVariable) + " " + r.mark())
	return append(withoutHookVariables(os.Environ(), r.Agent), "CHIBI_AGENT="+r.Agent.Name, insideVariable+"="+inside)
}

// withoutHookVariables returns an environment without the variables that say something about one event of
// an agent.
func withoutHookVariables(env []string, agent engine.Dialect) []string {
	return slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		isOfHook := func(v engine.Variable) bool { return v.Name == name }
		return name == insideVariable || slices.ContainsFunc(agent.Environment, isOfHook)
	})
}
