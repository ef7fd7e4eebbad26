package archtest

import (
	"slices"
	"strings"
	"testing"
)

// allowed says which of our packages each package may import.
var allowed = map[string][]string{
	".": {"internal/cli"},
	"internal/cli": {
		"agent", "plugin", "contexts", "permissions", "internal/app", "internal/sandbox", "internal/term/question",
		"internal/term/screen", "tools/mcp", "store",
		"internal/within",
		"internal/cli/bridge", "internal/cli/cache", "internal/cli/chat", "internal/cli/cmdline", "internal/cli/command",
		"internal/cli/complete",
		"internal/cli/contextcmd", "internal/cli/demo", "internal/cli/doctor", "internal/cli/history", "internal/cli/hook",
		"internal/cli/mcp", "internal/cli/operation", "internal/cli/plugins", "internal/cli/recipe", "internal/cli/store",
		"internal/cli/tool",
		"internal/cli/trace", "internal/cli/trust",
	},
	"internal/cli/bridge": {"hookpoints", "internal/app", "internal/agents/bridge", "internal/cli/command",
		"internal/disk", "internal/agents/engine", "plugin/process"},
	"internal/agents/bridge": {"agent", "hookpoints", "internal/app", "internal/disk", "internal/jsonedit",
		"internal/jsonfile", "permissions", "plugin", "internal/agents/engine", "plugin/process"},
	"internal/jsonedit":  {},
	"internal/cli/cache": {"cache", "internal/app", "internal/cli/command", "internal/cli/operation"},
	"internal/cli/store": {"cache", "contexts", "internal/app", "internal/config", "internal/cli/command", "internal/term",
		"store"},
	"internal/cli/cmdline":    {},
	"internal/cli/contextcmd": {"contexts", "internal/app", "internal/cli/command", "internal/cli/operation"},
	"internal/cli/history": {"contexts", "internal/app", "internal/cli/cmdline", "internal/cli/command",
		"internal/cli/operation"},
	"internal/cli/operation": {"agent", "contexts", "internal/app", "internal/cli/cmdline", "internal/cli/command",
		"internal/config", "internal/disk", "internal/term", "tools"},
	"internal/cli/command": {"agent", "hookpoints", "internal/app", "internal/cli/cmdline", "internal/disk",
		"internal/term", "internal/term/screen", "internal/within", "tools"},
	"internal/cli/chat": {"agent", "contexts", "internal/cli/command", "internal/cli/operation", "internal/term",
		"internal/term/editor", "internal/term/markdown", "internal/term/screen", "plugin"},
	"internal/cli/complete": {"hookpoints", "internal/app", "internal/cli/cmdline", "internal/cli/command",
		"internal/config", "internal/trace", "plugin/native"},
	"internal/cli/demo": {"agent", "examples/plugins", "examples/recipes", "permissions", "internal/app",
		"internal/cli/command", "internal/disk",
		"internal/term", "internal/workbench/scratch", "plugin", "plugin/process"},
	"internal/cli/doctor": {"contexts", "hookpoints", "internal/app", "internal/approved", "internal/agents/bridge",
		"internal/cli/command",
		"internal/config", "internal/disk", "internal/keeper", "internal/recipes", "internal/term", "internal/trace",
		"internal/workbench/check", "internal/workbench/installed", "llm/openai", "plugin", "internal/agents/engine",
		"plugin/kodelet", "plugin/native", "store", "tools/mcp"},
	"internal/cli/mcp": {"internal/app", "internal/approved", "internal/cli/cmdline", "internal/cli/command",
		"internal/config", "internal/mcplists", "internal/mcpserve", "internal/term", "internal/term/screen",
		"permissions", "plugin/process", "tools", "tools/mcp"},
	"internal/mcpserve": {"internal/app", "internal/disk", "internal/term", "internal/term/question", "permissions",
		"tools"},
	"internal/cli/recipe": {"internal/app", "internal/cli/cmdline", "internal/cli/command", "internal/recipes",
		"internal/term"},
	"internal/cli/hook": {"hookpoints", "internal/app", "internal/cli/cmdline", "internal/cli/command", "internal/hookdoc",
		"internal/term", "internal/workbench/firing", "plugin", "internal/agents/engine"},
	"internal/cli/plugins": {"hookpoints", "internal/app", "internal/agents/bridge", "internal/cli/cmdline",
		"internal/cli/command",
		"internal/config", "internal/disk", "internal/hookdoc", "internal/keeper", "internal/term",
		"internal/workbench/cases", "internal/workbench/check", "internal/workbench/firing", "internal/workbench/installed",
		"internal/workbench/scaffold", "internal/workbench/scratch",
		"plugin", "plugin/native", "plugin/process", "tools", "tools/builtin"},
	"internal/cli/tool": {"internal/app", "internal/cli/command"},
	"internal/cli/trace": {"hookpoints", "internal/app", "internal/cli/cmdline", "internal/cli/command", "internal/disk",
		"internal/term", "internal/trace", "internal/workbench/firing", "merge", "plugin"},
	"internal/cli/trust": {"internal/app", "internal/cli/cmdline", "internal/cli/command", "internal/foreign",
		"internal/recipes",
		"internal/term", "internal/trust",
		"plugin/kodelet", "tools/mcp"},
	"internal/term/screen":      {"internal/term"},
	"internal/term/typing":      {},
	"internal/term/question":    {"internal/term", "internal/term/typing", "permissions", "tools"},
	"internal/workbench/firing": {"hookpoints", "internal/term", "merge", "plugin"},
	"internal/app": {
		"agent", "plugin", "plugin/process", "plugin/oneshot", "plugin/resident", "plugin/native", "plugin/kodelet",
		"plugin/kode", "internal/agents/engine", "internal/foreign",
		"internal/baseline", "internal/instructions", "internal/recipes", "internal/sandbox", "internal/trust",
		"internal/within",
		"internal/trace", "internal/workbench/scratch",
		"internal/workbench/installed", "internal/keeper",
		"internal/approved", "internal/schemas", "internal/mcpfile", "internal/mcplists", "tools/mcp",
		"tools/mcp/oauth",
		"llm", "llm/openai", "llm/demo", "tools", "tools/builtin", "tools/coding", "contexts", "cache",
		"tools/coding/fetch", "tools/summarize", "permissions", "permissions/urls", "internal/config",
		"hookpoints", "internal/disk", "internal/jsonfile", "internal/term", "store",
	},
	"agent":           {"plugin", "contexts", "cache", "llm", "tools", "permissions", "hookpoints", "merge"},
	"plugin":          {"hookpoints", "merge", "tools"},
	"plugin/process":  {},
	"plugin/oneshot":  {"plugin", "plugin/process", "hookpoints"},
	"plugin/resident": {"plugin", "plugin/process", "tools"},
	"plugin/serve":    {},
	"plugin/native": {"plugin", "plugin/process", "plugin/oneshot", "plugin/resident", "hookpoints", "tools",
		"internal/term"},
	"plugin/kodelet":         {"plugin", "plugin/process", "plugin/oneshot", "plugin/toolnames", "hookpoints"},
	"plugin/kode":            {"plugin", "plugin/process", "plugin/oneshot", "plugin/toolnames", "hookpoints"},
	"internal/agents/engine": {"internal/disk", "plugin", "plugin/process", "plugin/toolnames", "hookpoints", "tools"},
	"plugin/toolnames":       {"hookpoints", "tools"},
	"plugin/plugintest":      {"plugin", "hookpoints"},
	"internal/instructions":  {"internal/disk"},
	"internal/recipes":       {"plugin", "plugin/kodelet", "hookpoints", "internal/disk"},
	"internal/workbench/check": {"plugin", "plugin/process", "plugin/native", "plugin/resident", "hookpoints",
		"tools", "internal/fileid", "internal/hookdoc"},
	"internal/workbench/cases":     {"plugin", "internal/disk", "hookpoints", "merge", "tools", "internal/hookdoc"},
	"internal/workbench/installed": {"internal/jsonfile", "internal/disk", "plugin/process", "plugin/native"},
	"internal/schemas":             {"plugin/oneshot", "internal/fileid", "internal/disk"},
	"internal/mcpfile":             {"tools/mcp", "internal/disk"},
	"internal/foreign":             {"internal/agents/engine", "internal/disk", "internal/term"},
	"internal/mcplists":            {"tools/mcp", "internal/jsonfile", "internal/disk"},
	"internal/fileid":              {},
	"internal/approved":            {"permissions", "tools", "internal/fileid", "internal/jsonfile"},
	"internal/keeper":              {"plugin/process", "plugin/resident", "internal/fileid", "internal/disk"},
	"internal/workbench/scaffold":  {"hookpoints", "tools"},
	"internal/workbench/scratch":   {"internal/disk"},
	"internal/trust":               {"internal/term", "plugin", "internal/jsonfile", "internal/disk"},
	"internal/trace": {"agent", "plugin", "hookpoints", "merge", "permissions", "internal/disk",
		"internal/term"},
	"llm":              {"tools"},
	"llm/openai":       {"llm", "internal/term"},
	"llm/demo":         {},
	"store":            {},
	"tools":            {},
	"permissions/urls": {},
	"internal/sandbox": {"permissions", "plugin/process", "internal/disk"},
	"tools/coding": {"tools", "plugin/process", "permissions", "internal/disk", "internal/glob",
		"internal/private"},
	"tools/coding/fetch":     {"tools", "permissions", "permissions/urls"},
	"tools/mcp":              {"tools", "plugin/process", "internal/term", "tools/mcp/internal/web"},
	"tools/mcp/internal/web": {"internal/term"},
	"tools/mcp/oauth": {"tools/mcp", "tools/mcp/internal/web", "permissions/urls", "internal/disk",
		"internal/jsonfile"},
	"tools/mcp/oauth/oauthtest": {},
	"tools/builtin":             {"tools", "cache", "internal/disk", "internal/private"},
	"internal/private":          {"contexts", "internal/disk"},
	"internal/glob":             {},
	"internal/gitconfig":        {},
	"internal/baseline":         {"internal/disk", "internal/gitconfig"},
	"tools/summarize":           {"tools", "tools/coding", "tools/coding/fetch", "cache"},

	"permissions/internal/commandline": {},

	"permissions": {"tools", "permissions/urls", "permissions/internal/commandline", "internal/private", "internal/disk"},

	"contexts": {"store", "contexts/internal/transcript", "contexts/internal/statetext", "internal/jsonl",
		"internal/jsonfile", "internal/disk"},
	"contexts/internal/statetext":  {},
	"contexts/internal/transcript": {"internal/jsonl", "internal/jsonfile", "internal/disk"},
	"cache":                        {"store", "internal/jsonfile", "internal/disk"},
	"cache/cachetest":              {"cache"},
	"contexts/contexttest":         {"contexts", "store", "store/storetest"},
	"store/storetest":              {"store"},
	"internal/config": {"agent", "contexts", "llm", "llm/openai", "tools", "plugin", "plugin/process", "plugin/oneshot",
		"plugin/native", "plugin/kode", "internal/agents/engine", "hookpoints", "internal/disk", "tools/mcp", "store"},
	"cluster/natsstore":         {"store", "internal/disk", "internal/strictjson"},
	"cluster/internal/natstest": {"cluster/internal/ports", "cluster/natsstore", "store"},
	"cluster/pgstore":           {"store", "internal/disk"},
	"cluster/internal/pgtest":   {"cluster/internal/ports"},
	"cluster/internal/ports":    {},
	"hookpoints":                {},
	"merge":                     {"hookpoints"},
	"examples/plugins":          {},
	"examples/recipes":          {},
	"internal/disk":             {},
	"internal/disk/disktest":    {"internal/disk"},
	"internal/jsonl":            {"internal/disk"},
	"internal/jsonfile":         {"internal/disk"},
	"internal/term/editor":      {"internal/term", "internal/term/typing"},
	"internal/term/markdown":    {"internal/term"},
	"internal/term":             {},
	"internal/term/termtest":    {},
	"internal/terminaltest":     {},
	"internal/hookdoc":          {"hookpoints"},
	"internal/hookdoc/generate": {"hookpoints", "internal/hookdoc", "internal/srcdoc"},
	"internal/agentdoc":         {"internal/srcdoc", "internal/agents/engine"},
	"internal/keydoc":           {"internal/config", "internal/srcdoc"},
	"internal/srcdoc":           {},
	"internal/archtest":         {},
	"internal/campaign":         {},
	"internal/fuzztest":         {},
	"internal/childtest":        {},
	"internal/strictjson":       {},
	"internal/within":           {},
	"internal/clip":             {},
}

// everywhere says which packages any other one may import: pure leaves.
var everywhere = []string{"internal/strictjson", "internal/clip"}

func TestImports(t *testing.T) {
	used, checked := map[[2]string]bool{}, map[string]bool{}
	for _, s := range sources(t) {
		checked[s.pkg] = true
		may, known := allowed[s.pkg]
		if !known {
			t.Errorf("%s: the package %s is not in the import graph; add it here and to docs/ARCHITECTURE.md", s.path, s.pkg)
			continue
		}
		for _, target := range s.imports {
			ours, ok := strings.CutPrefix(target, module)
			used[[2]string{s.pkg, ours}] = ok
			if ok && !slices.Contains(may, ours) && !slices.Contains(everywhere, ours) {
				t.Errorf("%s: %s may not import %s", s.path, s.pkg, ours)
			}
		}
	}
	checkUnused(t, used)
	for pkg := range allowed {
		if !checked[pkg] {
			t.Errorf("%s is in the import graph, but no file of it was checked", pkg)
		}
	}
}

// checkUnused checks that the graph has no imports that do not exist.
func checkUnused(t *testing.T, used map[[2]string]bool) {
	t.Helper()
	for pkg, targets := range allowed {
		for _, target := range targets {
			if !used[[2]string{pkg, target}] {
				t.Errorf("%s does not import %s; remove it from the graph", pkg, target)
			}
		}
	}
}

// pure packages may not even import what has effects.
func TestDataAndPureCodeHaveNoEffects(t *testing.T) {
	forbidden := []string{"os", "os/exec", "time", "log", "log/slog", "net", "net/http", "sync",
		"io", "context", "syscall"}
	for _, s := range sources(t) {
		if !s.in("hookpoints", "merge") {
			continue
		}
		for _, target := range s.imports {
			if slices.Contains(forbidden, target) {
				t.Errorf("%s imports %s; %s is data or pure code", s.path, target, s.pkg)
			}
		}
	}
}
