package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// Output is chibi's answer to an agent.
type Output struct {
	// Stdout is the agent's answer; empty: no opinion.
	Stdout []byte
	// Stderr and Exit are always empty and 0 today: every agent reads an answer at status 0.
	Stderr string
	Exit   int
	// Lost has a sentence for each part of the effect that the agent cannot carry out, or carries out
	// differently.
	Lost []string
}

// Output returns an effect as the agent's answer at an event, in its strict form. It never
// approves a call by itself: an "ask" becomes the agent's own question or, if the agent has none, a denial that
// says why. Row.Costs is the one exception: Codex takes a rewrite only with an approval.
func (d Dialect) Output(e Event, m Moment, eff Effect) Output {
	w := writer{Dialect: e.of(d), event: e, moment: m, answer: []byte("{}")}
	w.decide(&eff)
	if eff.Decision != hookpoints.DecisionDeny {
		w.rewrite(eff)
	}
	w.text(SetContext, eff.Context, "the context")
	w.text(SetSystemMessage, eff.SystemMessage, "the message for the person")
	if eff.Env != nil {
		w.object(SetEnv, eff.Env, "the variables")
	}
	if string(w.answer) == "{}" {
		w.answer = nil
	}
	return Output{Stdout: w.answer, Lost: w.lost}
}

// writer writes one answer.
type writer struct {
	Dialect
	event  Event
	moment Moment
	answer []byte
	lost   []string
}

// decide writes the verdict. A halt is also a denial before a call of a tool, and where the agent cannot halt.
func (w *writer) decide(eff *Effect) {
	if eff.Halt {
		w.halt(eff)
	}
	if eff.Decision == hookpoints.DecisionAsk {
		w.ask(eff)
	}
	if eff.Decision == "" {
		return
	}
	denied := eff.Decision == hookpoints.DecisionDeny
	row := w.row(SetDecision, eff.Decision)
	if row == nil && denied && !eff.Halt {
		w.lose("%s cannot refuse anything at %s: %s", w.Title, w.event.Name, eff.Reason)
	}
	if denied {
		eff.Reason = cmp.Or(eff.Reason, "a plugin refused it and gave no reason")
	}
	if row != nil {
		w.verdict(row, *eff)
	}
}

// verdict writes a decision with its reason. The reason comes first if the decision needs one.
func (w *writer) verdict(row *Row, eff Effect) {
	if reason := w.row(SetReason, ""); reason != nil && slices.Contains(row.Needs, Has(reason.Path)) && eff.Reason != "" {
		w.put(reason.Path, quoted(eff.Reason))
	}
	before := len(w.answer)
	w.write(SetDecision, eff.Decision, nil)
	if len(w.answer) > before || row.Is == "" {
		w.write(SetReason, "", quoted(eff.Reason))
	}
}

// halt writes that the turn ends.
func (w *writer) halt(eff *Effect) {
	known := w.write(SetHalt, "", json.RawMessage("null"))
	if !known {
		w.lose("%s cannot end the turn at %s", w.Title, w.event.Name)
	}
	w.write(SetHaltReason, "", quoted(cmp.Or(eff.HaltReason, eff.Reason)))
	switch {
	case w.event.Kind.isCall() || !known && w.event.Kind.CanRefuse():
		if eff.Decision != hookpoints.DecisionDeny {
			eff.Decision, eff.Reason = hookpoints.DecisionDeny, eff.HaltReason
		}
	default:
		eff.Decision = "" // at a stop, a denial would make the turn go on
	}
}

// isCall reports whether a hook can refuse a tool call at a moment.
func (k Kind) isCall() bool {
	return slices.Contains([]Kind{BeforeTool, AskPermission, BeforeShell, BeforeMCP, BeforeRead}, k)
}

// Refuses reports whether a denial keeps a prompt, a call or a sub-agent from happening.
func (k Kind) Refuses() bool { return k.isCall() || k == Prompt || k == AgentStart }

// CanRefuse reports whether a denial at a moment keeps something from happening.
func (k Kind) CanRefuse() bool {
	return k.Refuses() || slices.Contains([]Kind{PromptExpanded, BeforeRequest, BeforeCompact}, k)
}

// ask turns an "ask" into the agent's own question, or into a denial. Where the agent asks anyway, no opinion
// makes it ask.
func (w *writer) ask(eff *Effect) {
	switch {
	case !w.event.Kind.isCall() || w.event.Kind == AskPermission && w.HasAsk:
		eff.Decision = ""
	case !w.HasAsk || w.row(SetDecision, "ask") == nil || w.AskTrusts && w.moment.Text(PermissionMode) == "trusted":
		eff.Decision = hookpoints.DecisionDeny
		eff.Reason = strings.TrimSuffix(fmt.Sprintf("a plugin wants to ask the person, and %s cannot ask at %s: %s",
			w.Title, w.event.Name, eff.Reason), ": ")
	}
}

// rewrite writes changed arguments, a changed result, prompt and request, and a selection of tools.
func (w *writer) rewrite(eff Effect) {
	if eff.Input != nil {
		w.input(eff)
	}
	if eff.Output != nil {
		w.output(*eff.Output)
	}
	if eff.Prompt != nil {
		w.text(SetPrompt, *eff.Prompt, "the changed prompt")
	}
	if eff.Request != nil {
		form := formOf(w.row(SetRequest, ""))
		request := inForm(w.Own, form, w.moment, eff.Request)
		w.object(SetRequest, request, "the changed request")
		if rest := missing(eff.Request, ofForm(w.Own, form, request)); len(rest) > 0 {
			w.lose("%s takes no changed %s of a request at %s", w.Title, strings.Join(rest, ", "), w.event.Name)
		}
	}
	if eff.Include != nil {
		names, _ := strictjson.Encode(eff.Include) // a list of texts
		w.object(SetInclude, inForm(w.Own, formOf(w.row(SetInclude, "")), w.moment, names), "the selection of tools")
	}
}

// formOf is the form of a row's member.
func formOf(row *Row) Form {
	if row == nil {
		return ""
	}
	return row.Form
}

// input writes arguments: all of them, or the patch, as the agent takes them.
func (w *writer) input(eff Effect) {
	input := eff.Input
	if eff.InputPatch && w.row(SetInput, "") != nil && w.row(SetInputPatch, "") == nil {
		input = Merged(w.moment.There.Input, input)
	}
	if !w.write(SetInput, "", input) && !w.write(SetInputPatch, "", input) {
		w.lose("%s cannot change the arguments of a tool at %s", w.Title, w.event.Name)
	}
}

// output writes a changed result.
func (w *writer) output(text string) {
	if value := resultFor(w, text); value != nil {
		w.write(SetOutput, "", value)
		return
	}
	w.lose("%s", noOutput(w.Dialect, w.event, w.moment))
}

// resultFor returns a changed result for the agent, nil if the agent does not take it.
func resultFor(w *writer, text string) json.RawMessage {
	row := w.row(SetOutput, "")
	if row == nil {
		return nil
	}
	return w.outputIn(row.Form, text)
}

// outputIn returns a result in a form, nil if the result does not fit the form.
func (w *writer) outputIn(form Form, text string) json.RawMessage {
	switch form {
	case AsResult:
		return encoder{w.Dialect, w.moment}.resultWith(text)
	case AsTextBlocks:
		return textBlocks(strictjson.Quote(text))
	}
	return strictjson.Quote(text)
}

// noOutput says that the agent cannot replace a result.
func noOutput(d Dialect, e Event, m Moment) string {
	return fmt.Sprintf("%s cannot replace the result of %s at %s", d.Title, cmp.Or(m.There.Tool, "a tool"), e.Name)
}

// Merged returns an object with the members of a patch over its own.
func Merged(object, patch json.RawMessage) json.RawMessage {
	all := map[string]json.RawMessage{}
	if strictjson.Decode(object, &all) != nil || strictjson.Decode(patch, &all) != nil {
		return patch
	}
	text, err := strictjson.Encode(all)
	if err != nil {
		return patch
	}
	return text
}

// text writes a text, unless it is empty.
func (w *writer) text(set Member, text, what string) {
	if text != "" && !w.write(set, "", quoted(text)) {
		w.lose("%s does not take %s at %s", w.Title, what, w.event.Name)
	}
}

// object writes a value.
func (w *writer) object(set Member, value any, what string) {
	text, err := strictjson.Encode(value)
	if err != nil || !w.write(set, "", text) {
		w.lose("%s does not take %s at %s", w.Title, what, w.event.Name)
	}
}

// quoted returns a text as JSON; nil for "".
func quoted(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return strictjson.Quote(text)
}

// row returns the first row that writes a member.
func (w *writer) row(set Member, to hookpoints.Decision) *Row {
	category := tools.Category(w.moment.Text(ToolCategory))
	i := slices.IndexFunc(w.event.Rows, func(r Row) bool {
		return r.Set == set && r.To == to && !r.Reads && (r.Categories == nil || slices.Contains(r.Categories, category))
	})
	if i < 0 {
		return nil
	}
	return &w.event.Rows[i]
}

// write writes a member by its row, with the members that the row needs. It reports whether there is a row. It
// leaves out a nil value, unless the row has the value, and a member whose needs the answer does not fulfil.
func (w *writer) write(set Member, to hookpoints.Decision, value json.RawMessage) (known bool) {
	row := w.row(set, to)
	if row == nil {
		return false
	}
	if row.Is != "" {
		value = json.RawMessage(row.Is)
	}
	needs := w.needs(*row)
	for _, need := range needs {
		switch have := gjson.GetBytes(w.answer, need.Path); {
		case have.Exists() && need.Value != "" && have.Raw != need.Value, !have.Exists() && need.Value == "":
			return true
		case !have.Exists() && row.Costs == "" && w.approves(need):
			return false
		}
	}
	if value == nil {
		return true
	}
	for _, need := range needs {
		if need.Value != "" {
			w.put(need.Path, json.RawMessage(need.Value))
		}
	}
	w.put(row.Path, value)
	if row.Costs != "" {
		w.lost = append(w.lost, row.Costs)
	}
	return true
}

// needs lists the conditions of a member and of the objects around it.
func (w *writer) needs(row Row) (list []Condition) {
	for _, r := range w.event.Rows {
		if strings.HasPrefix(row.Path, r.Path+".") {
			list = append(list, r.Needs...)
		}
	}
	return append(list, row.Needs...)
}

// approves reports whether an answer that fulfils a condition approves the call.
func (w *writer) approves(c Condition) bool {
	return slices.ContainsFunc(w.event.Rows, func(r Row) bool {
		return r.Path == c.Path && r.Is == c.Value && r.Set == SetDecision && r.To == hookpoints.DecisionAllow
	})
}

func (w *writer) put(path string, value json.RawMessage) {
	if answer, err := sjson.SetRawBytes(w.answer, path, value); err == nil {
		w.answer = answer
	}
}

func (w *writer) lose(format string, args ...any) {
	w.lost = append(w.lost, fmt.Sprintf(format, args...))
}

// missing lists the members of an object that the other one lacks.
func missing(object, other json.RawMessage) (names []string) {
	has := gjson.ParseBytes(other).Map()
	gjson.ParseBytes(object).ForEach(func(name, _ gjson.Result) bool {
		if _, is := has[name.Str]; !is {
			names = append(names, name.Str)
		}
		return true
	})
	return names
}
