package permissions

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTargetsOfRedirections(t *testing.T) {
	r := rulesOf(t, []string{"write(/denied)", "read(/secret)"}, nil, []string{"shell"})
	for line, want := range map[string]string{
		"echo > a":                              "allowed",
		"echo > denied/a":                       "denied",
		"echo >> denied/a":                      "denied",
		"echo >| denied/a":                      "denied",
		"echo 3<> denied/a":                     "denied",
		"echo &> denied/a":                      "denied",
		"echo >& denied/a":                      "denied",
		"echo > 'den'ied/a":                     "denied",
		"echo > ./x/../denied/a":                "denied",
		"echo > /project/denied/a":              "denied",
		"{ echo; } > denied/a":                  "denied",
		"while read x; do :; done > denied/a":   "denied",
		"sh -c 'echo > denied/a'":               "denied",
		"echo $(echo > denied/a)":               "denied",
		"cd denied && echo > a":                 "denied",
		"cd x && cd ../denied; echo > a":        "denied",
		"cd denied; cd ..; echo > a":            "denied", // which of the directories it is is not followed
		"cd x; echo > a":                        "allowed",
		"cd $X; echo > a":                       "asks you",
		"cd; echo > a":                          "asks you",
		"pushd x; echo > a":                     "asks you",
		"CDPATH=/x cd a; echo > b":              "asks you",
		"cd $X; echo > /project/a":              "allowed",
		"echo > $X":                             "asks you",
		"echo > a$X":                            "asks you",
		"echo > *.txt":                          "asks you",
		"echo > ~other/a":                       "asks you",
		"HOME=/x; echo > ~/a":                   "asks you",
		"echo > /proc/self/cwd/denied/a":        "asks you",
		"echo > /proc/self/fd/1":                "asks you",
		"echo > /dev/null 2>&1 >&2 2>/dev/fd/2": "allowed",
		"echo >&-":                              "allowed",
		"echo > ~/.bashrc":                      "protected",
		"echo > .git/config":                    "protected",
		"cd .git && echo > config":              "protected",
		"echo > /home/me/.chibi/config.toml":    "protected",
		"echo > /dev/sda":                       "protected",
		"cat < secret/a":                        "denied",
		"cat < ~/.chibi/config.toml":            "denied",
		"cat < $X":                              "allowed",
		"cat < a":                               "allowed",
	} {
		if got := r.Judge(shellCall(line, "/project")); verdict(got) != want {
			t.Errorf("%s: %+v, want %s", line, got, want)
		}
	}
}

func TestATargetIsJudgedAsNamedAndAsResolved(t *testing.T) {
	root := t.TempDir()
	for name, target := range map[string]string{"link": ".git", "new": ".bashrc", "up": ".."} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := NewRules(Settings{Root: root, Dir: root, Allow: written("shell"), Deny: written("write(/src)")})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"echo > link/config": "protected",
		"echo > new":         "protected",
		"echo > other":       "allowed",
		"echo > up/" + filepath.Base(root) + "/src/a": "denied",
	} {
		if got := r.Judge(shellCall(line, root)); verdict(got) != want {
			t.Errorf("%s: %+v, want %s", line, got, want)
		}
	}
}

// TestADirectoryIsBothThatOfItsNameAndThatOfItsLink where cd may do either.
func TestADirectoryIsBothThatOfItsNameAndThatOfItsLink(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("a", "b"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	r, err := NewRules(Settings{Root: root, Dir: root, Allow: written("shell"), Deny: written("write(/a/x)", "write(/y)")})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"cd -P link/..; echo > x":               "denied",
		"cd -P link/.. && echo > y":             "denied",
		"set -P; cd link/..; echo > x":          "denied",
		"set -eP; cd link; cd ..; echo > x":     "denied",
		"set -o physical; cd link/..; echo > x": "denied",
		"bash -Pc 'cd link/..; echo > x'":       "denied",
		"sh -c 'cd -P link/..; echo > x'":       "denied",
		"cd link/..; echo > x":                  "allowed",
		"cd -L link/..; echo > y":               "denied",
		"cd -P link; echo > x":                  "allowed",
	} {
		if got := r.Judge(shellCall(line, root)); verdict(got) != want {
			t.Errorf("%s: %+v, want %s", line, got, want)
		}
	}
}
