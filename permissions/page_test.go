package permissions

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/tools"
)

const (
	pagePath     = "../docs/PERMISSIONS.md"
	examplesPath = "testdata/examples.md"
)

// readPage returns the page and, behind it, the examples that it has no room for.
func readPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile(examplesPath)
	if err != nil {
		t.Fatal(err)
	}
	return string(page) + "\n" + string(examples)
}

// tablesOf returns the rows of all tables with a heading of columns, and where each is.
func tablesOf(t *testing.T, page, columns string) (rows [][]string) {
	t.Helper()
	for {
		_, rest, found := strings.Cut(page, columns+"\n")
		if !found {
			break
		}
		rows = append(rows, rowsBelow(t, page, columns)...)
		page = rest
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no table %s", pagePath, columns)
	}
	for _, row := range rows {
		for i := range row {
			row[i] = strings.ReplaceAll(strings.ReplaceAll(row[i], `\|`, "|"), "¶", "\n")
		}
	}
	return rows
}

// codes returns the texts in backticks.
func codes(text string) (list []string) {
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// callOf makes a call of what a page writes as TOOL ARGUMENT, in /project.
func callOf(text string) Call {
	name, argument, _ := strings.Cut(strings.Trim(text, "`"), " ")
	spec := tools.Spec{Name: name, Category: knownCategory(name), Subject: "it"}
	switch {
	case name == "bash":
		spec.Category = tools.CategoryShell
	case name == "web_get", name == "summarize_content" && strings.Contains(argument, "://"):
		spec.Category = tools.CategoryFetch
	case name == "summarize_content":
		spec.Category = tools.CategoryRead
	case name == "spawn_agent":
		spec.Category = tools.CategoryAgent
	case strings.HasPrefix(name, "mcp__"):
		server, tool, _ := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__")
		spec.Category, spec.Remote = tools.CategoryMCP, &tools.Remote{Server: server, Tool: tool, ReadOnly: server == "docs"}
		switch tool {
		case "run":
			spec.Category = tools.CategoryShell
		case "cat":
			spec.Category = tools.CategoryRead
		}
	}
	return Call{Tool: spec, Access: AccessOf(spec, fmt.Appendf(nil, `{"it": %q}`, argument), "/project")}
}

// verdict is how the page calls a judgement.
func verdict(j Judgement) string {
	switch {
	case j.Decision == Deny:
		return "denied"
	case j.Protected:
		return "protected"
	case j.Decision == Ask:
		return "asks you"
	case j.Decision == Allow:
		return "allowed"
	}
	return "undecided"
}

// rulesIn makes the rules of a cell, such as `deny shell`, `allow read(a)`.
func rulesIn(t *testing.T, cell string) *Rules {
	t.Helper()
	lists := map[string][]string{}
	for _, rule := range codes(cell) {
		list, text, _ := strings.Cut(rule, " ")
		lists[list] = append(lists[list], text)
	}
	if len(lists["deny"])+len(lists["ask"])+len(lists["allow"]) != len(codes(cell)) {
		t.Fatalf("%s: not all are rules", cell)
	}
	return rulesOf(t, lists["deny"], lists["ask"], lists["allow"])
}

func TestTheExamplesOfRulesHold(t *testing.T) {
	page, count := readPage(t), 0
	for columns, tool := range map[string]string{
		"| rules | call | verdict | because |":    "",
		"| rules | command | verdict | because |": "shell_exec ",
	} {
		for _, row := range tablesOf(t, page, columns) {
			for _, call := range codes(row[1]) {
				count++
				if got := rulesIn(t, row[0]).Judge(callOf(tool + call)); verdict(got) != row[2] {
					t.Errorf("%s | %s | %s: %+v", row[0], call, row[2], got)
				}
			}
		}
	}
	if count < 200 {
		t.Errorf("only %d examples were read", count)
	}
}

func TestTheExamplesOfDeniedCommandsHold(t *testing.T) {
	page, count := readPage(t), 0
	check := func(rule, line, want string) {
		count++
		got := rulesOf(t, []string{rule}, nil, []string{"shell"}).Judge(shellCall(line, "/project"))
		if verdict(got) != want {
			t.Errorf("%s | %s: %+v", line, want, got)
		}
	}
	for _, row := range tablesOf(t, page, "| the line | examples | verdict |") {
		for _, line := range codes(row[1]) {
			check("shell(git push*)", line, row[2])
		}
	}
	_, examples, _ := strings.Cut(page, "\n# Examples of rules\n")
	for _, rule := range []string{"shell(git push*)", "shell(npm publish*)"} {
		_, part, _ := strings.Cut(examples, "With `deny "+rule+"`")
		for _, row := range rowsBelow(t, part, "| line | verdict | because |") {
			check(rule, strings.NewReplacer(`\|`, "|", "¶", "\n").Replace(strings.Trim(row[0], "`")), row[1])
		}
	}
	if count < 80 {
		t.Errorf("only %d examples were read", count)
	}
}

// TestThePatternOfThePageAboutHooksFindsPushes: a guard that greps with it is not passed by what
// passes "^git push".
func TestThePatternOfThePageAboutHooksFindsPushes(t *testing.T) {
	page, err := os.ReadFile("../docs/HOOKS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, script, found := strings.Cut(string(page), "```sh\nword=")
	script, _, ended := strings.Cut(script, "```")
	if !found || !ended {
		t.Fatal("HOOKS.md has no pattern")
	}
	finds := func(pattern, line string) bool {
		commands, ok := Commands(line)
		if !ok {
			t.Fatalf("%s: it cannot be parsed", line)
		}
		grep := exec.Command("sh", "-c", "word="+script+pattern+"\ngrep -Eq \"$pattern\"")
		for i, command := range commands {
			commands[i] = strings.ReplaceAll(command, "\n", " ") + "\n"
		}
		grep.Stdin = strings.NewReader(strings.Join(commands, ""))
		return grep.Run() == nil
	}
	for _, line := range []string{"git push", "A=b git push", "A= git push origin", "A='b c' B=\"it's\" git push",
		"A+=b git push", "/usr/bin/git push", "'/my bin/git' push", "~/bin/git push", "git -C x push",
		"git -c 'user.name=me and you' push", "git --no-pager --git-dir x push", "ls; A=b sh -c 'B=c git push'",
		"echo x | xargs git push", "env A=b git push", "A='b\nc' git push", "sh <<E\nA=b git push\nE"} {
		if !finds("", line) {
			t.Errorf("%s is not found", line)
		}
	}
	for _, line := range []string{"git status", "git stash push", "git commit -m 'git push'", "echo git push",
		"legit push", "git pushx", "A='git push' make"} {
		if finds("", line) {
			t.Errorf("%s is found", line)
		}
	}
	if finds("pattern='^git push'", "A=b git push") || !finds("pattern='^git push'", "git push") {
		t.Error("the page says that ^git push is passed by A=b git push")
	}
}

func TestTheExamplesOfDefaultsHold(t *testing.T) {
	for _, row := range tablesOf(t, readPage(t), "| category | call | default |") {
		call := callOf(row[1])
		if got := rulesOf(t, nil, nil, nil).Default(call); string(got.Decision) != row[2] {
			t.Errorf("%s: %+v", strings.Join(row, " | "), got)
		}
		if category := strings.Trim(row[0], "`"); string(call.Tool.Category) != strings.TrimPrefix(category, "none") {
			t.Errorf("%s has the category %s", row[1], call.Tool.Category)
		}
	}
}

func TestTheExamplesOfDefaultsOfServersHold(t *testing.T) {
	for _, row := range tablesOf(t, readPage(t), "| tool | its category | call | default |") {
		if got := rulesOf(t, nil, nil, nil).Default(callOf(row[2])); string(got.Decision) != row[3] {
			t.Errorf("%s: %+v", strings.Join(row, " | "), got)
		}
	}
}

func TestTheExamplesOfAlwaysHold(t *testing.T) {
	for _, row := range tablesOf(t, readPage(t), "| call | rule |") {
		got := rulesOf(t, nil, nil, nil).RuleFor(callOf(row[0]))
		if want := strings.TrimPrefix(strings.Trim(row[1], "`"), "none"); got != want {
			t.Errorf("%s: %q, want %q", row[0], got, want)
		}
	}
}

func TestTheCategoriesOfThePage(t *testing.T) {
	for _, row := range tablesOf(t, readPage(t), "| category | chibi's tools | SPECIFIER |") {
		category := tools.Category(strings.Trim(row[0], "`"))
		for _, name := range codes(row[1]) {
			if got := callOf(name).Tool.Category; got != category {
				t.Errorf("%s is of the category %q", name, got)
			}
		}
	}
}

func TestTheCommandsThatRunOthersAreLookedThrough(t *testing.T) {
	rows := tablesOf(t, readPage(t), "| they | commands |")
	deny := rulesOf(t, []string{"shell(git push*)"}, nil, []string{"shell"})
	allow := rulesOf(t, nil, nil, []string{"shell(git *)"})
	for i, row := range rows {
		for _, name := range codes(row[1]) {
			command := name + " git push"
			switch name {
			case "timeout", "chroot", "chrt", "taskset", "faketime", "flock":
				command = name + " 1 git push"
			case "-c":
				command = "sh -c 'git push'"
			}
			want := []Decision{Deny, Deny, Ask}[i%3]
			if got := deny.Judge(shellCall(command, "/project")); got.Decision != want {
				t.Errorf("%s: %+v, want %s", command, got, want)
			}
			want = []Decision{Allow, Undecided, Undecided}[i%3]
			if got := allow.Judge(shellCall(command, "/project")); got.Decision != want {
				t.Errorf("%s: %+v, want %s", command, got, want)
			}
		}
	}
}

func TestTheHarmlessVariablesOfThePage(t *testing.T) {
	page := strings.Join(strings.Fields(readPage(t)), " ") // a line that is wrapped is one line
	_, line, _ := strings.Cut(page, "A permission looks behind these only, and `LC_*`: ")
	line, _, _ = strings.Cut(line, ". ")
	names := codes(line)
	for _, name := range names {
		if !isHarmless(name, false) {
			t.Errorf("%s is not harmless", name)
		}
	}
	if len(names) != 22 {
		t.Errorf("the page has %d names, the function 22", len(names))
	}
}

// TestTheProtectedFilesOfThePage writes the table anew with CHIBI_DRAW=1.
func TestTheProtectedFilesOfThePage(t *testing.T) {
	data, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	const columns, end = "| because | protected |\n| --- | --- |\n", "<!-- /generated -->"
	before, rest, found := strings.Cut(page, columns)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no table %s", pagePath, columns)
	}
	var table strings.Builder
	for _, group := range protectedGroups() {
		fmt.Fprintf(&table, "| %s | `%s` |\n", group.why, strings.Join(group.names, "` `"))
	}
	fresh := before + columns + table.String() + end + after
	if fresh == page {
		return
	}
	if os.Getenv("CHIBI_DRAW") == "" {
		t.Fatal("the list of protected files is old; write it anew with CHIBI_DRAW=1 go test ./permissions")
	}
	if err := os.WriteFile(pagePath, []byte(fresh), 0o644); err != nil {
		t.Fatal(err)
	}
}
