package permissions

import "slices"

// protectedGroup is a row of the table: files that only the person opens for writing, for one
// reason.
type protectedGroup struct {
	why   string
	names []string
}

// protectedGroups is the table of what is protected besides chibi's home: what programs are
// documented to run, to load, or to take commands from, without being told so by whoever starts
// them. A name stands for itself and everything in it, in any directory, because a home may be
// anywhere; one that begins with ~/ below the person's home only, and one that begins with / in
// that place only. {a,b} stands for each of the words, a * at the end for any rest of a name.
//
// What people change in their projects every day is not here, although programs run it on command:
// Makefile, package.json, setup.py, workflows of CI, which run elsewhere.
func protectedGroups() []protectedGroup {
	return slices.Concat(runBySessions(), runByPrograms(), runByTools())
}

// runBySessions are what shells and desktops run, and what comes with a repository.
func runBySessions() []protectedGroup {
	return []protectedGroup{
		{"version control runs its hooks and settings", []string{
			".git", ".gitconfig", ".gitmodules", ".config/{git,hg,jj,sapling,lazygit,tig,breezy}", ".hg/hgrc*", ".hgrc",
			".sl/config", ".jj", ".jjconfig.toml", ".subversion", ".tigrc", ".husky", ".huskyrc*", ".githooks",
			"{lefthook,.lefthook,lefthook-local,.lefthook-local}.{yml,yaml,toml,json}", ".config/lefthook*",
			".pre-commit-config.yaml", ".overcommit.yml", "{simple-git-hooks,.simple-git-hooks}.{json,js,cjs}",
		}},
		{"another agent takes its settings, hooks or servers from it", []string{
			".{claude,codex,gemini,cursor,crush,qwen,kodelet,kode,copilot,opencode,continue,windsurf,amp,goose,roo}",
			".{agents,kiro,junie,trae,factory,augment,codeium,cline,kilocode,qoder,rovodev,iflow,codebuddy,openhands}",
			".{amazonq,warp,tabnine,vibe,kimi,kimi-code,pi,grok,antigravity,zencoder,hermes,openclaw,roomodes,kilocodemodes}",
			".agent/skills", ".github/mcp.json", ".claude.json", ".{mcp,crush,kode}.json",
			"{crush,opencode,kilo}.json", "{opencode,kilo}.jsonc", ".kilo", "kodelet-config.yaml", ".clinerules",
			".aider.conf.yml",
			".github/{hooks,copilot}", ".config/{crush,github-copilot,opencode,kilo,amp,goose,Claude,aichat,mods}",
			".local/share/crush", "~/Library/Application Support/Claude",
		}},
		{"shells run it when they start or end", []string{
			".bashrc*", ".{bash_profile,bash_login,bash_logout,bash_aliases,bash_functions,profile,shrc,shinit,kshrc,mkshrc}",
			".{zshrc,zshenv,zprofile,zlogin,zlogout}*", ".{cshrc,tcshrc,login,logout,yashrc,yash_profile,elvish}", ".xonshrc",
			".config/{bash,zsh,fish,nushell,powershell,elvish,xonsh,yash,murex}", ".murex*",
			".local/share/{fish,nushell,powershell,elvish}", "~/Documents/{PowerShell,WindowsPowerShell}",
			".inputrc", ".editrc",
		}},
		{"shells or what they start load it", []string{
			".bash_completion*", ".local/share/bash-completion", ".config/bash_completion", ".bash_it", ".oh-my-bash", ".zsh",
			".{oh-my-zsh,zprezto,zpreztorc,zim,zimrc,zinit,zplug,antigen,antidote,zgen,zgenom}", ".zsh_plugins*", ".zcompdump*",
			".local/share/{zsh,zinit,omf}", ".config/{omf,oh-my-posh,thefuck,starship.toml}", ".p10k.zsh", ".fzf*",
			".lessfilter", ".lesskey", ".config/lesskey", ".envrc", ".direnvrc", ".autoenv*", ".shadowenv.d",
			".config/direnv", ".local/share/direnv",
		}},
		{"it is in the PATH of shells, or puts a directory there", []string{
			"~/bin", "~/go/bin", ".local/bin", ".cargo/{bin,env*}", ".{bun,deno,cabal,pub-cache,foundry,yarn}/bin", ".deno/env*",
			".{nvm,fnm,volta,nodenv,rbenv,rvm,rvmrc,pyenv,goenv,jenv,phpenv,plenv,asdf,sdkman,rustup,ghcup,opam,elan}",
			".{juliaup,swiftly,rye,krew,linuxbrew,nix-profile,guix-profile}", "~/.pixi", "~/.local/share/{pnpm,fnm,mise,uv}",
			"~/.local/share/{pipx,gem,coursier,bob,flatpak,aquaproj-aqua}", "~/.{npm-global,npm-packages,gem,conda}",
			"~/.local/pipx",
			"~/{miniconda3,anaconda3,miniforge3,mambaforge,perl5,google-cloud-sdk,flutter}", "~/.virtualenvs",
			".{gvm,perlbrew,tfenv,raku,jabba,zvm,proto}", ".{nimble,jbang,fly,wasmtime,wasmer,pulumi}/bin", ".pulumi/plugins",
			".local/state/mise", ".config/mise", "{mise,.mise}.toml", "{mise,.mise}.local.toml", ".mise", "mise/config.toml",
			".tool-versions", ".asdfrc", ".dotnet/tools", "~/Library/pnpm",
		}},
		{"a session or desktop runs it", []string{
			".{xprofile,xinitrc,xserverrc,xsession,xsessionrc,pam_environment,login_conf,xmonad,xmobarrc,xbindkeysrc}", ".dmrc",
			".config/{environment.d,autostart,autostart-scripts,plasma-workspace,lxsession,user-dirs.dirs,xfce4,labwc,niri}",
			".config/{sway,i3,hypr,river,awesome,bspwm,sxhkd,qtile,xmonad,openbox,herbstluftwm,leftwm,spectrwm,wayfire.ini}",
			".config/{waybar,polybar,eww,i3status*,i3blocks,xmobar,rofi,wofi,dunst,mako,swaync,swayidle,kanshi,conky,espanso}",
			".{sway,i3,i3blocks.conf,spectrwm.conf,fluxbox,icewm,fvwm,conkyrc,kde,kde4}", ".config/kglobalshortcutsrc",
			".local/share/{gnome-shell,cinnamon,plasma,kwin,nautilus,nautilus-python,applications,dbus-1}",
			".config/{picom,tint2,ags,quickshell,wlogout,fuzzel,redshift,gammastep,ulauncher,albert,copyq,udiskie,lxqt,autokey}",
			".config/{libinput-gestures.conf,touchegg,fusuma,khotkeysrc,Thunar,pcmanfm*,nautilus,nemo,caja}", ".dwm",
			".local/share/{nemo,caja,kio,kservices5,kservices6,file-manager,dwm}",
			".config/{mimeapps.list,dconf}", ".mailcap", ".{yabairc,skhdrc,hammerspoon,aerospace.toml}",
			".config/{yabai,skhd,sketchybar,aerospace,karabiner}", "~/Library/{Services,Scripts,Preferences}",
		}},
	}
}

// runByPrograms are what terminals and the programs that people work with run.
func runByPrograms() []protectedGroup {
	return []protectedGroup{
		{"a terminal or multiplexer runs commands from it", []string{
			".config/{kitty,alacritty,alacritty.*,wezterm,foot,ghostty,rio,terminator,tilix,guake,Hyper,mintty,konsolerc}",
			".{wezterm.lua,alacritty.toml,alacritty.yml,hyper.js,minttyrc,urxvt,Xresources,Xdefaults}", ".local/share/konsole",
			".{tmux,tmux.conf,tmuxinator,tmuxp,screenrc,byobu}", ".config/{tmux,tmuxinator,tmuxp,zellij,byobu}",
		}},
		{"editors run it", []string{
			".{vimrc,gvimrc,exrc,nvimrc,vim,ideavimrc,kakrc,nanorc,spacemacs,doom.d}", ".vimrc.*", ".lvimrc", ".nvim.lua",
			"{_vimrc,_gvimrc,_exrc}", "~/vimfiles", ".config/{vim,nvim*,emacs,doom,kak,micro,helix,nano,zed}",
			".local/{share,state}/nvim*", ".emacs*", ".{dir-locals,dir-locals-2}.el", ".ycm_extra_conf.py", ".vimspector.json",
			".{vscode,vscode-oss,vscode-insiders,vscode-server*,cursor-server,windsurf-server,atom,pulsar,idea,fleet,zed,helix}",
			".config/{Code*,VSCodium,Cursor,Windsurf,JetBrains,sublime-text*,lite-xl,geany}", ".local/share/{JetBrains,zed}",
			"~/Library/Application Support/{Code*,Cursor,Windsurf,JetBrains,Sublime Text*}", ".sublime-project",
			".spacemacs.d", ".{config,local/share}/{gedit,kate}", ".devcontainer", ".devcontainer.json",
		}},
		{"file managers, mail and other programs run commands from it", []string{
			".config/{ranger,lf,nnn,vifm,yazi,mc,broot,mpv,zathura,nsxiv,sxiv,newsboat,aerc,mutt,neomutt,weechat,k9s,task}",
			".{vifm,mpv,newsboat,mutt,muttrc,neomuttrc,mailrc,mbsyncrc,msmtprc,offlineimaprc,fetchmailrc,weechat,irssi}",
			".config/{calcurse,timewarrior,notmuch,elinks,hexchat,mpd,ncmpcpp,vdirsyncer,yt-dlp,qBittorrent,deluge}",
			".config/{rtorrent,xplr}",
			".local/share/{calcurse,timewarrior,k9s}", ".{calcurse,timewarrior,notmuch,ncmpcpp,elinks,w3m}", ".mc.menu",
			".{taskrc,rtorrent.rc}", ".task/hooks", ".config/{msmtp,isyncrc,getmail,topgrade.toml}",
			".{forward,procmailrc}",
		}},
		{"browsers load it and start the programs that it names", []string{
			".mozilla", ".thunderbird", ".config/{google-chrome*,chromium,BraveSoftware,microsoft-edge*,vivaldi,qutebrowser}",
			".pki", ".tridactylrc", "~/Library/Application Support/{Google,Chromium,Mozilla,Firefox,Thunderbird}",
		}},
		{"the client of a database runs or trusts it", []string{
			".psqlrc*", ".pgpass", ".pg_service.conf", ".sqliterc", ".config/{sqlite3,pgcli,mycli,litecli,usql}", ".duckdbrc",
			".{mongorc,mongoshrc}.js", ".{my.cnf,mylogin.cnf,myclirc,cqlshrc,cassandra,clickhouse-client,redisclirc}",
			".{usqlrc,hiverc,snowsql}",
		}},
		{"ssh or another program that signs and logs in trusts it", []string{
			".ssh", ".gnupg", ".netrc", "_netrc", ".authinfo*", ".git-credentials", ".rhosts", ".shosts", ".hushlogin",
			".{aws,azure,oci,boto,s3cfg,kube,docker,vault-token,password-store,ansible.cfg,ansible,vagrant.d}",
			".{terraformrc,tofurc,terraform.d}", ".config/{gcloud,containers,gh,hub,glab-cli,tea,op,rclone,helm,sops,age}",
			".{curlrc,wgetrc}",
		}},
	}
}

// runByTools are what is run by builds, languages and the system itself.
func runByTools() []protectedGroup {
	return []protectedGroup{
		{"a package or build tool runs or trusts it", []string{
			".npmrc", ".yarn", ".yarnrc*", ".pnpmfile.cjs", ".pnpmrc", "{bunfig,.bunfig}.toml", ".config/{yarn,pnpm}", ".pypirc",
			"pip.{conf,ini}", ".pip", ".config/{pip,uv,pypoetry,go,composer,nix*,home-manager,guix,homebrew,NuGet,just,rpm}",
			".cargo/{config*,credentials*}", ".gemrc", ".bundle/config", ".{condarc,mambarc,composer,nix-defexpr,nixpkgs}",
			".mvn", ".mavenrc", ".m2/{settings*,extensions.xml}", ".gradle/{init.gradle*,init.d,gradle.properties}", ".sbt",
			".{bazelrc,bazeliskrc}", ".buckconfig*", ".pants.rc", ".pants.bootstrap", ".config/ccache", ".ccache", ".conan*",
			".local/share/{meson,helm}", ".pydistutils.cfg", ".config/{pdm,hatch,conda,rebar3,coursier}",
			".{rpmmacros,makepkg.conf,devscripts,quiltrc,pbuilderrc,sbuildrc,actrc}", ".nuget/NuGet",
			".cabal/config", ".stack/config.yaml", ".lein", ".clojure", ".mix", ".luarocks", ".config/luarocks",
			"~/Library/Application Support/{go,pypoetry}",
		}},
		{"a language or debugger runs it when it starts", []string{
			"{sitecustomize,usercustomize}.py", ".local/lib/python*", "~/Library/Python", ".pythonrc*", ".pythonstartup*",
			".pdbrc*", ".{ipython,jupyter}", ".config/{ptpython,bpython,matplotlib,gdb,radare2,utop,psysh,racket}",
			".{irbrc,pryrc,railsrc,rdbgrc,byebugrc}", "~/.{node_modules,node_libraries}", ".{Rprofile,Renviron}",
			".julia/config", ".{clisprc,ccl-init.lisp,roswell,sage,maxima,proverc,replyrc,latexmkrc,psysh.php,ghc}",
			".config/{julia,ghc,gnuplot,common-lisp,latexmk}",
			".{ghci,ocamlinit,utoprc,ammonite,iex.exs,erlang,psysh,swiplrc,guile,racketrc,sbclrc,eclrc,perldb,perltidyrc}",
			".{octaverc,gnuplot,tclshrc,wishrc}", ".config/{octave,swi-prolog}", ".{gdbinit,gdbearlyinit,lldbinit}*",
			".radare2rc",
		}},
		{"the system runs it at a later time", []string{
			"/etc", "/private/etc", "/var/spool/{cron,at}", "/var/at", "/private/var/at", ".config/{systemd,cron,dinit.d}",
			".local/share/systemd", ".config/user-tmpfiles.d", "Library/{LaunchAgents,LaunchDaemons}", ".crontab", ".monitrc",
			"~/AppData/Roaming/Microsoft/Windows/Start Menu",
		}},
		{"it is a part of the running system", []string{
			"/{proc,sys,boot,efi,dev,bin,sbin,lib*}", "/usr/{bin,sbin,lib*,share,games}", "/run/{systemd,udev}",
			"/usr/local/{bin,sbin,lib*,etc,share,games}", "/opt/homebrew", "/home/linuxbrew",
			"/var/lib/{dpkg,rpm,pacman,systemd}", "/nix", "/snap", "/System", "/Library",
			"/C:/{Windows,Program Files*,ProgramData}",
		}},
	}
}
