package mcp_test

import (
	"fmt"
	"os"
)

// peers are servers that are written out by hand.
func peers() map[string]func(*peer) {
	return map[string]func(*peer){
		"dies": func(p *peer) { // in the midst of each call
			p.serve(func(r request) {
				fmt.Fprintln(os.Stderr, "out of luck")
				os.Exit(3)
			})
		},
		"greets": func(p *peer) { // before it speaks JSON
			fmt.Println("Welcome to the server!\n\n[INFO] listening\n{\"level\":\"info\"}")
			p.serve(func(r request) { p.answer(r, text("well")) })
		},
	}
}
