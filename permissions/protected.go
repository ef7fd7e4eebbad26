package permissions

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// protectedGroup is a group of files that only the person opens for writing.
type protectedGroup struct {
	why   string
	names []string
}

// protectedGroups lists what is protected besides chibi's home. A name stands for itself
// and everything in it, in any directory; one that begins with / in that place only. A *
// stands for any characters of a name.
func protectedGroups() []protectedGroup {
	return []protectedGroup{
		{"git runs its hooks and settings", []string{
			".git", ".gitconfig", ".gitmodules", ".config/git", ".hg/hgrc", ".hgrc", ".husky", ".githooks", "lefthook.yml",
			".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", ".pre-commit-config.yaml", ".config/lazygit", ".config/jj",
			".jjconfig.toml", ".jj",
		}},
		{"another agent takes its settings from it", []string{
			".claude", ".claude.json", ".codex", ".gemini", ".cursor", ".crush", ".crush.json", "crush.json",
			".config/crush", ".local/share/crush", ".qwen", ".kodelet", "kodelet-config.yaml", ".kode", ".kode.json",
			".copilot", ".config/github-copilot", ".github/hooks", ".mcp.json", ".opencode", "opencode.json",
			"opencode.jsonc", ".config/opencode", ".aider.conf.yml", ".continue", ".windsurf", ".amp", ".config/amp",
			".goose", ".config/goose", ".roo", ".clinerules",
		}},
		{"shells run it", []string{
			".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
			".zprofile", ".zlogin", ".zlogout", ".kshrc", ".mkshrc", ".shrc", ".shinit", ".cshrc", ".tcshrc", ".login",
			".logout", ".inputrc", ".config/fish", ".config/nushell", ".config/powershell", ".config/bash", ".config/zsh",
			".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment", ".config/environment.d", ".envrc",
			".config/direnv", ".tmux.conf", ".config/tmux", ".screenrc", ".config/starship.toml",
		}},
		{"editors run it", []string{
			".vimrc", ".gvimrc", ".exrc", ".nvimrc", ".vim", ".config/nvim", ".config/vim", ".emacs*", ".config/emacs",
			".dir-locals.el", ".vscode", ".vscode-server", ".config/Code", ".idea", ".fleet", ".zed", ".config/zed",
			".config/helix", ".helix", ".nanorc", ".sublime-project", ".devcontainer",
		}},
		{"ssh or another program that signs and logs in trusts it", []string{
			".ssh", ".gnupg", ".netrc", "_netrc", ".git-credentials", ".aws", ".azure", ".config/gcloud", ".kube",
			".docker", ".config/containers", ".config/gh", ".config/hub", ".rhosts", ".shosts", ".hushlogin", ".pgpass",
			".my.cnf", ".password-store",
		}},
		{"package and build tools run or trust it", []string{
			".npmrc", ".yarnrc*", ".yarn", ".pnpmfile.cjs", ".pnpmrc", ".bunfig.toml", "bunfig.toml", ".pypirc",
			"pip.conf", "pip.ini", ".pip", ".config/pip", ".config/uv", ".config/pypoetry", ".pythonrc*", ".pdbrc",
			".cargo/config*", ".cargo/credentials*", ".cargo/bin", ".rustup", ".gemrc", ".bundle/config", ".irbrc",
			".pryrc", ".condarc", ".curlrc", ".wgetrc", ".gradle/init.gradle*", ".gradle/init.d",
			".gradle/gradle.properties", ".m2/settings*", ".config/go", ".config/composer", ".composer", ".config/nix",
			".config/home-manager", ".config/mise", "mise.toml", ".mise.toml", ".tool-versions", ".asdfrc", ".gdbinit",
			".config/gdb", ".lldbinit", ".perltidyrc", ".Rprofile", ".local/bin", ".ipython", ".jupyter",
		}},
		{"the system runs it at a later time", []string{
			"/etc", "/var/spool/cron", "/var/at", ".config/systemd", ".local/share/systemd", ".config/autostart",
			".local/share/applications", ".local/share/dbus-1", "Library/LaunchAgents", "Library/LaunchDaemons",
			".config/cron", ".crontab", ".forward", ".procmailrc",
		}},
		{"it is a part of the running system", []string{
			"/proc", "/sys", "/boot", "/dev", "/bin", "/sbin", "/lib*", "/usr/bin", "/usr/sbin", "/usr/lib*", "/usr/share",
			"/usr/local/bin", "/usr/local/sbin", "/usr/local/lib", "/usr/local/etc", "/opt/homebrew", "/System",
			"/Library",
		}},
	}
}

// isHarmlessDevice reports whether writing to a device has no effect beyond the output
// of a command.
func isHarmlessDevice(name string) bool {
	return slices.Contains([]string{"/dev/null", "/dev/zero", "/dev/full", "/dev/stdout", "/dev/stderr"}, name)
}

// protectedEntry returns the entry of the list that a path belongs to, and why it is there.
func protectedEntry(name string) (entry, why string) {
	folded := "/" + strings.Trim(fold(filepath.ToSlash(name)), "/") + "/"
	for _, group := range protectedGroups() {
		for _, entry := range group.names {
			if hasEntry(folded, strings.ToLower(entry)) {
				return entry, group.why
			}
		}
	}
	return "", ""
}

// hasEntry reports whether a path between slashes has the parts of an entry, one after
// another. The last part can go on where the entry ends with *.
func hasEntry(name, entry string) bool {
	stem, isOpen := strings.CutSuffix(entry, "*")
	for at := 0; ; {
		i := strings.Index(name[at:], stem)
		if i < 0 {
			return false
		}
		at += i
		begins := at == 0 && stem[0] == '/' || at > 0 && stem[0] != '/' && name[at-1] == '/'
		if begins && (isOpen || name[at+len(stem)] == '/') {
			return true
		}
		at++
	}
}

// bareRepository returns the git repository that a path is in, if that is a directory
// without the name .git.
func bareRepository(name string) string {
	for dir := filepath.Dir(name); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if exists(dir, "HEAD") && (exists(dir, "objects") && exists(dir, "refs") || exists(dir, "commondir")) {
			return dir
		}
	}
	return ""
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}
