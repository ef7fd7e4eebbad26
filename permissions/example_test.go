package permissions_test

import (
	"fmt"

	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

func ExampleNewRules() {
	rules, err := permissions.NewRules(permissions.Settings{
		Deny:  []permissions.Written{{Text: "shell(git push*)", Where: "config.toml:2"}},
		Allow: []permissions.Written{{Text: "shell(git *)", Where: "config.toml:3"}},
		Root:  "/project",
		Dir:   "/project",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	shell := tools.Spec{Name: "shell_exec", Category: tools.CategoryShell, Subject: "command"}
	for _, command := range []string{"git status", "git -C x push", "git $X", "make"} {
		call := permissions.Call{Tool: shell, Access: tools.Access{Command: command, Dir: "/project"}}
		judged := rules.Judge(call)
		if judged.Decision == permissions.Undecided {
			judged = rules.Default(call)
		}
		fmt.Printf("%s: %s by %s\n", command, judged.Decision, judged.By)
	}
	// Output:
	// git status: allow by the rule "shell(git *)" of config.toml:3
	// git -C x push: deny by the rule "shell(git push*)" of config.toml:2
	// git $X: ask by the rule "shell(git push*)" of config.toml:2
	// make: ask by the default for shell
}

func ExampleCommands() {
	fmt.Println(permissions.Commands(`cd sub && sh -c "make 'all' | tee log"`))
	fmt.Println(permissions.Commands(`echo 'not closed`))
	// Output:
	// [cd sub sh -c 'make '\''all'\'' | tee log' make all tee log] true
	// [] false
}
