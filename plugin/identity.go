package plugin

import "context"

// Identity says to which conversation and prompt an event or a call belongs.
type Identity struct {
	// Session is the id of the conversation, a UUID: the same as long as the conversation lasts, through
	// compactions and new names, and a different one after it was archived. "" if there is none.
	Session string
	// Source is how the conversation began for this run.
	Source Source
	// Prompt is the id of the prompt that the model answers, a UUID; "" outside of a turn.
	Prompt string
	// Transcript is the path of the view of the conversation for scripts; "" if none is kept,
	// see [Plugin.Transcript].
	Transcript string
	// Model is the name of the model in requests, Effort how much it should reason, "" if that is not configured.
	Model, Effort string
	// Trusted is true if chibi asks nobody before a tool runs.
	Trusted bool
}

// Source is how a conversation began for a run.
type Source string

// The sources.
const (
	SourceStartup Source = "startup" // it was empty
	SourceResume  Source = "resume"  // it had been going on
	SourceClear   Source = "clear"   // it is the first after one that was archived
	SourceCompact Source = "compact" // it was compacted in this run
)

// identityKey is the key of the function that returns the identity of what happens.
type identityKey struct{}

// WithIdentity returns a ctx for events and calls that belong to a conversation. identify is called when a
// plugin needs to know to which, and must be safe for concurrent use.
func WithIdentity(ctx context.Context, identify func() Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, identify)
}

// HasIdentity reports whether ctx carries an identity.
func HasIdentity(ctx context.Context) bool { return ctx.Value(identityKey{}) != nil }

// IdentityOf returns the identity that ctx carries, the zero Identity if it carries none.
func IdentityOf(ctx context.Context) Identity {
	return Event{identify: ctx.Value(identityKey{})}.Identity()
}

// withFixedIdentity returns a ctx whose identity stays what it is now.
func withFixedIdentity(ctx context.Context) context.Context {
	id := IdentityOf(ctx)
	return WithIdentity(ctx, func() Identity { return id })
}
