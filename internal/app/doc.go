// Package app is the composition root: it opens a home, resolves its
// configuration, loads the plugins of all protocols and makes the agent that
// holds the conversation.
//
// What it promises:
//
//   - It prints nothing, ends no process and touches no standard stream. What a person
//     should read goes to the functions of [Options.Output]; what plugins write to
//     standard error goes to [PluginOptions.Stderr].
//   - It does not know the command line: errors that a caller can correct by other
//     options or another configuration are a [UsageError].
//   - [Open] is the only way to open a home, and [Session.For] the only way to make a
//     session for another context.
//
// A caller opens a session, asks, and closes it:
//
//	s, err := app.Open(ctx, app.Options{Home: dir})
//	...
//	defer s.Close()
//	err = s.Run(ctx, func() error { return s.Ask(ctx, "Hello") })
package app
