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
)

// insideVariable lists the events of agents around a process, for a chibi that the process starts.
const insideVariable = "CHIBI_BRIDGED"

// mark names the event in the variable, with its session, its call and the home: a different home has different
// plugins.
func (r *run) mark() string {
	sum := sha256.Sum256([]byte(r.home + "\x00" + r.moment.Text(engine.CallID)))
	return strings.Join([]string{r.Agent.Name, cmp.Or(r.event.Name, r.Name), r.bridge.Session,
		hex.EncodeToString(sum[:8])}, "/")
}

// isInside reports whether chibi answers the same event of the same session around this one. A hook is then an
// entry of chibi, and asking it would never end. An agent that a hook has started has a session of its own.
func (r *run) isInside() bool {
	return slices.Contains(strings.Fields(os.Getenv(insideVariable)), r.mark())
}

// maxNested is how many runs of chibi may be nested around an event. It ends agents that start each other for ever.
const maxNested = 24

// nestedError reports that there are more.
type nestedError struct{ depth int }

// Error says what to look for.
func (e *nestedError) Error() string {
	return fmt.Sprintf("%d runs of chibi are nested, each started by a plugin or an agent in the previous one; "+
		"look for a hook that starts an agent whose hook starts an agent", e.depth)
}

// pluginEnvironment returns the environment of plugins. It lacks the variables by which hooks recognize the agent,
// so that a script for several agents answers chibi. It has the current event, for a chibi that plugins start.
func (r *run) pluginEnvironment() []string {
	inside := strings.TrimSpace(os.Getenv(insideVariable) + " " + r.mark())
	return append(withoutHookVariables(os.Environ(), r.Agent), "CHIBI_AGENT="+r.Agent.Name, insideVariable+"="+inside)
}

// withoutHookVariables returns an environment without an agent's variables about one event.
func withoutHookVariables(env []string, agent engine.Dialect) []string {
	return slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		isOfHook := func(v engine.Variable) bool { return v.Name == name }
		return name == insideVariable || slices.ContainsFunc(agent.Environment, isOfHook)
	})
}
