package urls_test

import (
	"fmt"

	"github.com/chibi-host/chibi/permissions/urls"
)

func ExampleParse() {
	u, err := urls.Parse("HTTP://0x7f.1:80/a/../b#c")
	fmt.Println(u, u.Class(), err)
	// Output: http://127.0.0.1/b loopback <nil>
}

func ExampleParsePattern() {
	pattern, err := urls.ParsePattern("https://*.example.com/*")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"https://docs.example.com/a", "https://other.example/docs.example.com/"} {
		u, err := urls.Parse(text)
		fmt.Println(u, pattern.Matches(u, urls.Public), err)
	}
	// Output:
	// https://docs.example.com/a true <nil>
	// https://other.example/docs.example.com/ false <nil>
}
