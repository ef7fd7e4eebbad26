// Command smallest is the floor of a program's start: it links what chibi must link to talk
// to a server and to write a page, and does nothing.
package main

import (
	"html/template"
	"net/http"
	"os"
)

func main() {
	if len(os.Args) > 100 { // never: what follows is to be linked, not run
		http.ListenAndServe(os.Args[1], nil)
		template.Must(template.New("").Parse(os.Args[1])).Execute(os.Stdout, nil)
	}
}
