// Package keydoc makes the tables of keys in docs/CONFIGURATION.md, one for each topic, from
// package internal/config: names and defaults from its keys, meanings from the comments of
// the fields that they set. It promises that a test notices when a table is stale,
// or when a key has no comment or no topic. It writes nothing itself; see its command.
package keydoc

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/srcdoc"
)

// Page is the page with the tables, relative to the repository's root.
const Page = "docs/CONFIGURATION.md"

// Generate makes the page from the page as it is and the sources, both below root.
func Generate(root fs.FS) (string, error) {
	data, err := fs.ReadFile(root, Page)
	if err != nil {
		return "", err
	}
	comments, err := fieldComments(root)
	if err != nil {
		return "", err
	}
	keys, err := keyTable(comments)
	if err != nil {
		return "", err
	}
	page := string(data)
	for _, block := range [][2]string{{"keys", keys}, {"keys of a model", modelKeys()},
		{"keys of a shared context", sharedKeys()}} {
		var ok bool
		if page, ok = srcdoc.Fill(page, block[0], block[1]); !ok {
			return "", fmt.Errorf("%s has no %s ... %s", Page, strings.TrimSpace(srcdoc.Block(block[0])), srcdoc.BlockEnd)
		}
	}
	return page, nil
}

// topic is a part of the table: keys of one subject.
type topic struct {
	title    string
	prefixes []string
}

// topics lists the parts of the table in their order. A key belongs to the first one that has a prefix of it.
func topics() []topic {
	return []topic{
		{"The model", []string{"api_key", "model", "base_url", "username", "request_", "api.", "network."}},
		{"The conversation", []string{"context_window_limit", "warn_", "auto_compact", "rolling_", "reflection_", "lock_"}},
		{"Limits", []string{"max_", "limits."}},
		{"Tools", []string{"tools.", "file_tools_", "project_instructions"}},
		{"Outputs of tools", []string{"tool_", "auto_cleanup_cache"}},
		{"Permissions", []string{"permissions.", "url_policy."}},
		{"Plugins", []string{"plugins."}},
		{"Keys of MCP servers", []string{"mcp."}},
		{"Other agents", []string{"bridge.", "foreign.", "kode."}},
		{"Transcripts, traces and mail", []string{"storage.", "trace.", "mail."}},
		{"The store", []string{"store"}},
	}
}

// topicOf returns the number of the topic of a key, -1 if it has none.
func topicOf(key string) int {
	return slices.IndexFunc(topics(), func(t topic) bool {
		return slices.ContainsFunc(t.prefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
	})
}

func keyTable(comments map[string]string) (string, error) {
	rows := make([]strings.Builder, len(topics()))
	for _, k := range config.All() {
		comment, at := comments[k.Field], topicOf(k.Name)
		switch {
		case comment == "":
			return "", fmt.Errorf("%s: the field %s of package config has no comment", k.Name, k.Field)
		case at < 0:
			return "", fmt.Errorf("%s: no topic of package keydoc has this key", k.Name)
		}
		fmt.Fprintf(&rows[at], "| `%s` | %s | %s |\n", k.Name, defaultText(k.Default), comment)
	}
	var parts []string
	for i, topic := range topics() {
		parts = append(parts, "### "+topic.title+"\n\n| key | default | meaning |\n| --- | --- | --- |\n"+rows[i].String())
	}
	return strings.Join(parts, "\n"), nil
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
