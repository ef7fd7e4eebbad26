package permissions

import "testing"

// misreadLines are lines in which shells run git push, or write to a, and the parser sees that in a
// text or not at all; internal/commandline has more of each form.
func misreadLines() []string {
	return []string{
		`true "${y:-'$(git push)'}"`, `echo "${x:-'}"; git push; echo "'}"`, "echo `echo \"a\"#;git push`",
		"echo \"$\\\n(git push)\"", "cat <<E\n$\\\n(git push)\nE", "git status # x \\\ngit push",
		"cat <<E\nE\\\n\ngit push\nE\n",
		"cat <<E\n${y:-\"}\nE\ngit push\ncat <<E\n\"}\nE", ">&-git push", "<&-git push",
		"echo ${y:-<(git push)}", "echo >&'$(git push)'",
		"cat <<E\n$(true '\nE\ngit push\ncat <<E\n')\nE",
		"`echo '` ; git push; echo `'`", "echo $(cat <<E)\ngit push\nE", `sh -c 'true "${y:-'"'"'$(git push)'"'"'}"'`,
		"sh <<'F'\ngit status # x \\\ngit push\nF", "eval 'git status # x \\\ngit push'",
	}
}

func TestWhatIsMisreadIsAskedAndAllowedByNoSpecifier(t *testing.T) {
	denies := rulesOf(t, []string{"shell(git push*)"}, nil, []string{"shell"})
	asks := rulesOf(t, nil, []string{"shell(git push*)"}, []string{"shell"})
	files := rulesOf(t, []string{"write(a)"}, nil, []string{"shell"})
	allows := rulesOf(t, nil, nil, []string{"shell(git *)", "shell(push*)", "shell(echo *)", "shell(true *)",
		"shell(cat *)",
		"shell(sh *)", "shell(eval *)"})
	bare := rulesOf(t, nil, nil, []string{"shell"})
	for _, line := range misreadLines() {
		call := shellCall(line, "/project")
		if got := denies.Judge(call); got.Decision != Ask || !got.Doubtful {
			t.Errorf("%q: %+v, want a question that --trust-tools does not answer", line, got)
		}
		if got := asks.Judge(call); got.Decision != Ask {
			t.Errorf("%q, of which a rule asks a part: %+v", line, got)
		}
		if got := files.Judge(call); got.Decision != Ask {
			t.Errorf("%q, which may redirect to what is denied: %+v", line, got)
		}
		if got := allows.Judge(call); got.Decision != Undecided {
			t.Errorf("%q: %+v, by a specifier", line, got)
		}
		if got := bare.Judge(call); got.Decision != Allow {
			t.Errorf("%q: %+v, where no rule denies or asks", line, got)
		}
		if got, ok := Commands(line); ok {
			t.Errorf("%q: guards are told %q", line, got)
		}
		if rule := allows.RuleFor(call); rule != "" {
			t.Errorf("%q: %q is offered", line, rule)
		}
	}
}

// TestNothingOfAnOrdinaryDayIsAsked: 24 lines of an agent's day, with a rule that denies something.
func TestNothingOfAnOrdinaryDayIsAsked(t *testing.T) {
	r := rulesOf(t, []string{"shell(git push*)"}, nil, []string{"shell"})
	for _, line := range []string{
		"git status --short && git diff --stat",
		"git log --oneline -n 20 # what happened",
		"git add -A && git commit -m \"$(cat <<'EOF'\n" +
			"Fix the parser's \"edge\" cases\n\nIt didn't handle $(x) and `y`, # or that \\\n\nCloses #12\nEOF\n)\"",
		"git commit -q -F - <<EOF\nRelease $VERSION\n\n* it's \"done\"\nEOF",
		"git checkout -b fix/issue-7 origin/main 2>/dev/null || git switch fix/issue-7",
		"git show HEAD:internal/app/session.go | sed -n '40,90p'",
		"go test ./... 2>&1 | tail -n 40",
		"go test -run 'TestX/(a|b)$' -count=1 ./internal/... && go vet ./...",
		"cd internal && GOOS=windows go build -o /dev/null ./...",
		"grep -rn --include='*.go' \"func (s \\*Session)\" . | head -20",
		"grep -c '#' README.md; wc -l *.md",
		"find . -name '*.go' -not -path './vendor/*' -exec wc -l {} + | sort -n | tail",
		"sed -i 's#/old/path#/new/path#g; s/it'\\''s/it is/' docs/*.md",
		"awk -F: '{ n[$1]++ } END { for (k in n) print k \"#\" n[k] }' /etc/passwd | sort -k2 -t'#' -nr",
		"npm ci && npm run build --silent && npx prettier --check 'src/**/*.{ts,tsx}'",
		"python3 - <<'PY'\nimport json\nprint(json.dumps({\"a\": 'b', \"c\": f\"{1}\"}))  # done \\\nPY",
		"for f in internal/*/; do printf '%s %s\\n' \"${f%/}\" \"$(ls \"$f\" | wc -l)\"; done",
		"if [ -z \"${CI:-}\" ]; then echo \"${USER:-nobody} at ${HOSTNAME:-\"$(hostname)\"}\"; fi",
		"name=$(basename \"$PWD\"); tar -czf \"${name#\"$prefix\"}.tgz\" --exclude=.git .",
		"curl -fsSL -H \"Authorization: Bearer $TOKEN\" \\\n" +
			"  -d '{\"name\": \"x\"}' \\\n  https://example.com/api | jq -r '.items[] | \"\\(.id)#\\(.name)\"'",
		"cat > config.toml <<'EOF'\n# comment \\\n[tools]\nallow = [\"shell\"]\nEOF",
		"docker run --rm -v \"$PWD\":/src -w /src golang:1 go build ./... 2>build.log || { cat build.log; exit 1; }",
		"ls -la | grep -v '^d' | awk '{print $9}' | xargs -n 1 basename",
		"git show main:go.mod | diff - go.mod; pkill -f 'node server.js' || true",
	} {
		if got := r.Judge(shellCall(line, "/project")); got.Decision != Allow {
			t.Errorf("%q: %+v", line, got)
		}
		if _, ok := Commands(line); !ok {
			t.Errorf("%q: guards are not told what it runs", line)
		}
	}
}
