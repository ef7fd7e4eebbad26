package agent

import (
	"cmp"

	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/tools"
)

// Settings shape requests and bound a turn. A bound of 0 means its default.
type Settings struct {
	// Model is the model's name in requests. Provider is the name of its provider,
	// for on_start.
	Model, Provider string
	// Demo is true if the built-in demo model answers. Other models see neither its prompts
	// nor its answers, see [contexts.ByDemo].
	Demo bool
	// KeepsNothing is true if the conversation ends with the run: no prompt of it can be retried.
	KeepsNothing bool
	// Home and ProjectRoot are directories for on_start.
	Home, ProjectRoot string
	// Dir is the working directory, Version the program's, for the view of the conversation
	// that plugins ask for. TrustTools is true if tools run without a question; plugins get it.
	Dir, Version string
	TrustTools   bool
	// Options are further members of the request body, in order.
	Options []llm.Option
	// SystemPrompt, if not nil, replaces the context's own system prompt. It is not
	// stored.
	SystemPrompt *string
	// Instructions are texts for the model that follow the system prompt of the context.
	Instructions string
	// UserName is the person's name; chibi does not send [DefaultUserName] to the model.
	UserName string
	// Verbose is what on_start and on_end report.
	Verbose bool
	// Reflection adds the model's notes on itself to the system prompt.
	Reflection bool
	// ContextWindow is the model's limit in tokens; default: [llm.ContextWindow].
	ContextWindow int
	// WarnPercent is how full that may be before a notice; 0: no notice.
	WarnPercent float64
	// AutoCompact replaces about CompactDropPercent of the exchanges by a summary
	// when the window is CompactPercent full.
	AutoCompact                        bool
	CompactPercent, CompactDropPercent float64
	// Include and Exclude filter the offered tools before plugins do. A nil
	// Include keeps all.
	Include, Exclude []string
	// ExcludeCategories filters out the tools of these categories.
	ExcludeCategories []tools.Category
	// NoTools filters out all tools.
	NoTools bool
	// Strict makes it an error if the model called tools and each call was refused.
	Strict bool
	// MaxSteps bounds the steps of a turn; default [DefaultMaxSteps].
	MaxSteps int
	// MaxCalls bounds the calls of one step that are run;
	// default [DefaultMaxCalls].
	MaxCalls int
	// MailRetry is how often chibi gives mail again that a run took and did not answer, because it died.
	MailRetry int
	// MaxFollowUps bounds how often pre_stop continues a turn, and how many
	// recipes hooks run in it; default [DefaultMaxFollowUps].
	MaxFollowUps int
	// CacheThreshold is how many characters of an output are shown, default
	// [DefaultCacheThreshold]; CachePreview how many of one that is cached, default
	// [DefaultCachePreview].
	CacheThreshold, CachePreview int
	// MaxRecursion bounds the further turns that the recurse tool can ask for;
	// default [DefaultMaxRecursion].
	MaxRecursion int
}

func (s Settings) maxSteps() int       { return orDefault(s.MaxSteps, DefaultMaxSteps) }
func (s Settings) maxCalls() int       { return orDefault(s.MaxCalls, DefaultMaxCalls) }
func (s Settings) maxFollowUps() int   { return orDefault(s.MaxFollowUps, DefaultMaxFollowUps) }
func (s Settings) maxRecursion() int   { return orDefault(s.MaxRecursion, DefaultMaxRecursion) }
func (s Settings) cacheThreshold() int { return orDefault(s.CacheThreshold, DefaultCacheThreshold) }
func (s Settings) cachePreview() int   { return orDefault(s.CachePreview, DefaultCachePreview) }

// contextWindow returns the model's limit in tokens.
func (s Settings) contextWindow() int { return orDefault(s.ContextWindow, llm.ContextWindow(s.Model)) }

// userName returns the name with which the person's messages are stored.
func (s Settings) userName() string {
	return cmp.Or(s.UserName, DefaultUserName)
}

// orDefault returns a configured bound or its default.
func orDefault(set, fallback int) int {
	if set > 0 {
		return set
	}
	return fallback
}

// Defaults of [Settings]. Package internal/config takes its own from here.
const (
	// DefaultUserName is the name of a person who has not given one.
	DefaultUserName = "user"
	// DefaultMaxSteps bounds the steps of a turn.
	DefaultMaxSteps = 50
	// DefaultMaxCalls bounds the calls of one step that are run.
	DefaultMaxCalls = 100
	// DefaultMaxFollowUps bounds how often pre_stop continues a turn, and how many
	// recipes hooks run in it.
	DefaultMaxFollowUps = 5
	// DefaultMaxRecursion bounds the further turns that the recurse tool can ask for.
	DefaultMaxRecursion = 30
	// DefaultMaxAgentDepth bounds how deep agents work inside each other.
	DefaultMaxAgentDepth = 1
	// DefaultMaxAgentTokens bounds the tokens that all sub-agents of a turn use together.
	DefaultMaxAgentTokens = 1_000_000
	// DefaultCacheThreshold is how many characters of an output are shown.
	DefaultCacheThreshold = 4000
	// DefaultCachePreview is how many characters of a cached output are shown.
	DefaultCachePreview = 500
)
