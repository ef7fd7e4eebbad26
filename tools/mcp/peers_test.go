package mcp_test

import (
	"fmt"
	"os"
	"strings"
)

// peers are servers that are written out by hand, by what they do wrong.
func peers() map[string]func(*peer) {
	return map[string]func(*peer){
		"asks": asksByHand,
		"hangs": func(p *peer) { // at initialize
			fmt.Fprintln(os.Stderr, "waiting for the database")
			p.waitForever()
		},
		"refuses to start": func(*peer) {
			fmt.Fprintln(os.Stderr, "no \x1b[2Jkey in the environment")
			os.Exit(2)
		},
		"dies": func(p *peer) { // in the midst of each call
			p.serve(func(request) {
				fmt.Fprintln(os.Stderr, "out of luck")
				os.Exit(3)
			})
		},
		"greets": func(p *peer) { // before it speaks JSON
			fmt.Println("Welcome to the server!\n\n[INFO] listening\n{\"level\":\"info\"}")
			p.serve(func(r request) { p.answer(r, text("well")) })
		},
		"changes its tool": func(p *peer) { // when it is called, and says so
			n := 0
			p.serve(func(r request) {
				if r.Method == "tools/list" {
					p.answer(r, fmt.Sprintf(`{"tools":[{"name":"read","description":"Version %d."}]}`, n))
					return
				}
				n++
				write(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n")
				p.answer(r, text(fmt.Sprintf("call %d", n)))
			})
		},
		"says 15,000 times that it changes": func(p *peer) { // when it is called
			p.serve(func(r request) {
				write(strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n", 15_000))
				p.answer(r, text("called"))
			})
		},
		"says forever that it changes": func(p *peer) {
			p.serve(func(request) { flood(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n") })
		},
		"floods with text": func(p *peer) {
			p.serve(func(request) { flood("la\n") })
		},
		"floods with one line": func(p *peer) {
			p.serve(func(request) { flood("la") })
		},
		"floods with messages": func(p *peer) {
			p.serve(func(request) {
				flood(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}` + "\n")
			})
		},
		"floods with questions": func(p *peer) {
			p.serve(func(request) {
				for n := 0; ; n++ {
					write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", n))
				}
			})
		},
		"is slow": func(p *peer) { // but for the tool that tells what came
			came := ""
			p.serve(func(r request) {
				switch {
				case r.Method == "notifications/cancelled":
					came += "cancelled " + string(r.Params)
				case strings.Contains(string(r.Params), `"came"`):
					p.answer(r, text(came))
				default:
					came += "called "
				}
			})
		},
		"has 10,000 tools": func(p *peer) {
			p.lists(func(page int) string { return toolList(page*500, (page+1)*500, page == 19) })
		},
		"lists without an end": func(p *peer) {
			p.lists(func(page int) string { return toolList(page, page+1, false) })
		},
		"lists in a circle": func(p *peer) {
			p.lists(func(int) string {
				return `{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"again"}`
			})
		},
		"lists oddly": func(p *peer) {
			p.lists(func(int) string { return oddList() })
		},
		"has a schema that is too deep": func(p *peer) {
			p.lists(func(int) string {
				return `{"tools":[{"name":"a","inputSchema":` + strings.Repeat(`{"items":`, 100_000) + `{}` +
					strings.Repeat(`}`, 100_000) + `}]}`
			})
		},
		"answers": func(p *peer) { // with the result that it is asked for
			p.serve(func(r request) {
				for name, result := range results() {
					if strings.Contains(string(r.Params), fmt.Sprintf("%q", name)) {
						write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", r.ID, result()))
					}
				}
			})
		},
	}
}

// waitForever reads until nobody writes any more.
func (p *peer) waitForever() {
	for {
		p.next()
	}
}

// write writes to standard output; what is not read ends the program.
func write(s string) {
	if _, err := os.Stdout.WriteString(s); err != nil {
		os.Exit(0)
	}
}

// flood writes a text again and again.
func flood(s string) {
	for s = strings.Repeat(s, 1000); ; {
		write(s)
	}
}

// lists answers tools/list with the pages in turn, and each call with the tool's name.
func (p *peer) lists(page func(n int) string) {
	n := 0
	p.serve(func(r request) {
		if r.Method != "tools/list" {
			p.answer(r, text(string(r.Params)))
			return
		}
		p.answer(r, page(n))
		n++
	})
}

// toolList is a page of a list.
func toolList(from, to int, last bool) string {
	var list []string
	for n := from; n < to; n++ {
		list = append(list, fmt.Sprintf(`{"name":"tool-%d","inputSchema":{"type":"object"}}`, n))
	}
	next := fmt.Sprintf(`,"nextCursor":"page-%d"`, to)
	if last {
		next = ""
	}
	return `{"tools":[` + strings.Join(list, ",") + `]` + next + `}`
}

// longName is a name of 300 characters.
func longName() string { return strings.Repeat("n", 300) }

// oddList has a tool that is as it should be, first and last.
func oddList() string {
	return `{"tools":[{"name":"first","title":"A \u001b]0;title\u0007 title","description":"Reads.\u001b[2J\u202e` +
		`\udb40\udc41Hidden","inputSchema":{"b":1,"a":12345678901234567890}},` +
		`null,17,{},{"name":""},{"name":"first"},{"name":5},{"name":"no object","inputSchema":[]},` +
		`{"name":"` + strings.Repeat("x", 2000) + `"},{"name":"` + longName() + `","inputSchema":{"type":"object"}},` +
		`{"name":"deep","inputSchema":` + strings.Repeat(`{"items":`, 900) + `{}` + strings.Repeat(`}`, 900) + `},` +
		`{"name":"last"}]}`
}

// results are answers to calls, by the name of the tool.
func results() map[string]func() string {
	constant := func(s string) func() string { return func() string { return s } }
	content := func(s string) func() string { return constant(`"result":{"content":[` + s + `]}`) }
	return map[string]func() string{
		"huge": func() string {
			return `"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 100<<20) + `"}]}`
		},
		"large": func() string { // just within the bound
			return `"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 8<<20-200) + `"}]}`
		},
		"large picture": func() string {
			return `"result":{"content":[{"type":"image","mimeType":"image/png","data":"` +
				strings.Repeat("iVBORw0K", 1<<20-100) + `"}]}`
		},
		"fine":         content(`{"type":"text","text":"one"},{"type":"text","text":"two"}`),
		"structured":   constant(`"result":{"content":[],"structuredContent":{"b":12345678901234567890,"a":[1e3]}}`),
		"both":         constant(`"result":{"content":[{"type":"text","text":"said"}],"structuredContent":{"a":1}}`),
		"nothing":      constant(`"result":{}`),
		"null":         constant(`"result":null`),
		"no object":    constant(`"result":[1]`),
		"wrong type":   constant(`"result":{"content":"text"}`),
		"error":        constant(`"result":{"isError":true,"content":[{"type":"text","text":"no such file"}]}`),
		"silent error": constant(`"result":{"isError":true,"content":[]}`),
		"refused":      constant(`"error":{"code":-32602,"message":"Unknown tool\u001b]52;c;aGk=\u0007 refused"}`),
		"picture": content(`{"type":"image","mimeType":"image/png",` +
			`"data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAA"}`),
		"no picture": content(`{"type":"image","mimeType":"image/png","data":"bm90IGFuIGltYWdl"}`),
		"no base64":  content(`{"type":"image","mimeType":"image/png","data":"%%%"}`),
		"sound":      content(`{"type":"audio","mimeType":"audio/wav","data":"UklGRiQAAABXQVZF"}`),
		"file": content(`{"type":"resource","resource":{"uri":"file:///a.bin",` +
			`"mimeType":"application/zip","blob":"UEsDBA=="}}`),
		"text file": content(`{"type":"resource","resource":{"uri":"file:///a.txt",` +
			`"mimeType":"text/plain","text":"inside"}}`),
		"empty resource": content(`{"type":"resource"}`),
		"link": content(`{"type":"resource_link","uri":"file:///big.csv","name":"big","mimeType":"text/csv","size":2000000,` +
			`"description":"all of it"}`),
		"from the future": content(`{"type":"hologram","data":5},{"type":"text","text":"readable"}`),
		"no UTF-8":        content("{\"type\":\"text\",\"text\":\"a\xffb\"}"),
	}
}
