package permissions

import "testing"

// BenchmarkJudgeCommand measures what a rule about commands costs for one call.
func BenchmarkJudgeCommand(b *testing.B) {
	r, err := NewRules(Settings{Deny: written("shell(git push*)", "shell(rm *)", "write(secrets/**)"),
		Allow: written("shell(go *)", "shell(git *)", "shell(cd *)"), Root: "/project", Dir: "/project",
		UserHome: "/home/me"})
	if err != nil {
		b.Fatal(err)
	}
	for name, line := range map[string]string{
		"one command":   "go test ./...",
		"five commands": `cd sub && go vet ./... && go test -run 'Test.*' ./... 2>&1 | tail -20 > out.txt; git status`,
		"a script":      `sh -c 'for f in *.go; do gofmt -l "$f" | grep -q . && echo "$f"; done'`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Judge(shellCall(line, "/project"))
			}
		})
	}
}
