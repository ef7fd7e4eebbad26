//go:build linux

package campaign

import (
	"fmt"
	"os"
	"strings"
)

// misbehavior is what a hostile plugin does when it is asked.
type misbehavior struct{ name, python string }

// asked are the ways in which a hostile plugin is asked.
func asked() []string { return []string{"as its schema", "as a hook", "as a tool"} }

// hostilePlugin is one misbehavior in one way of being asked.
type hostilePlugin struct {
	misbehavior
	when string
}

func hostilePlugins() (list []hostilePlugin) {
	for _, m := range misbehaviors() {
		for _, when := range asked() {
			list = append(list, hostilePlugin{m, when})
		}
	}
	return list
}

func misbehaviors() []misbehavior {
	return []misbehavior{
		{"says nothing", `pass`},
		{"fails with 1", `sys.exit(1)`},
		{"fails with 255 and half an answer", `say('{"block": tr'); sys.exit(255)`},
		{"kills itself", `os.kill(os.getpid(), 9)`},
		{"crashes", `os.kill(os.getpid(), signal.SIGSEGV)`},
		{"hangs", `time.sleep(1000)`},
		{"hangs and ignores signals", `[signal.signal(s, signal.SIG_IGN) for s in (1, 2, 3, 15, 20)]; time.sleep(1000)`},
		{"floods standard output", `forever(1, b"x" * 65536)`},
		{"floods standard error", `forever(2, b"x" * 65536)`},
		{"floods standard error with lines", `forever(2, b"line\n" * 9999)`},
		{"floods both by turns", "while True: os.write(1, b'x' * 999); os.write(2, b'y' * 999)"},
		{"writes 300 MB to standard error and is content", "for _ in range(300): os.write(2, b'x' * 1000000)\nsay('{}')"},
		{"writes 7 MB of a string", `say(json.dumps({"message": "x" * 7000000}))`},
		{"writes 20 MB of a string", `say(json.dumps({"message": "x" * 20000000}))`},
		{"closes standard input and hangs", `os.close(0); time.sleep(1000)`},
		{"closes standard output and hangs", `os.close(1); time.sleep(1000)`},
		{"closes everything and hangs", `os.closerange(0, 99); time.sleep(1000)`},
		{"leaves a child that holds its pipes", `child(); say('{}')`},
		{"leaves children that ignore signals", "for _ in range(20): child(ignore=True)\nsay('{}')"},
		{"enters its parent's process group and hangs", `os.setpgid(0, os.getpgid(os.getppid())); time.sleep(1000)`},
		{"enters its parent's group, ignores signals, hangs",
			`signal.signal(15, signal.SIG_IGN); os.setpgid(0, os.getpgid(os.getppid())); time.sleep(1000)`},
		{"leaves a daemon that holds its pipes", `daemon(3); say('{}')`},
		{"makes a group of its own for a child and hangs", `child(); time.sleep(1000)`},
		{"forks 100 times", "for _ in range(100): child()\ntime.sleep(1000)"},
		{"stops itself", `os.kill(os.getpid(), signal.SIGSTOP)`},
		{"stops its group", `child(); os.killpg(0, signal.SIGSTOP)`},
		{"drips into standard output", "while True: os.write(1, b' '); time.sleep(0.05)"},
		{"drips into standard error", "while True: os.write(2, b'.'); time.sleep(0.05)"},
		{"answers 5 million open brackets", `say('[' * 5000000)`},
		{"answers an object 100,000 deep", `say('{"a":' * 100000 + '1' + '}' * 100000)`},
		{"answers with a list", `say('[]')`},
		{"answers with wrong types", `say('{"block": "yes", "message": 7, "arguments": [1], "output": {}}')`},
		{"answers with unknown members", `say('{"blok": false, "Block": false, "decision": "perhaps", "\\u0062lock": 0}')`},
		{"answers with 50,000 members", `say(json.dumps({"arguments": {"k%d" % i: i for i in range(50000)}}))`},
		{"answers twice", `say('{"block": false}{"block": true}')`},
		{"answers in bytes that are no text", `os.write(1, bytes(range(256)) * 400)`},
		{"answers with control sequences", `say('{"message": "\\u001b]52;c;aGk=\\u0007"}'); os.write(2, ` +
			`b"\x1b]52;c;aGk=\x07\x1b[2J")`},
		{"answers with a schema that names itself", `say('{"name": "hostile", "parameters": {"$Ref": "#", "$ref": "#"}}')`},
		{"answers with a schema of 2^40 steps",
			`say(json.dumps({"name": "hostile", "parameters": {"$defs": {"d%d" % i: {"allOf": [{"$ref": "#/$defs/d%d" % (i + ` +
				`1)}] * 2} for i in range(40)} | {"d40": {}}, "$ref": "#/$defs/d0"}}))`},
		{"answers with 100,000 tools", `say(json.dumps([{"name": "t%d" % i} for i in range(100000)]))`},
	}
}

// script is a plugin that misbehaves when it is asked in one way, and works otherwise.
func (p hostilePlugin) script() string {
	return `#!/usr/bin/env python3
import json, os, signal, sys, time

def say(text): sys.stdout.write(text); sys.stdout.flush()

def forever(fd, data):
    while True: os.write(fd, data)

def child(ignore=False):
    if os.fork() == 0:
        if ignore: [signal.signal(s, signal.SIG_IGN) for s in (1, 2, 15)]
        time.sleep(1000)

def daemon(seconds):
    if os.fork() == 0:
        os.setsid()
        time.sleep(seconds)
        os._exit(0)

def misbehave():
    ` + strings.ReplaceAll(p.python, "\n", "\n    ") + `

when = "as its schema" if sys.argv[1:] == ["--schema"] else "as a hook" if "CHIBI_HOOK" in os.environ else "as a tool"
if when == "` + p.when + `": misbehave()
elif when == "as its schema": say('{"name": "hostile", "hooks": ["pre_tool"]}')
`
}

const guard = `#!/bin/sh
[ "$1" = --schema ] && { echo '{"name": "guard", "tool": false, "hooks": ["pre_tool"], "on_failure": "block"}'; exit; }
if grep -q 'rm -rf'; then echo '{"block": true, "message": "no"}'; else echo '{}'; fi
`

const danger = `#!/bin/sh
[ "$1" = --schema ] && { echo '{"name": "danger"}'; exit; }
echo harm >> "$CHIBI_HOME/harm"
`

// attackByPlugin runs a prompt with a hostile plugin and a guard.
func attackByPlugin(a *attempt) {
	list := hostilePlugins()
	p := list[a.number%len(list)]
	h := a.home("home")
	h.write("config.toml", "[plugins]\nprobe_timeout_ms = 2000\nhook_timeout_ms = 2000\ntool_timeout_ms = 2000\n")
	// Before the guard and after it.
	h.plugin([]string{"10-hostile", "90-hostile"}[a.rand.IntN(2)], p.script())
	h.plugin("50-guard", guard)
	h.plugin("danger", danger)
	a.Tried++
	name := fmt.Sprintf("a plugin, asked %s, %s", p.when, p.name)
	o := h.runFor(2*soon, nil, "-C", "work", "@tool danger {\"command\": \"rm -rf /\"}\n@tool hostile {\"a\": 1}\n@tool "+
		"danger {\"command\": \"rm -rf /\", \"more\": 1}")
	switch {
	case o.hung:
		a.found(hung, "%s", name)
	case crashed(o):
		a.found(broken, "%s: exit status %d: %s", name, o.code, o.errs)
	}
	if _, err := os.Stat(h.at("harm")); err == nil {
		a.found(passed, "%s: the dangerous call ran", name)
	}
	h.nothingLeft(soon)
	if o := h.runFor(2*soon, nil, "--no-plugins", "-C", "work", "still there?"); o.code != 0 {
		a.found(broken, "%s: afterwards: exit status %d: %s", name, o.code, o.errs)
	}
}

// crashed reports whether a run ended by a signal, by a panic, or with an exit status that
// chibi does not use.
func crashed(o outcome) bool {
	return o.code < 0 || o.code == 2 || o.code > 9 && o.code != 130 || strings.Contains(o.errs, "\ngoroutine ")
}
