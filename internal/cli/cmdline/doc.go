// Package cmdline describes each flag once. From the descriptions it makes the
// parser of a command line, the text of --help, and the reader and the schema of
// the JSON that can take the place of flags.
//
// What it promises:
//
//   - It runs nothing, prints nothing and reads only its arguments: the value of a
//     flag goes where its description says.
//   - Words after the flags, after "--" and after a flag that takes the rest of the
//     line are never touched.
package cmdline
