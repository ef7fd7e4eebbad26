package agent

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
