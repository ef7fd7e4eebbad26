// Package cmdline describes flags, each one once, and makes of the description
// what takes them: the words of a command line, the text of --help, and the JSON
// that says the same as flags, with its schema.
//
// What it promises:
//
//   - It runs nothing, prints nothing and reads nothing but its arguments: what a
//     flag is given goes where its description says.
//   - Words after the flags, after "--" and after a flag that takes the rest of the
//     line are never touched.
package cmdline
