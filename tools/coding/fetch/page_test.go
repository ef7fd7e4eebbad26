package fetch

import (
	"strings"
	"testing"
	"unicode"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/permissions/urls"
	tokens "golang.org/x/net/html"
)

func testBase(t *testing.T) urls.URL {
	t.Helper()
	base, err := urls.Parse("https://example.com/docs/a?b")
	if err != nil {
		t.Fatal(err)
	}
	return base
}

func TestPagesBecomeText(t *testing.T) {
	for source, want := range map[string]string{
		"":        "",
		"a  b\nc": "a b c",
		"<p>One<p>Two <b>bold</b>, <i>x</i>y.</p>three":       "One\n\nTwo bold, xy.\n\nthree",
		"<h1>A &amp; B</h1><h3>C</h3>text":                    "# A & B\n\n### C\n\ntext",
		"<h2></h2>text":                                       "text",
		"a<br>b<br/>c<hr>d":                                   "a\nb\nc\n\n---\n\nd",
		"<div>a</div><div> b <span>c</span></div>":            "a\nb c",
		"&lt;b&gt; &copy;&nbsp;2026 &#x41;&zzz; &":            "<b> © 2026 A&zzz; &",
		"<ul><li>a<li>b<ul><li>c</ul><li><p>d</ul>e":          "- a\n- b\n  - c\n- d\n\ne",
		"<ol><li>a<li>b</ol><ol><li>c</ol>":                   "1. a\n2. b\n\n1. c",
		"<ul><li></li><li>b</li></ul>":                        "- b",
		"<table><tr><th>A<th>B<tr><td>1</td><td>2</td></tr>":  "A | B\n1 | 2",
		"<pre>\n a\n  b\n\n</pre>after":                       "```\n a\n  b\n```\n\nafter",
		"<pre><code>x\r\ny</code></pre>":                      "```\nx\ny\n```",
		"<pre></pre>a":                                        "a",
		"run <code>go  test</code>, <code></code>not <kbd> x": "run `go test`, not `x",
		"<a href=b>B</a> <a href='/c?d=1&amp;e'>C <b>D</b></a>.": "[B](https://example.com/docs/b) " +
			"[C D](https://example.com/c?d=1&e).",
		"<a href=#x>here</a> <a href=javascript:alert(1)>js</a> <a>x</a> <a href=b></a>": "here js x",
		"<a href=b>x<a " +
			"href=c>y</a>": "[x](https://example.com/docs/b)[y](https://example.com/docs/c)",
		"<a href=b>end": "[end](https://example.com/docs/b)",
		"<base href=https://other.example/x/><a href=y>z</a>":      "[z](https://other.example/x/y)",
		"<img src=a alt='A &lt;dog'><img src=b>":                   "[image: A <dog]",
		"a<script>if (a<b) { x('</p>') }</script>b":                "ab",
		"a<script><!--<script></script>--></script>b":              "ab",
		"a<style>p{}</style>b<template><p>x</p></template>c":       "abc",
		"a<!-- <p>hidden -->b<!doctype x>c<?php x ?>d":             "abcd",
		"a<svg><title>t</title><text>x</text></svg>b":              "ab",
		"a<svg/>b<svg><path/><p>not drawn":                         "ab\n\nnot drawn",
		"a<select><option>x<option>y</select>b":                    "ab",
		"a<noscript><p>no &amp; script</p></noscript>b":            "a\n\nno & script\n\nb",
		"a<iframe><p>x</iframe>b<textarea><p>t</textarea>":         "ab<p>t",
		"a\x1b[31mred\x07\u009b2J\u202egnp\u200b.\U000e0041&#27;b": "a[31mred2Jgnp.b",
		"</p></ul></a></pre>a<":                                    "a<",
		"<li>a":                                                    "- a",
	} {
		if got := readPage(source, testBase(t)).text(); got != want {
			t.Errorf("%q:\n got %q\nwant %q", source, got, want)
		}
	}
}

func TestATitleIsNotInTheText(t *testing.T) {
	p := readPage("<title>\n A &amp;\x1b B </title><body>text<title>later</title>", testBase(t))
	if p.title != "A & B" || p.text() != "text" {
		t.Errorf("%q %q", p.title, p.text())
	}
}

func TestAPageIsBounded(t *testing.T) {
	long := "https://example.com/" + strings.Repeat("x", 8000)
	for name, source := range map[string]string{
		"many links with a long target": "<base href=" + long + "/>" + strings.Repeat("<a href=y>z</a>", 20_000),
		"deep lists":                    strings.Repeat("<ul><li>x", 20_000),
		"deep elements":                 strings.Repeat("<div><b><p>", 20_000) + "x",
		"deep templates":                strings.Repeat("<template>", 20_000) + "x",
		"many attributes":               "<a " + strings.Repeat("x=y ", 60_000) + "href=z>z</a>",
	} {
		p := readPage(source, testBase(t))
		if most := 2*len(source) + 128<<10; len(p.text()) > most {
			t.Errorf("%s: %d bytes become %d", name, len(source), len(p.text()))
		}
	}
	if p := readPage("<base href="+long+"/>"+strings.Repeat("<a href=y>z</a>", 1000), testBase(t)); !p.isCut {
		t.Error("a page that is far longer as text was not cut")
	}
}

func FuzzPage(f *testing.F) {
	f.Add("<p>a<a href='b'>c</a><pre>\n d</pre><ul><li>e<table><tr><td>f<td>g<script>h</script><svg><p>i&#27;")
	f.Add("<title>a</title><noscript><code>b</code></noscript><base href=//x><img alt=\"y\"><a =href=z HREF=w>v")
	base, err := urls.Parse("https://example.com/docs/a?b")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, source string) {
		fuzztest.Memory(t)
		p := readPage(source, base)
		if most := 2*len(source) + 128<<10; len(p.text()) > most {
			t.Fatalf("%d bytes become %d", len(source), len(p.text()))
		}
		for _, r := range p.text() + p.title {
			if r != '\n' && r != '\t' && r != '\u200c' && r != '\u200d' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				t.Fatalf("%q: %q has the character %q", source, p.text(), r)
			}
		}
		checkAttributes(t, source)
	})
}

// checkAttributes compares how attributes are read with how the tokenizer reads them.
func checkAttributes(t *testing.T, source string) {
	t.Helper()
	for z := tokens.NewTokenizer(strings.NewReader(source)); ; {
		kind := z.Next()
		if kind == tokens.ErrorToken {
			return
		}
		raw := string(z.Raw())
		if kind != tokens.StartTagToken && kind != tokens.SelfClosingTagToken || strings.Contains(raw, "\r") ||
			strings.Contains(raw, "\x00") || strings.Contains(raw, "&") {
			continue // those that differ on purpose: the tokenizer replaces them
		}
		want := ""
		for _, a := range z.Token().Attr {
			if a.Key == "href" {
				want = a.Val
				break
			}
		}
		if got := attribute(raw, "href"); got != want {
			t.Fatalf("%q: href is %q, want %q", raw, got, want)
		}
	}
}
