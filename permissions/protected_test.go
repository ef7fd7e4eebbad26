package permissions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOnlyThePersonOpensWhatIsProtected(t *testing.T) {
	allow := []string{"write", "edit", "write(//)"}
	for name, why := range map[string]string{
		"/home/me/.chibi/plugins/a":      "is in chibi's home",
		"/home/me/.CHIBI/plugins/a":      "is in chibi's home",
		"/project/.git/hooks/pre-commit": "version control runs its hooks and settings",
		"/project/sub/.GIT/config":       "version control runs its hooks and settings",
		"/project/.git":                  "version control runs its hooks and settings",
		"/project/.claude/settings.json": "another agent takes its settings, hooks or servers from it",
		"/home/me/.bashrc":               "shells run it when they start or end",
		"/home/me/.config/fish/a.fish":   "shells run it when they start or end",
		"/project/.vscode/tasks.json":    "editors run it",
		"/home/me/.emacs.d/init.el":      "editors run it",
		"/home/me/.ssh/authorized_keys":  "ssh or another program that signs and logs in trusts it",
		"/project/.npmrc":                "a package or build tool runs or trusts it",
		"/project/.yarnrc.yml":           "a package or build tool runs or trusts it",
		"/etc/passwd":                    "the system runs it at a later time",
		"/usr/bin/git":                   "it is a part of the running system",
	} {
		got := rulesOf(t, nil, nil, allow).Judge(fileCallOf(writeFile, name))
		said := strings.Contains(got.Reason, why) && strings.Contains(got.Reason, name)
		if !got.Protected || got.Decision != Ask || !said {
			t.Errorf("%s: %+v, want %s", name, got, why)
		}
	}
	denied := rulesOf(t, []string{"write(/.git)"}, nil, nil)
	if got := denied.Judge(fileCallOf(writeFile, "/project/.git/config")); got.Decision != Deny {
		t.Errorf("a denial of a protected file: %+v", got)
	}
}

// TestEachNameOfTheTableIsProtected where the table says that it is, and what is in it.
func TestEachNameOfTheTableIsProtected(t *testing.T) {
	r := rulesOf(t, nil, nil, []string{"write(//)"})
	seen := map[string]bool{}
	for _, group := range protectedGroups() {
		for _, written := range group.names {
			for _, name := range alternatives(written) {
				if seen[name] || strings.ContainsAny(name, "{}") || strings.Contains(strings.TrimSuffix(name, "*"), "*") {
					t.Errorf("%q is twice in the table, or cannot be read", name)
				}
				seen[name] = true
				place := strings.TrimSuffix(name, "*")
				if below, isOfHome := strings.CutPrefix(place, "~/"); isOfHome {
					place = "/home/me/" + below
				} else if place[0] != '/' {
					place = "/project/sub/" + place
				}
				for _, path := range []string{place, strings.ToUpper(place), place + "/a/b"} {
					if got := r.Judge(fileCallOf(writeFile, path)); !got.Protected || !strings.Contains(got.Reason, path) {
						t.Errorf("%s, for %s: %+v", path, name, got)
					}
				}
			}
		}
	}
}

// TestWhatProgramsRunIsProtected: files that shells, sessions, editors, databases' clients and
// agents run or load, by what these programs document.
func TestWhatProgramsRunIsProtected(t *testing.T) {
	r := rulesOf(t, nil, nil, []string{"write(//)"})
	for _, name := range strings.Fields(`
		.bash_completion .local/share/bash-completion/completions/git .cargo/env .nvm/nvm.sh .oh-my-zsh/custom/a.zsh
		.p10k.zsh .fzf.bash .fzf.zsh .lessfilter .lesskey .zlogin .zsh/a.zsh .zshrc.zwc .bashrc.d/a .zcompdump .direnvrc
		.psqlrc .sqliterc .mongorc.js .mongoshrc.js .my.cnf .duckdbrc
		.config/sway/config .config/i3/config .config/hypr/hyprland.conf .config/kitty/kitty.conf .config/rofi/config.rasi
		.config/awesome/rc.lua .config/bspwm/bspwmrc .config/sxhkd/sxhkdrc .config/polybar/config.ini .config/waybar/config
		.config/qtile/config.py .config/openbox/autostart .xmonad/xmonad.hs .config/plasma-workspace/env/a.sh .Xresources
		.wezterm.lua .config/foot/foot.ini .config/ghostty/config .config/alacritty/alacritty.toml .alacritty.toml .tmux/a
		.local/share/nvim/site/plugin/a.lua .local/state/nvim/trust .nvim.lua .vimrc.local .config/doom/init.el
		usercustomize.py sitecustomize.py .local/lib/python3.12/site-packages/a.pth .ghci .iex.exs .Renviron
		bin/git go/bin/go .rbenv/shims/ruby .asdf/asdf.sh .local/share/mise/shims/node .opam/a
		.mise/config.toml .mise.toml .mvn/extensions.xml .bazelrc .buckconfig .pre-commit-config.yaml lefthook.toml
		.kiro/hooks/a .junie/mcp/mcp.json .trae/mcp.json .factory/a .augment/settings.json .agents/a .codeium/windsurf/a
		.taskrc .task/hooks/on-add .config/mpv/scripts/a.lua .muttrc .terraformrc .mozilla/native-messaging-hosts/a.json`) {
		path := "/home/me/" + name
		if got := r.Judge(fileCallOf(writeFile, path)); !got.Protected {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

// TestOrdinaryFilesOfProjectsAreNotProtected, also those that a build runs.
func TestOrdinaryFilesOfProjectsAreNotProtected(t *testing.T) {
	r := rulesOf(t, nil, nil, []string{"write(//)"})
	for _, name := range strings.Fields(`
		.gitignore .gitattributes .gitkeep AGENTS.md CLAUDE.md etc/a src/bashrc a.emacs bin/run bin/rails go/bin/a lib/a.so
		Makefile GNUmakefile CMakeLists.txt justfile Taskfile.yml package.json package-lock.json tsconfig.json vite.config.ts
		.eslintrc.js .prettierrc .babelrc .editorconfig .env .env.local .nvmrc .node-version .python-version .rspec
		.rubocop.yml .dockerignore Dockerfile compose.yaml .github/workflows/ci.yml .github/dependabot.yml .gitlab-ci.yml
		.travis.yml .circleci/config.yml setup.py setup.cfg pyproject.toml requirements.txt conftest.py manage.py tox.ini
		noxfile.py Cargo.toml Cargo.lock build.rs go.mod main.go .golangci.yml pom.xml build.gradle settings.gradle gradlew
		Gemfile Rakefile mix.exs rebar.config composer.json deno.json .clang-format .clang-tidy .cargo/audit.toml
		model.pth data/a.pth Library/a.cs config/a.toml .config/app.json docs/profile.md sway/config kitty.conf nvim/init.lua
		scripts/login.sh dev/a proc/a share/a tools/mise.md .storybook/main.js .changeset/a.md .venv/bin/activate .zip
		public/.well-known/a .hgignore .bashate services/snap/a nix/default.nix system/a.go usr/bin/a Downloads/a.txt`) {
		for _, dir := range []string{"/project/", "/home/me/src/app/"} {
			if got := r.Judge(fileCallOf(writeFile, dir+name)); got.Protected || got.Decision != Allow {
				t.Errorf("%s: %+v", dir+name, got)
			}
		}
	}
}

// TestADirectoryOfTheHomeIsProtectedUnderBothItsNames: a home is often a link.
func TestADirectoryOfTheHomeIsProtectedUnderBothItsNames(t *testing.T) {
	real := filepath.Join(t.TempDir(), "disk2", "me")
	home := filepath.Join(t.TempDir(), "me")
	if err := os.MkdirAll(real, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, home); err != nil {
		t.Skip("no links here:", err)
	}
	r, err := NewRules(Settings{Root: "/project", Dir: "/project", UserHome: home})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		filepath.Join(home, "bin", "git"): true, filepath.Join(real, "bin", "git"): true,
		filepath.Join(real, "src", "bin", "git"): false, filepath.Join(home, "binary"): false,
	} {
		if got := r.Judge(fileCallOf(writeFile, path)); got.Protected != want {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

func TestABareRepositoryIsProtected(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x.store")
	for _, name := range []string{"objects", "refs", "hooks"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "HEAD"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	hook := filepath.Join(dir, "hooks", "post-update")
	got := rulesOf(t, nil, nil, []string{"write"}).Judge(fileCallOf(writeFile, hook))
	want := "is in the repository " + dir + ", whose hooks and settings git runs"
	if !got.Protected || !strings.Contains(got.Reason, want) {
		t.Errorf("%+v, want %s", got, want)
	}
}

// BenchmarkProtection measures what looking a path up in the table costs.
func BenchmarkProtection(b *testing.B) {
	p := newPlaces(Settings{Root: "/project", Dir: "/project", UserHome: "/home/me", ChibiHome: "/home/me/.chibi"})
	for name, path := range map[string]string{"ordinary": "/home/me/src/app/internal/permissions/places.go",
		"config": "/home/me/.config/app/settings/main.json"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p.protection(file{named: path, real: path})
			}
		})
	}
}

// BenchmarkProtectedIndex measures what the first lookup of a session costs.
func BenchmarkProtectedIndex(b *testing.B) {
	for b.Loop() {
		newProtectedIndex([]string{"/home/me"})()
	}
}
