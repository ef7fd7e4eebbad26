package permissions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/permissions/internal/commandline"
)

// Commands returns the simple commands of a command line, those inside others included, as
// a shell would read them; false if the line cannot be parsed, may be read otherwise by a
// shell, or sets a variable by itself whose value runs. Guards get them at pre_shell_exec.
func Commands(line string) ([]string, bool) {
	parsed, err := commandline.Parse(line)
	if err != nil || parsed.Misread {
		return nil, false
	}
	list := []string{}
	for c := range all(parsed.Commands) {
		switch {
		case len(c.Words) > 0:
			list = append(list, c.String())
		case c.Opaque != "": // a variable whose value runs, which no command shows
			return nil, false
		}
	}
	return list, true
}

// all yields commands and what they run.
func all(list []commandline.Command) func(func(*commandline.Command) bool) {
	return func(yield func(*commandline.Command) bool) { visit(list, yield) }
}

func visit(list []commandline.Command, yield func(*commandline.Command) bool) bool {
	for i := range list {
		if !yield(&list[i]) || !visit(list[i].Inner, yield) {
			return false
		}
	}
	return true
}

type commandRules struct {
	*Rules
	call             Call
	line             commandline.Line
	deny, ask, allow []*rule
}

func (r *Rules) judgeCommand(c Call) Judgement {
	if strings.TrimSpace(c.Access.Command) == "" {
		return r.judgeUnknownCommand(c)
	}
	line, err := commandline.Parse(c.Access.Command)
	if err != nil {
		return Judgement{Decision: Ask, By: "the examination of commands", Doubtful: r.deniesSome(c.Tool),
			Reason: fmt.Sprintf("the command cannot be examined: %v", err)}
	}
	about := func(list []*rule) (found []*rule) {
		for _, rule := range list {
			if rule.names(c.Tool) {
				found = append(found, rule)
			}
		}
		return found
	}
	rules := commandRules{r, c, line, about(r.deny), about(r.ask), about(r.allow)}
	list := []Judgement{rules.forbidden(), rules.unknown(), rules.targets()}
	return Strictest(append(list, rules.permit())...)
}

// judgeUnknownCommand judges a call that does not say what it runs: every rule about commands
// of such a tool may be about it.
func (r *Rules) judgeUnknownCommand(c Call) Judgement {
	isBareInside := func(rule *rule) bool { return rule.isBare() && r.isInside(c.Access.Dir) }
	return Strictest(r.lists.forbidden(maybe(c.Tool)), r.lists.permit(c.Tool, isBareInside))
}

// forbidden judges by the rules that deny and ask: one command is enough.
func (r commandRules) forbidden() Judgement {
	if len(r.deny)+len(r.ask) == 0 {
		return Judgement{}
	}
	var asked Judgement
	for c := range all(r.line.Commands) {
		spellings := spellingsOf(c)
		for _, rule := range r.deny {
			switch sure := concerns(rule, spellings); {
			case sure == certain:
				return Judgement{Decision: Deny, By: rule.by(), Reason: r.about(c)}
			case sure == possible && asked.Decision == Undecided:
				asked = Judgement{Decision: Ask, By: rule.by(), Doubtful: true,
					Reason: fmt.Sprintf("whether it runs what the rule denies is only known when %s runs", quoted(c))}
			}
		}
		for _, rule := range r.ask {
			if asked.Decision == Undecided && concerns(rule, spellings) != no {
				asked = Judgement{Decision: Ask, By: rule.by(), Reason: r.about(c)}
			}
		}
	}
	return asked
}

func quoted(c *commandline.Command) string { return strconv.Quote(clip.Text(c.String(), maxQuoted)) }

// maxQuoted is how much of a command a message quotes, in characters.
const maxQuoted = 200

// about says which command of the line a judgement is about, "" if that is the whole line.
func (r commandRules) about(c *commandline.Command) string {
	if c.String() != strings.TrimSpace(r.call.Access.Command) {
		return "it runs " + quoted(c)
	}
	return ""
}

// concerns returns how sure it is that a rule is about a command in one of its spellings.
func concerns(rule *rule, spellings []spelling) certainty {
	best := no
	switch {
	case rule.isBare():
		return no
	case rule.notShell != nil:
		return possible
	}
	for _, s := range spellings {
		best = max(best, rule.shell.concerns(s))
	}
	return best
}

// withAssigns are the words of a command behind the variables that are set for it.
func withAssigns(c *commandline.Command) (words []commandline.Word) {
	for _, a := range c.Assigns {
		words = append(words, commandline.Word{Text: a.Name + "=" + a.Value.Text})
	}
	return append(words, c.Words...)
}

// unknown asks where a rule denies or asks and something runs that is only known then.
func (r commandRules) unknown() Judgement {
	deny, ask := r.deny, r.ask
	if r.line.Misread { // its redirections may be others too
		deny = append(slices.Clone(deny), forbidding(r.Rules.deny)...)
		ask = append(slices.Clone(ask), forbidding(r.Rules.ask)...)
	}
	if len(deny) == 0 && len(ask) == 0 {
		return Judgement{}
	}
	asked := Judgement{Decision: Ask, By: append(slices.Clone(deny), ask...)[0].by(), Doubtful: len(deny) > 0}
	for c := range all(r.line.Commands) {
		if c.Opaque != "" {
			asked.Reason = fmt.Sprintf("in %s, %s", quoted(c), c.Opaque)
			return asked
		}
	}
	if r.line.Hidden != "" {
		asked.Reason = r.line.Hidden
		return asked
	}
	return Judgement{}
}

// forbidding are the rules of a list that hold for files which redirections open.
func forbidding(list []*rule) (found []*rule) {
	for _, rule := range list {
		if rule.forbidsTargets() || rule.forbidsReading() {
			found = append(found, rule)
		}
	}
	return found
}

// permit returns what allows all commands of the line and the targets of its redirections.
func (r commandRules) permit() Judgement {
	if !r.isInside(r.call.Access.Dir) {
		return Judgement{}
	}
	for _, rule := range r.allow {
		if rule.isBare() {
			return Judgement{Decision: Allow, By: rule.by()}
		}
	}
	if r.line.Hidden != "" {
		return Judgement{}
	}
	var by *rule
	for i := range r.line.Commands {
		rule, ok := r.allows(&r.line.Commands[i])
		if !ok {
			return Judgement{}
		}
		if by == nil {
			by = rule
		}
	}
	if by == nil || !r.allowsTargets() {
		return Judgement{}
	}
	return Judgement{Decision: Allow, By: by.by()}
}

// isInside reports whether the working directory of a call is where commands are
// allowed by rules: inside the roots, or where chibi was started.
func (r *Rules) isInside(dir string) bool {
	return dir == "" || dir == r.dir || isIn(r.roots, file{dir, Real(dir)})
}

// allows returns the rule that allows a command, nil if it needs none. A rule with a *
// allows a command that runs others, but not what it runs.
func (r commandRules) allows(c *commandline.Command) (*rule, bool) {
	if len(c.Words) == 0 {
		return nil, areHarmless(c.Assigns)
	}
	rule := r.allowsWords(c)
	if rule == nil && !(c.Transparent && areHarmless(c.Assigns)) {
		return nil, false
	}
	if rule != nil && (!c.Runs || rule.shell.literal && !c.Fed) {
		return rule, true
	}
	if c.Runs && c.Opaque != "" {
		return nil, false
	}
	for i := range c.Inner {
		inner, ok := r.allows(&c.Inner[i])
		if !ok {
			return nil, false
		}
		if rule == nil {
			rule = inner
		}
	}
	return rule, true
}

// allowsWords returns the rule that matches the words of a command, with the variables
// before them unless these are harmless.
func (r commandRules) allowsWords(c *commandline.Command) *rule {
	texts := [][]rune{commandRunes(withAssigns(c), separator)}
	if len(c.Assigns) > 0 && areHarmless(c.Assigns) {
		texts = append(texts, commandRunes(c.Words, separator))
	}
	unnamed := withoutNames(c)
	for _, rule := range r.allow {
		if !rule.isBare() && rule.notShell == nil && slices.ContainsFunc(texts, rule.shell.allows) &&
			!slices.ContainsFunc(unnamed, rule.shell.allows) {
			return rule
		}
	}
	return nil
}

// withoutNames returns a command without the name of each variable that it sets and that may decide
// which programs run: what allows it must name them all.
func withoutNames(c *commandline.Command) (texts [][]rune) {
	for _, a := range c.Sets {
		if isHarmless(a.Name, !a.Exported) {
			continue
		}
		words := withAssigns(c)
		for i, w := range words {
			rest, ok := strings.CutPrefix(strings.TrimPrefix(w.Text, "-v"), a.Name)
			if ok && (rest == "" || rest[0] == '=' || rest[0] == '+') {
				words[i].Text = string(commandline.Hole) + rest
			}
		}
		if texts = append(texts, commandRunes(words, separator)); len(texts) > maxNamed {
			return [][]rune{commandRunes(withAssigns(c), separator)} // nothing names so many
		}
	}
	return texts
}

// maxNamed is how many variables that one command sets a rule can name.
const maxNamed = 8

// areHarmless reports whether variables change nothing about which programs run.
func areHarmless(list []commandline.Assign) bool {
	return !slices.ContainsFunc(list, func(a commandline.Assign) bool { return !isHarmless(a.Name, !a.Exported) })
}

// isHarmless reports it of one; own says that it is a variable of the shell, which no program gets.
func isHarmless(name string, own bool) bool {
	switch name {
	case "LANG", "LANGUAGE", "TZ", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "TERM",
		"CI", "GOOS", "GOARCH", "GOMAXPROCS", "CGO_ENABLED", "RUST_BACKTRACE", "RUST_LOG", "PYTHONUNBUFFERED",
		"PYTHONDONTWRITEBYTECODE", "NODE_ENV", "DEBUG", "VERBOSE":
		return true
	}
	if strings.HasPrefix(name, "LC_") {
		return true
	}
	isKnown := !strings.ContainsRune(name, commandline.Hole)
	return own && isKnown && name == strings.ToLower(name) && !strings.HasSuffix(name, "_proxy")
}
