package permissions

import (
	"encoding/json"
	"testing"

	"github.com/chibi-host/chibi/tools"
)

// shellCall is a call of shell_exec in a directory.
func shellCall(command, dir string) Call {
	spec := tools.Spec{Name: "shell_exec", Category: tools.CategoryShell, Subject: "command"}
	return Call{Tool: spec, Access: tools.Access{Command: command, Dir: dir}, Arguments: json.RawMessage(`{}`)}
}

// written are rules of config.toml.
func written(list ...string) (rules []Written) {
	for _, text := range list {
		rules = append(rules, Written{text, "config.toml:1"})
	}
	return rules
}

// rulesOf makes rules for a project in a directory of its own.
func rulesOf(t *testing.T, deny, ask, allow []string) *Rules {
	t.Helper()
	r, err := NewRules(Settings{Deny: written(deny...), Ask: written(ask...), Allow: written(allow...), Root: "/project",
		Dir: "/project", ChibiHome: "/home/me/.chibi", UserHome: "/home/me"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestNoSpellingOfADeniedCommandRunsUnasked(t *testing.T) {
	r := rulesOf(t, []string{"shell(git push*)"}, nil, []string{"shell_exec"})
	for _, test := range []struct {
		line string
		want Decision
	}{
		{`git push`, Deny},
		{`git push origin main`, Deny},
		{`git status`, Allow},
		{`git pushx`, Deny},
		{`git -C x push`, Deny},
		{`git --git-dir=x push`, Deny},
		{`git --git-dir x push`, Deny},
		{`git --no-pager -C x -c user.name=me push`, Deny},
		{`git -c alias.p=push p`, Ask},
		{`git -c core.pager='git push' log`, Ask},
		{`git --config-env=alias.p=X p`, Ask},
		{`/usr/bin/git push`, Deny},
		{`../bin/git push`, Deny},
		{`~/bin/git push`, Deny},
		{`git-push origin`, Deny},
		{`/usr/lib/git-core/git-push`, Deny},
		{`GIT push`, Deny},
		{`"git" push`, Deny},
		{`g''it push`, Deny},
		{`g"i"t 'push'`, Deny},
		{`\git push`, Deny},
		{`\g\i\t pu\sh`, Deny},
		{"git \\\n push", Deny},
		{"gi\\\nt push", Deny},
		{`git	push`, Deny},
		{`env git push`, Deny},
		{`env -i A=b git push`, Deny},
		{`env -u X -C / git push`, Deny},
		{`env -S 'git push'`, Deny},
		{`env =b git push`, Deny},
		{`time -- A=b git push`, Deny},
		{`env --split-string='git push'`, Ask},
		{`env $X git push`, Deny},
		{`A=b git push`, Deny},
		{`A=b GIT_DIR=c git push`, Deny},
		{`sh -c 'git push'`, Deny},
		{`sh -c "git push"`, Deny},
		{`sh -ec 'git push'`, Deny},
		{`sh -e -c 'cd x && git push'`, Deny},
		{`bash --norc -o pipefail -c 'git push'`, Deny},
		{`/bin/sh -c 'sh -c "git push"'`, Deny},
		{`sh -c 'g''it push'`, Deny},
		{`sh -c "git $X"`, Ask},
		{`sh -c "$X"`, Ask},
		{`sh -c '"$@"' _ git push`, Ask},
		{`sh $X`, Ask},
		{`sh`, Ask},
		{`sh -s`, Ask},
		{`echo git push | sh`, Ask},
		{`echo git push | bash -s`, Ask},
		{"sh <<E\ngit push\nE", Deny},
		{"sh <<'E'\ngit push\nE", Deny},
		{"sh -s <<-E\n\tgit push\nE", Deny},
		{"sh <<E\ngit $X\nE", Ask},
		{"sh <<E\necho \\\"; git push; echo \\\"\nE", Deny},
		{`bash <<< 'git push'`, Deny},
		{`sh < file`, Ask},
		{`sh /dev/stdin`, Ask},
		{`sh script.sh`, Allow},
		{`bash <(echo git push)`, Ask},
		{`fish -c 'git push'`, Ask},
		{`xargs git push`, Deny},
		{`echo push | xargs git`, Ask},
		{`xargs -n 1 -P 4 git push`, Deny},
		{`xargs -I{} git {}`, Ask},
		{`xargs -I % sh -c '%'`, Ask},
		{`xargs ls`, Allow},
		{`timeout 5 git push`, Deny},
		{`timeout -k 1 5 git push`, Deny},
		{`timeout --foreground -s KILL 5 git push`, Deny},
		{`nice git push`, Deny},
		{`nice -n 5 git push`, Deny},
		{`nice -5 git push`, Deny},
		{`nohup git push`, Deny},
		{`sudo git push`, Deny},
		{`sudo -u me -E git push`, Deny},
		{`sudo -s git push`, Deny},
		{`doas git push`, Deny},
		{`find . -exec git push \;`, Deny},
		{`find . -exec git push {} +`, Deny},
		{`find . -execdir sh -c 'git push' ';'`, Deny},
		{`find . -name x $X`, Ask},
		{`find . -name x`, Allow},
		{`time git push`, Deny},
		{`time -p git push`, Deny},
		{`command git push`, Deny},
		{`command -v git`, Allow},
		{`exec git push`, Deny},
		{`exec -a x git push`, Deny},
		{`builtin eval 'git push'`, Deny},
		{`stdbuf -oL git push`, Deny},
		{`setsid -w git push`, Deny},
		{`busybox sh -c 'git push'`, Deny},
		{`ssh host git push`, Ask},
		{`parallel git ::: push`, Ask},
		{`watch -n 5 git push`, Deny},
		{`su -c 'git push'`, Deny},
		{`strace -f git push`, Deny},
		{`eval git push`, Deny},
		{`eval "$X"`, Ask},
		{`eval ls`, Ask},
		{`$G push`, Ask},
		{`${G} push`, Ask},
		{`"$G" push`, Ask},
		{`$(echo git) push`, Ask},
		{"`echo git` push", Ask},
		{`g$X push`, Ask},
		{`git $X`, Ask},
		{`git "$X"`, Ask},
		{`git $X push`, Ask},
		{`$X git push`, Ask},
		{`ls $X`, Allow},
		{`/usr/bin/g?t push`, Ask},
		{`/usr/bin/[g]it push`, Ask},
		{`{git,push}`, Ask},
		{`git {push,pull}`, Ask},
		{`$'\x67it' push`, Ask},
		{`$'git' push`, Ask},
		{`$"git" push`, Deny},
		{`echo $(git push)`, Deny},
		{"echo `git push`", Deny},
		{"echo `echo \\`git push\\``", Deny},
		{`echo "$(git push)"`, Deny},
		{`echo "${X:-$(git push)}"`, Deny},
		{`echo '$(git push)'`, Allow},
		{`cat <(git push)`, Deny},
		{`echo ${X:-<(git push)}`, Ask},
		{`X=$(git push)`, Deny},
		{"cat <<E\n$(git push)\nE", Deny},
		{"cat <<'E'\n$(git push)\nE", Allow},
		{`(git push)`, Deny},
		{`((git push))`, Deny},
		{`{ git push; }`, Deny},
		{`true && git push`, Deny},
		{`false || git push`, Deny},
		{`ls; git push`, Deny},
		{`ls | git push`, Deny},
		{`ls & git push &`, Deny},
		{"ls\ngit push", Deny},
		{`! git push`, Deny},
		{`if true; then git push; fi`, Deny},
		{`while git push; do :; done`, Deny},
		{`for i in a b; do git push; done`, Deny},
		{`for i in $(git push); do :; done`, Deny},
		{`case x in x) git push;; esac`, Deny},
		{`case x in x) ls ;& y) git push;; esac`, Deny},
		{`f() { git push; }; f`, Deny},
		{`f() { git "$@"; }; f push`, Ask},
		{`f() { "$@"; }; f git push`, Ask},
		{`function f { git push; }`, Deny},
		{`coproc git push`, Deny},
		{`trap 'git push' EXIT`, Deny},
		{`[[ a && git push ]]`, Deny},
		{`. ./file`, Ask},
		{`source file`, Ask},
		{"alias g='git push'\ng", Ask},
		{`alias git=ls`, Ask},
		{`hash -p /usr/bin/git g; g push`, Ask},
		{`set -- git push; "$@"`, Ask},
		{`BASH_ENV=f bash -c ls`, Ask},
		{`PS4='$(git push)' sh -xc ls`, Ask},
		{`GIT_PAGER='git push' git log`, Ask},
		{`x='a[$(git push)]'; echo $((x))`, Ask},
		{`x='a[$(git push)]'; [[ $x -eq 1 ]]`, Ask},
		{`echo $((1+2))`, Allow},
		{`x='$(git push)'; echo "${x@P}"`, Ask},
		{`printf -v 'a[$(git push)]' x`, Ask},
		{`git submodule foreach 'git push'`, Deny},
		{`git submodule foreach --recursive git push`, Deny},
		{`git bisect run git push`, Deny},
		{`git rebase -x 'git push' main`, Deny},
		{`git rebase --exec='git push' main`, Deny},
		{`git rebase --exe='git push' main`, Deny},
		{`git rebase -ix 'git push' main`, Deny},
		{`git rebase -i main`, Allow},
		{`git config alias.p push`, Ask},
		{`git config --global --add alias.p '!git push'; git p`, Ask},
		{`git -c init.templateDir=x init`, Ask},
		{`git config user.name me`, Allow},
		{`git config --get alias.p`, Allow},
		{`flock file -c 'git push'`, Deny},
		{`exec -a git-push git`, Ask},
		{`env --argv0=git-push git`, Ask},
		{`valgrind git push`, Ask},
		{`valgrind ls`, Ask},
		{`npx git push`, Ask},
		{`npm exec -- /usr/bin/git push`, Ask},
		{`npx git $X`, Ask},
		{`npx prettier x`, Allow},
		{`git.exe push`, Deny},
		{`npm run x`, Allow},
		{`echo git push`, Allow},
		{`echo "git push"`, Allow},
		{`grep -r 'git push' .`, Allow},
		{`git log --grep=push`, Allow},
		{`git commit -m 'git push'`, Allow},
		{`git stash push`, Allow},
		{`'git push`, Ask},
		{`git push )`, Ask},
		{"git push\r", Ask},
		{"git\x01push", Ask},
		{"\xff", Ask},
	} {
		if got := r.Judge(shellCall(test.line, "/project")); got.Decision != test.want {
			t.Errorf("%q: %s, want %s (%s: %s)", test.line, got.Decision, test.want, got.By, got.Reason)
		}
	}
}

// TestOnlyTheUsualRunnersAreLookedThrough: what needs no rule of its own is a program that
// does nothing but run the command that a rule allows.
func TestOnlyTheUsualRunnersAreLookedThrough(t *testing.T) {
	r := rulesOf(t, nil, nil, []string{"shell(git status*)", "shell(sh)"})
	for line, want := range map[string]Decision{
		"env git status":                           Allow,
		"/usr/bin/env git status":                  Allow,
		"nohup sh -c 'git status'":                 Allow,
		"./env git status":                         Undecided,
		"bin/sh -c 'git status'":                   Undecided,
		"/tmp/xargs git status":                    Undecided,
		"ENV git status":                           Undecided,
		"env -C /elsewhere git status":             Undecided,
		"exec -a sh git status":                    Undecided,
		"/usr/bin/time -f x -o f git status":       Undecided,
		"/usr/bin/time --output=f git status":      Undecided,
		"xargs --process-slot-var=PATH git status": Undecided,
		"timeout 5 nice -n 3 git status":           Allow,
		"nice -n \"$x\" git status":                Allow,
		"x='3 rm a'; nice -n $x git status":        Undecided,
		"x='a rm a'; env -u $x git status":         Undecided,
		"x='5 rm a'; timeout $x 5 git status":      Undecided,
		"xargs -n $(cat a) git status":             Undecided,
		"f() { nice -n \"$@\" git status; }":       Undecided,
		"nice -n \"${a[@]}\" git status":           Undecided,
		"nice -n \"${x:-1}\" git status":           Allow,
		"nice -n * git status":                     Undecided,
		"sh":                                       Allow,
		"sh <<E\nrm x\nE":                          Undecided,
		"sh <<E\ngit status\nE":                    Allow,
	} {
		if got := r.Judge(shellCall(line, "/project")); got.Decision != want {
			t.Errorf("%q: %s, want %s", line, got.Decision, want)
		}
	}
}
