package permissions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/chibi-host/chibi/permissions/internal/commandline"
	"github.com/chibi-host/chibi/tools"
)

// Policy judges calls without asking anybody. Implementations are safe for concurrent use.
type Policy interface {
	// Judge returns what the rules say about a call, undecided if none matches, and
	// whether the call concerns a protected file.
	Judge(c Call) Judgement
	// Default decides where neither a rule nor a hook does.
	Default(c Call) Judgement
	// RuleFor returns the rule that would allow such calls, "" if none can.
	RuleFor(c Call) string
}

// Gate decides whether calls may happen. It is safe for concurrent use.
type Gate struct {
	// Policy judges calls.
	Policy Policy
	// Person answers the questions of the policy and of hooks; nil: nobody is there.
	Person Person
	// TrustAll answers each question with yes, except questions about protected files, about
	// calls that a rule may deny and about changed definitions, and insistent ones.
	TrustAll bool
	// Keep stores a rule that the person allows always; nil: it holds for this run only.
	Keep func(rule string) error
	// Offers reports whether chibi offers the model a tool; nil: it offers all.
	Offers func(spec tools.Spec) bool
	// WouldJudge names the rules that would hold for a tool without a category if it had one; nil:
	// none would.
	WouldJudge func(tools.Spec, tools.Category) []string
	// Dir is the working directory, for hooks and for paths in arguments.
	Dir string
	// AccessOf returns what a call of a tool that is not a [tools.Planner] would do; nil: nobody knows.
	AccessOf func(spec tools.Spec, arguments json.RawMessage, dir string) tools.Access
	// Approvals remember the definitions of tools of MCP servers; nil: nothing does, and chibi notices no change.
	Approvals Approvals
	// Commands lists the simple commands of a command line, for hooks; false: the line
	// cannot be parsed. Nil: no line can.
	Commands func(line string) ([]string, bool)

	asking  sync.Mutex // held while the person is asked
	mu      sync.Mutex
	granted map[string]bool // rules that the person allowed for this run; true: when a plugin asked
}

// Outcome is the decision about a call: allow or deny.
type Outcome struct {
	Judgement
	// Asked is set if chibi asked the person, or a plugin in their place.
	Asked *Asked
	// Unasked says that chibi should have asked the person and could ask nobody.
	Unasked bool
	// Unkept says why the rule that the person allows always could not be stored; the call
	// is allowed nevertheless.
	Unkept error
	// Unapproved says why the definition of the tool could not be remembered as approved; the
	// call is allowed nevertheless.
	Unapproved error
}

// Hooks ask the plugins about a call.
type Hooks struct {
	// Judge asks them about the call. It is not called for a call that a rule denies.
	Judge func(context.Context) (Judgement, error)
	// Answer asks them in the place of the person, also if there is no person; nil: nobody
	// wants to answer. The person decides if they do not, or if they ask. It is not called
	// for questions that have an answer already or that only the person can decide.
	Answer func(context.Context, Question) (Judgement, error)
}

// Asked is a question that the person answered, or a plugin in their place.
type Asked struct {
	// Why is the judgement that asked.
	Why Judgement
	// Answer is the answer.
	Answer Answer
	// Took is how long the question took.
	Took time.Duration
}

// Concerns reports whether a call needs a judgement: its tool has a category, or a rule is about
// it.
func (g *Gate) Concerns(c Call) bool {
	if g == nil || c.Tool.Category != "" || c.Tool.Remote != nil {
		return g != nil
	}
	ruled := g.Policy.Judge(c)
	return ruled.Decision != Undecided || ruled.Protected
}

// Continue takes over what the person allowed for the run at another gate; nil: there is
// none. It is called before the first decision.
func (g *Gate) Continue(other *Gate) {
	if other == nil {
		return
	}
	other.mu.Lock()
	defer other.mu.Unlock()
	g.granted = maps.Clone(other.granted)
}

// Decide returns the final judgement about a call: allow or deny. Errors come from hooks, and from
// the end of ctx.
func (g *Gate) Decide(ctx context.Context, c Call, hooks Hooks) (Outcome, error) {
	j, err := g.judge(ctx, &c, hooks.Judge, g.Person != nil || hooks.Answer != nil)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Judgement: j.Judgement}
	if j.Decision == Ask {
		q := Question{Call: c, Why: j.Judgement, Rule: g.ruleFor(c, j.Judgement)}
		if o, err = g.ask(ctx, q, hooks.Answer); err != nil {
			return o, err
		}
	}
	o.Unapproved = approve(g.Approvals, c, o)
	return o, nil
}

// Follow decides about what a call that was allowed leads to, such as the target of a
// redirect. It is Decide without the person: a question of a rule or a hook stays Ask,
// and a question because nobody decided is Undecided, so that the decision about the call
// can hold. An earlier answer for this run and TrustAll allow addresses that are public.
func (g *Gate) Follow(ctx context.Context, c Call, hooks func(context.Context) (Judgement, error)) (Judgement, error) {
	j, err := g.judge(ctx, &c, hooks, false)
	if err != nil || j.Decision != Ask {
		return j.Judgement, err
	}
	if g.isAnswered(c, j.Judgement) && !TargetOf(c.Access).IsSensitive() {
		o, _ := g.answered(Question{Call: c, Why: j.Judgement, Rule: g.ruleFor(c, j.Judgement)})
		return o.Judgement, nil
	}
	if j.byDefault {
		j.Decision = Undecided
	}
	return j.Judgement, nil
}

// ruling is a judgement, and whether it is one because nobody said anything.
type ruling struct {
	Judgement
	byDefault bool
}

// judge returns what rules, hooks, defaults and approvals say; mayAsk says that a question will
// be asked.
func (g *Gate) judge(ctx context.Context, c *Call, hooks func(context.Context) (Judgement, error),
	mayAsk bool) (ruling, error) {
	j, err := g.judgeCall(ctx, c, hooks, mayAsk)
	if err != nil || j.Decision == Deny {
		return j, err
	}
	return withApproval(g.Approvals, *c, j), nil
}

// judgeCall returns what rules, hooks and defaults say. What the judgement about a URL depends
// on is looked up in between, if the call can still be allowed.
func (g *Gate) judgeCall(ctx context.Context, c *Call, hooks func(context.Context) (Judgement, error),
	mayAsk bool) (ruling, error) {
	ruled := g.Policy.Judge(*c)
	if ruled.Decision == Deny {
		return ruling{Judgement: ruled}, nil
	}
	hooked, err := hooks(ctx)
	if err != nil {
		return ruling{}, err
	}
	j := g.combine(*c, ruled, hooked)
	isRefused := j.Decision == Deny || j.Decision == Ask && !mayAsk && !g.isAnswered(*c, j.Judgement)
	if isRefused || c.Access.Resolve == nil {
		return j, nil
	}
	c.Access.Addresses = c.Access.Resolve(ctx)
	return g.combine(*c, g.Policy.Judge(*c), hooked), ctx.Err()
}

// combine returns the strictest of what rules and hooks said, the default if they said
// nothing.
func (g *Gate) combine(c Call, ruled, hooked Judgement) ruling {
	j := ruling{Judgement: Strictest(ruled, hooked)}
	if j.Decision == Undecided {
		protected := j.Protected
		j = ruling{g.Policy.Default(c), true}
		j.Protected = j.Protected || protected
	}
	if j.Protected && j.Decision != Deny {
		j = ruling{Judgement: Judgement{Decision: Ask, By: ruled.By, Reason: ruled.Reason, Protected: true}}
	}
	return j
}

// isAnswered reports whether a question was answered before it is asked.
func (g *Gate) isAnswered(c Call, j Judgement) bool {
	return g.trusts(j) || g.isGranted(g.ruleFor(c, j), j)
}

func (g *Gate) trusts(j Judgement) bool {
	return g.TrustAll && !j.Protected && !j.Doubtful && !j.Insistent && j.Changed == nil
}

// ruleFor returns the rule that the person can allow; a protected file and a changed
// definition have none.
func (g *Gate) ruleFor(c Call, j Judgement) string {
	if j.Protected || j.Changed != nil {
		return ""
	}
	return g.Policy.RuleFor(c)
}

// ask settles a question: by what was answered before, by plugins, or by the person. Of
// questions that come at the same time, the answer to one can settle the next.
func (g *Gate) ask(ctx context.Context, q Question,
	plugins func(context.Context, Question) (Judgement, error)) (Outcome, error) {
	if o, settled := g.answered(q); settled {
		return o, nil
	}
	if o, settled, err := answeredBy(ctx, q, plugins); err != nil || settled {
		return o, err
	}
	if g.Person == nil {
		return Outcome{Judgement: g.unasked(q, ErrNobody), Unasked: true}, nil
	}
	g.asking.Lock()
	defer g.asking.Unlock()
	if o, settled := g.answered(q); settled {
		return o, nil
	}
	begun := time.Now()
	answer, err := g.Person.Ask(ctx, q)
	if errors.Is(err, ErrNobody) {
		return Outcome{Judgement: g.unasked(q, err), Unasked: true}, nil
	}
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Judgement: Judgement{Decision: Allow, By: ThePerson}, Asked: &Asked{q.Why, answer, time.Since(begun)}}
	if !answer.Allow {
		o.Judgement = Judgement{Decision: Deny, By: ThePerson, Reason: answer.Reason}
		return o, nil
	}
	o.Unkept = g.remember(q, answer.Scope)
	return o, nil
}

// answeredBy lets plugins answer a question in the place of the person, if they may.
func answeredBy(ctx context.Context, q Question,
	plugins func(context.Context, Question) (Judgement, error)) (o Outcome, settled bool, err error) {
	if plugins == nil || q.Why.Protected || q.Why.Doubtful || q.Why.Changed != nil {
		return o, false, nil
	}
	begun := time.Now()
	j, err := plugins(ctx, q)
	if err != nil || j.Decision != Allow && j.Decision != Deny {
		return o, false, err
	}
	answer := Answer{Allow: j.Decision == Allow, Scope: Once, Reason: j.Reason}
	return Outcome{Judgement: j, Asked: &Asked{q.Why, answer, time.Since(begun)}}, true, nil
}

func (g *Gate) answered(q Question) (o Outcome, settled bool) {
	switch {
	case g.trusts(q.Why):
		return Outcome{Judgement: Judgement{Decision: Allow, By: "--trust-tools"}}, true
	case g.isGranted(q.Rule, q.Why):
		by := fmt.Sprintf("the person, who allowed %q for this run", q.Rule)
		return Outcome{Judgement: Judgement{Decision: Allow, By: by}}, true
	}
	return Outcome{}, false
}

// unasked refuses a call because nobody can be asked, and says what would allow it.
func (g *Gate) unasked(q Question, nobody error) Judgement {
	if q.Why.Changed != nil {
		return unapproved(q)
	}
	j := Judgement{Decision: Deny, By: q.Why.By, Protected: q.Why.Protected, Doubtful: q.Why.Doubtful}
	because := q.Why.Reason
	if because != "" {
		because += "; "
	}
	switch {
	case q.Why.Protected || q.Why.Doubtful:
		j.Reason = fmt.Sprintf("%s: only a person at a terminal can allow it, and there is none", q.Why.Reason)
	case q.Why.Insistent:
		j.Reason = because + fmt.Sprintf("a person must allow it, and %v; no rule and no flag answers the question of a "+
			"plugin, only you or a plugin at pre_permission", nobody)
	case q.Rule == "":
		j.Reason = because + fmt.Sprintf("a person must allow it, and %v; --trust-tools allows it for one run", nobody)
	default:
		j.Reason = because + fmt.Sprintf("a person must allow it, and %v; --allow %s allows it for one run, [permissions] "+
			"allow in config.toml always", nobody, commandline.Quote(q.Rule))
	}
	return j
}

// isGranted reports whether the person allowed a rule for this run, and so answered a question. What
// a plugin asks, only an answer to a plugin does: it may be about what the rule does not see, such as
// the content of a file.
func (g *Gate) isGranted(rule string, why Judgement) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	pluginAsked, granted := g.granted[rule]
	return granted && (pluginAsked || !why.Insistent)
}

// remember keeps what the person allowed for longer than one call.
func (g *Gate) remember(q Question, scope Scope) error {
	if q.Rule == "" || scope == Once {
		return nil
	}
	g.mu.Lock()
	if g.granted == nil {
		g.granted = map[string]bool{}
	}
	g.granted[q.Rule] = g.granted[q.Rule] || q.Why.Insistent
	g.mu.Unlock()
	if scope == Always && g.Keep != nil {
		return g.Keep(q.Rule)
	}
	return nil
}

// Opinion returns what a policy and hooks say about a call that somebody else decides about:
// undecided if neither says anything. hooks asks the plugins; it is not called for a call that
// a rule denies. Errors come from hooks.
func Opinion(ctx context.Context, p Policy, c Call, hooks func(context.Context) (Judgement, error)) (Judgement, error) {
	ruled := p.Judge(c)
	if ruled.Decision == Deny {
		return ruled, nil
	}
	hooked, err := hooks(ctx)
	return Strictest(ruled, hooked), err
}
