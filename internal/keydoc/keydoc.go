// Package keydoc makes the tables of keys in docs/CONFIGURATION.md from package
// internal/config: names and defaults from its keys, meanings from the comments of
// the fields that they set. It promises that a test notices when a table is stale
// or a key has no comment. It writes nothing itself; see its command.
package keydoc

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/srcdoc"
)

// Page is the page with the tables, relative to the repository's root.
const Page = "docs/CONFIGURATION.md"

// Generate makes the page from the page as it is and the sources, both below root.
func Generate(root fs.FS) ([]byte, error) {
	data, err := fs.ReadFile(root, Page)
	if err != nil {
		return nil, err
	}
	comments, err := fieldComments(root)
	if err != nil {
		return nil, err
	}
	keys, err := keyTable(comments)
	if err != nil {
		return nil, err
	}
	page := string(data)
	for _, block := range [][2]string{{"keys", keys}, {"keys of a model", modelKeys()},
		{"keys of a shared context", sharedKeys()}} {
		var ok bool
		if page, ok = srcdoc.Fill(page, block[0], block[1]); !ok {
			return nil, fmt.Errorf("%s has no %s ... %s", Page, strings.TrimSpace(srcdoc.Block(block[0])), srcdoc.BlockEnd)
		}
	}
	return []byte(page), nil
}

func keyTable(comments map[string]string) (string, error) {
	var b strings.Builder
	b.WriteString("| key | default | meaning |\n| --- | --- | --- |\n")
	for _, k := range config.All() {
		comment := comments[k.Field]
		if comment == "" {
			return "", fmt.Errorf("%s: the field %s of package config has no comment", k.Name, k.Field)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Name, defaultText(k.Default), comment)
	}
	return b.String(), nil
}

func defaultText(text string) string {
	if text == "" || strings.ContainsAny(text, " '") || text == "none" || text == "all" ||
		strings.Trim(text, "0123456789") == "" {
		return text
	}
	return "`" + text + "`"
}

func modelKeys() string {
	var list []string
	for _, k := range config.All() {
		switch {
		case k.Model == k.Name:
			list = append(list, "`"+k.Model+"`")
		case k.Model != "":
			list = append(list, fmt.Sprintf("`%s` (elsewhere `%s`)", k.Model, k.Name))
		}
	}
	return strings.Join(list, ",\n") + ".\n"
}

func sharedKeys() string {
	var list []string
	for _, k := range config.All() {
		switch text := "`" + k.Name + "`"; k.Shared {
		case "":
		case "yes":
			list = append(list, text)
		case "adds":
			list = append(list, text+" (beside what the host has)")
		default:
			list = append(list, fmt.Sprintf("%s (only `%q`)", text, k.Shared))
		}
	}
	return strings.Join(list, ",\n") + ".\n"
}

func fieldComments(root fs.FS) (map[string]string, error) {
	fields, err := srcdoc.Fields(root, "internal/config/*.go")
	if err != nil {
		return nil, err
	}
	comments := map[string]string{}
	for _, f := range fields {
		comments[f.Type+"."+f.Name] = strings.TrimSuffix(f.Comment, ".")
	}
	return comments, nil
}
