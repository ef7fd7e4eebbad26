package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/clip"
)

// Outcome is how a hook's process ended.
type Outcome struct {
	// Stdout and Stderr are its output.
	Stdout []byte
	Stderr string
	// Exit is its exit status, Signal the signal that ended it, if one did.
	Exit   int
	Signal string
	// TimedOut says that chibi ended it because it took too long. Unstarted says that chibi could not start it;
	// Stderr says why.
	TimedOut, Unstarted bool
}

// Effect returns the meaning of a hook's end at an event: of its exit status, its answer and its text. There is
// no error: [Effect.Failed] says how the hook failed, and [Effect.Notes] name the parts of its answer without
// effect.
func (d Dialect) Effect(e Event, out Outcome) Effect {
	v := verdict{Dialect: e.of(d), event: e, exit: d.EndsAs(e, out), out: out,
		stdout: strings.TrimSpace(string(out.Stdout)), text: strings.TrimSpace(out.Stderr)}
	if d.Progress {
		v.stdout = withoutProgress(v.stdout)
	}
	if v.exit.Stderr {
		v.stdout = cmp.Or(v.stdout, v.text)
		v.text = v.stdout
	}
	answer, isObject := objectOf(v.stdout, d.Quoted)
	if isObject && v.exit.JSON != "" && v.exit.JSON != JSONIgnored {
		v.read(answer)
	}
	decided := isObject && v.exit.JSON == JSONDecides && (v.eff.Failed == "" || v.exit.Status == "0")
	if isObject && v.exit.JSON == JSONDenies {
		decided = v.denialOnly()
	}
	if !decided {
		if isObject {
			v.stdout = ""
		}
		v.ended()
	}
	if v.eff.Decision == hookpoints.DecisionDeny {
		v.eff.OutputReplaced = e.DenyReplaces
		v.eff.Reason, v.eff.Input = cmp.Or(v.eff.Reason, d.NoReason), nil
	}
	return v.eff
}

// denialOnly keeps only the denial of an answer, and reports whether there is one.
func (v *verdict) denialOnly() (denied bool) {
	all := v.eff
	if v.eff = (Effect{Failed: all.Failed}); all.Decision == hookpoints.DecisionDeny {
		v.eff.Decision, v.eff.Reason = all.Decision, all.Reason
	}
	return v.eff.Decision != ""
}

// withoutProgress leaves out the lines that only report progress.
func withoutProgress(stdout string) string {
	var rest strings.Builder
	for line := range strings.Lines(stdout) {
		if object, is := objectOf(strings.TrimSpace(line), false); !is || object.Get("type").Str != "progress" {
			rest.WriteString(line)
		}
	}
	return strings.TrimSpace(rest.String())
}

// EndsAs returns the row for the end of a process: the row for its exit status, otherwise the row for other
// statuses. The event's rows come before the dialect's.
func (d Dialect) EndsAs(e Event, out Outcome) Exit {
	wanted := []Status{Status(strconv.Itoa(out.Exit)), OtherStatus}
	switch {
	case out.TimedOut:
		wanted = []Status{ByTimeout}
	case out.Unstarted:
		wanted = []Status{NotStarted}
	case out.Signal != "":
		wanted[0] = BySignal
	}
	for _, list := range [][]Exit{e.Exits, d.Exits} {
		for _, status := range wanted {
			if i := slices.IndexFunc(list, func(x Exit) bool { return x.Status == status }); i >= 0 {
				return list[i]
			}
		}
	}
	return Exit{JSON: JSONIgnored, Then: EndsFailed}
}

// verdict reads the end of one hook.
type verdict struct {
	Dialect
	event Event
	exit  Exit
	out   Outcome
	// stdout may be an answer. ended finds only text in it. text gives reasons.
	stdout, text string
	eff          Effect
}

// ended adds the meaning of the process's end to the effect of the answer.
func (v *verdict) ended() {
	if v.eff.Failed != "" {
		v.eff = Effect{Notes: append(v.eff.Notes, v.eff.Failed)}
	}
	then := v.exit.Then
	if v.exit.JSON == "" {
		then = ""
	}
	if v.exit.NeedsText && v.text == "" {
		then = cmp.Or(v.exit.Else, EndsFailed)
	}
	switch then {
	case EndsDenied:
		if v.eff.Decision != hookpoints.DecisionDeny || v.eff.Reason == "" {
			v.eff.Reason = cmp.Or(v.text, v.exit.NoText)
		}
		v.eff.Decision = hookpoints.DecisionDeny
		if v.exit.Status == NotStarted || v.exit.Status == OtherStatus && v.out.Exit != 2 { // the hook did not deny
			v.eff.Note("%s, which denies in %s", v.out.failure(v.text), v.Title)
		}
	case EndsHalted:
		v.eff.Halt, v.eff.HaltReason = true, v.text
	case EndsContext:
		v.eff.Context = Joined(v.eff.Context, v.stdout)
	case EndsShown:
		v.eff.SystemMessage = Joined(v.eff.SystemMessage, v.text)
	case EndsFailed:
		v.eff.Failed = v.out.failure(v.text)
	case EndsOK:
		v.plain()
	default:
		v.eff.Failed = fmt.Sprintf("the table of %s does not say what this end means", v.Title)
	}
}

// plain adds the meaning of output that is not JSON.
func (v *verdict) plain() {
	rule := cmp.Or(v.event.PlainText, v.PlainText)
	if v.Strict && (strings.HasPrefix(v.stdout, "{") || strings.HasPrefix(v.stdout, "[")) {
		rule = TextFailed
	}
	switch {
	case v.stdout == "" || rule == TextIgnored:
	case rule == TextContext:
		v.eff.Context = Joined(v.eff.Context, v.stdout)
	case rule == TextShown:
		v.eff.SystemMessage = Joined(v.eff.SystemMessage, v.stdout)
	default:
		v.eff.Failed = fmt.Sprintf("its output is not a JSON object: it begins with %.60q", v.stdout)
	}
}

// failure says how a process ended, with the beginning of its text.
func (o Outcome) failure(text string) string {
	how := fmt.Sprintf("exit status %d", o.Exit)
	switch {
	case o.TimedOut:
		how = "it took too long"
	case o.Unstarted:
		how = "it did not run"
	case o.Signal != "":
		how = "it was ended by " + o.Signal
	}
	if text != "" {
		how += ": " + clip.Text(text, 300)
	}
	return how
}

// Joined joins texts of which some may be empty.
func Joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
