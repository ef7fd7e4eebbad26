package permissions

import "testing"

// TestWhatShellsReadInWaysOfTheirOwnIsNotAllowed: lines that run git push in dash, bash, zsh or mksh
// without a word of it where a command stands.
func TestWhatShellsReadInWaysOfTheirOwnIsNotAllowed(t *testing.T) {
	r := rulesOf(t, []string{"shell(git push*)"}, nil, []string{"shell"})
	for _, line := range []string{
		// variables that are numbers, and arguments that are
		`RANDOM='a[$(git push)]'`, `export SECONDS='a[$(git push)]'`, `for OPTIND in 'a[$(git push)]'; do :; done`,
		"read COLUMNS <<'E'\na[$(git push)]\nE", `printf -v SRANDOM %s 'a[$(git push)]'`,
		`unset RANDOM; : "${RANDOM:='a[$(git push)]'}"`, `LINES='a[$(git push)]' true`,
		`shift 'a[$(git push)]'`, `x='a[$(git push)]'; shift x`, `ulimit -c 'a[$(git push)]'`,
		`integer 'x=a[$(git push)]'`, `nameref 'x=a[$(git push)]'`, `set -A 'a[$(git push)]' x`,
		`set -A PS4 '$(git push)'; set -x; :`,
		// a file that is expanded twice
		`echo >&'$(git push)'`, "echo >&'`git push`'", `echo 1>&\$\(git\ push\)`,
		// earlier commands, and variables that stand behind a command
		"set -o history -o histexpand\necho git push\n!!:1-2", "set -o history -H\necho git push\n^echo ^^",
		"shopt -so history histexpand\necho git push\n!!:1-2", "set -$x -o $y\necho git push\n!!:1-2",
		`set -k; bash -c : BASH_ENV='$(git push)'`, `set -o keyword; bash -c : BASH_ENV='$(git push)'`,
		`bash -kc "bash -c : BASH_ENV='\$(git push)'"`,
		// options of shells
		`sh +c 'git push'`, `x=c; sh -"$x" 'git push'`, `sh -$'c' 'git push'`, `mksh -T - -c 'git push'`,
		`bash -OO extglob globstar -c 'git push'`, `sh -oo errexit nounset -c 'git push'`, `mksh -oerrexit -c 'git push'`,
		// what a shell reads
		"sh <<B 3<<A\ngit push\nB\necho\nA", "sh 3<<B <<A <&3\ngit push\nB\necho\nA",
		"echo 'git push' >f; sh <<A <f\necho\nA", "sh /dev/fd/3 3<<A <<B\ngit push\nA\necho\nB",
		"sh //dev/stdin <<A\ngit push\nA", "sh ../../dev/stdin <<A\ngit push\nA", "cd /dev; sh stdin <<A\ngit push\nA",
		// commands that run others
		`x=-exec; find . "$x" sh -c 'git push' \;`, `find . $'-exec' sh -c 'git push' {} +`,
		`nocorrect eval 'git push'`, `noglob sh -c 'git push'`, `git bisect view push`, `git bisect visualize git push`,
		`git grep -e -- -O'git push' x`, `git grep $'-Ogit push' x`,
		`git config --comment user.name core.pager 'git push'`, `git config -f user.d/../.git/config alias.p push`,
		`npx sh -c 'git push'`, `docker exec web bash -lc "cd app && git push"`, `busybox cttyhack sh -c 'git -C x push'`,
		`MANPAGER='git push' man ls`, `RSYNC_RSH='git push' rsync a b:`,
	} {
		if got := r.Judge(shellCall(line, "/project")); got.Decision != Ask && got.Decision != Deny {
			t.Errorf("%q: %+v", line, got)
		}
	}
	for _, line := range []string{
		`RANDOM=7; OPTIND=1; SECONDS=0; COLUMNS=80 ls`, `shift; shift 2`, `ulimit -n 4096; ulimit -c unlimited`,
		`set -euo pipefail; set -- "$@" -k`, `shopt -s nullglob`, `bash -euo pipefail -c 'echo a'`,
		`echo a >&2; echo b >&log`,
		"cat <<A | sort 3<<B\na\nA\nb\nB", "sh <<A 2>&1\necho a\nA", `find "$dir" -name '*.go' -exec wc -l {} +`,
		`find . -type f -exec grep -l a {} \;`, `git bisect run go test ./...`, `git grep -n -e push -- docs`,
		`git config -f .gitmodules --get-regexp path`, `git config user.email a.b@example.com`, `sh ./dev/run.sh`,
		`: "${dir:=out}"`, `docker exec web sh -c 'ls -la /app && env | sort'`, `echo sh -c 'git push'`,
	} {
		if got := r.Judge(shellCall(line, "/project")); got.Decision != Allow {
			t.Errorf("%q, which is ordinary: %+v", line, got)
		}
	}
}

func TestGuardsAreToldOfVariablesWhoseValueRuns(t *testing.T) {
	for _, line := range []string{`PS4='$(git push)'; set -x; ls`, `RANDOM='a[$(git push)]'`,
		"for PS4 in '$(git push)'; do set -x; ls; done",
		"set -o history -o histexpand\necho git push\n!!:1-2", `echo >&'$(git push)'`} {
		if list, ok := Commands(line); ok {
			t.Errorf("%q: guards are told %q", line, list)
		}
	}
}

func TestVariablesThatAreSetAsideAreAllowedByTheirName(t *testing.T) {
	r := rulesOf(t, nil, nil, []string{"shell(git status*)", "shell(echo *)", "shell(: *)", "shell(unset *)",
		"shell(read *)", "shell(set *)", "shell(mapfile *)", "shell(ls *)", "shell(sh *)"})
	for _, line := range []string{
		`unset PATH; : ${PATH:=../evil}; git status`, `echo {PATH}<f; git status`, "read -t PATH <<E\n../evil\nE\ngit status",
		"read -u PATH <<E\n../evil\nE\ngit status", `set -A PATH ../evil; git status`, `set +A PATH ../evil; git status`,
		"mapfile PS4 <<'E'\n$(touch a)\nE\ngit status", `set -k; ls PATH=../evil`, `set $x; ls PATH=../evil`,
		`sh +c 'touch a'`, "sh <<B 3<<A\ntouch a\nB\necho a\nA",
	} {
		if got := r.Judge(shellCall(line, "/project")); got.Decision != Undecided {
			t.Errorf("%q: %+v", line, got)
		}
	}
	for _, line := range []string{`: ${dir:=a}; git status`, `read -r -p 'A name? ' x; git status`} {
		if got := r.Judge(shellCall(line, "/project")); got.Decision != Allow {
			t.Errorf("%q: %+v", line, got)
		}
	}
}
