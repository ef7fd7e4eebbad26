// Package recipes reads recipes: prepared prompts in files, with a description,
// arguments and what they allow. The format is Kodelet's: YAML front matter
// between lines of "---", then a text/template body.
//
//	---
//	name: Review
//	description: Review what changed
//	allowed_tools: [run_command]
//	allowed_commands: ["git *"]
//	arguments:
//	  base: {description: what to compare with, default: main}
//	hooks:
//	  turn_end: {handler: swap_context, once: true}
//	---
//	Review these changes:
//	{{bash "git" "diff" .base}}
//
// A recipe's name is the path of its file relative to its directory, without ".md"; the name
// in the front matter is for people.
//
// What the package promises:
//
//   - Nothing runs unless it is requested, and commands in a file that came with a
//     project run only if the caller's [Dir.Check] allows the file as it is.
//   - A recipe that cannot be read is an error that names its file and line,
//     never a recipe without its restrictions.
//   - Names never lead out of the directories.
//
// It starts no processes and writes no files: the caller gives it a [Runner].
package recipes
