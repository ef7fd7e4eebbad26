// Package strictjson is the one reader of JSON that others wrote: plugins,
// models, servers, files that could have been edited. It differs from
// encoding/json in what an attacker could use:
//
//   - Names of members are matched exactly. encoding/json takes "PATH" for
//     "path", so a guard that looks at "path" could be passed.
//   - Of members with one name the last counts, everywhere, whole: encoding/json
//     merges objects with one name into each other.
//   - Nesting is bounded, before anything that recurses reads the text.
//
// [Normalize] writes a text in the one spelling that guards and tools are
// given; [Encode] and [Quote] write values of ours. The package imports nothing of
// ours and does no I/O; its functions are safe for concurrent use and never modify
// their arguments.
package strictjson
