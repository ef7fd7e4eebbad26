package commandline

import "testing"

// TestWhatShellsReadOtherwiseIsNotUnderstood has a line for each form that docs/upstream/mvdan-sh.md
// names, and what stands next to it and is read by all in the same way.
func TestWhatShellsReadOtherwiseIsNotUnderstood(t *testing.T) {
	for why, lines := range map[string][]string{
		quotesInQuotes: {
			`true "${y:-'$(git push)'}"`, `echo "${x:-'}"; git push; echo "'}"`, `echo "${x#'}"; git push; echo "'}"`,
			`echo "${x:-${y:-'$(git push)'}}"`, `echo ${x##${y%$'$(git push)'}}`, `echo "${x:-"a'b"}"; git push; echo "'"`,
			"cat <<E\n${y:-'$(git push)'}\nE",
			"cat <<E\n${y:-\"}\nE\ngit push\ncat <<E\n\"}\nE", `echo $((1 + '$(git push)'))`,
			"sh -c " + Quote(`echo "${x:-'}"; git push; echo "'}"`),
			"sh <<'E'\ntrue \"${y:-'$(git push)'}\"\nE", "eval " + Quote(`true "${y:-'$(git push)'}"`),
		},
		noComment: {
			"echo `echo \"a\"#;git push`", "echo `echo $x#;git push`", "echo $(echo ${x}#;git push\n)",
			"(echo 'a'#;git push\n)",
			"(echo $(x)#;git push\n)", "(echo \"a\"\\\n#;git push\n)",
		},
		longComment: {"git status # x \\\ntouch PWN", "echo `true # a\\\ngit push`", "# \\\ngit push",
			"a | # \\\ngit push", "case a in # \\\n a) ;; esac"},
		brokenOperator: {"echo `true\\\\\\\n\n#;git push`", "echo `true\\\\\n#;git push`",
			"echo \"$\\\n(git push)\"", "cat <<E\n$\\\n(git push)\nE", "echo $\\\n{x}",
			"echo $(\\\n(1 + 1))", "sh -c \"echo \\\\\\\n' ; git push #'\""},
		continuedInput: {"cat <<E\nE\\\n\ngit push\nE\n", "cat <<E\na\\\nE\nE\n"},
		unclearEnd: {
			"cat <<E\n$(true '\nE\ngit push\ncat <<E\n')\nE", "echo $(cat <<E)\ngit push\nE",
			"true $(cat <<'E'\nE) ; git push; echo $(\nE\n)\n",
			"true $(cat <<E\nE$(true)git push\nE\n)",
			"cat <<\\\n-E\nE\ngit push\n-E\n",
			"cat <<'E''F'\na\nEF\n",
			"echo ${x:-$(: <<E)}\nE\n", "(echo $(true <<E)\\\n\"${x:=(;;\nE\n)\ngit push\n; echo \\'}$(true\n)\";#`\nE\n)\n",
		},
		closedAndMore:   {">&-git push", "<&-\"git\" push", ">& -git push", "a <&-$G push"},
		splitWord:       {"echo `sh -c a\\`true\\`\";git push;\"`"},
		nestedBackquote: {"`echo '` ; git push; echo `'`", "echo `echo \\`true \\\\\\`git push\\\\\\`\\``"},
		unreadPattern:   {"shopt -s extglob\necho @('a'|b)", "echo @($(git push))"},
	} {
		for _, line := range lines {
			if got, err := Parse(line); err != nil || !got.Misread || got.Hidden == "" {
				t.Errorf("%q (%s): %+v, %v", line, why, got, err)
			}
		}
	}
	for _, line := range []string{
		"echo `a \\`b\\` c >d`", `echo ${x%$'a'}`, `echo "${x:-"$y/"}" "${x#"$y"}" ${x:-'a b'} "${x:-$(echo 'a')}"`,
		"echo a # it's \\ a comment",
		"echo a; # b\n# c\n(d # e\n)",
		"echo `# a comment`", "echo a#b \"a\"#b $x#b", "echo \"a \\\n b\" c \\\n d",
		"cat <<E\n\\\\\n$x \"a\" 'b'\nE", "cat <<'E'\n$\\\n${x:-'}'}\nE",
		"cat <<-E\n\ta\n\tE", "echo $(cat <<E\na\nE\n)", "cat <<E\nEa\nE", "a 2>&1 >&- <&-", "echo $((1 + 1)) $( (a) )",
		"echo 'it'\\''s' \"\\\\\"",
	} {
		if got, err := Parse(line); err != nil || got.Misread {
			t.Errorf("%q: %s, %v", line, got.Hidden, err)
		}
	}
}
