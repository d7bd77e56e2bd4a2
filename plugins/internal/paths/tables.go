package paths

// group is a part of the tables: protected from writing, or secret, for one reason. Everything is
// written folded (see Fold).
type group struct {
	// reason completes "PATH is ...".
	reason string
	// names are files by their own name, wherever they lie.
	names []string
	// directories are names of directories; they count with everything in them.
	directories []string
	// anywhere are parts of paths, counting with all below; in all but the first
	// name "*" stands for any text.
	anywhere []string
	// atRoot are such parts at the root of the file system.
	atRoot []string
	// atHome are such parts in the caller's home directory.
	atHome []string
	// always means the group counts also where a working directory lies inside it.
	always bool
	// own means the operator cannot remove the group.
	own bool
}

// protectedGroups must not be written without a person's word. Source: docs/seeds.md, "Dangerous
// Path Protection", additions from AgentScope's code, and the threats T19 and T24 of
// docs/security.md.
//
// Files people edit every day are left out on purpose, though they too can name programs:
// package.json, Makefile, Dockerfile, tsconfig.json, AGENTS.md. Programs running such files are not
// read-only, so the ask comes there. RATIONALE.md, "Why are protected paths one list, and
// configured once?".
var protectedGroups = []group{
	{
		reason: "Callgate's own", own: true, always: true,
		names:       []string{".callgate.yaml", ".callgate.yml"},
		directories: []string{".callgate"},
		anywhere: []string{
			".config/callgate", ".local/state/callgate", ".local/share/callgate", ".cache/callgate", "library/application support/callgate", "appdata/roaming/callgate", "appdata/local/callgate",
		},
		atRoot: []string{"etc/callgate", "var/lib/callgate", "run/callgate"},
	},
	{ // its hooks, config and HEAD make git run programs: T19
		reason: "a git directory", always: true,
		directories: []string{".git"},
	},
	{
		reason:      "a version control directory",
		directories: []string{".hg", ".jj"},
		names:       []string{".hgrc"},
		anywhere:    []string{".config/hg", ".config/jj"},
	},
	{
		reason:   "a git configuration file",
		names:    []string{".gitconfig", ".gitmodules", ".gitattributes"},
		anywhere: []string{".config/git"},
		atRoot:   []string{"etc/gitconfig"},
	},
	{
		reason: "an SSH key", always: true,
		names: []string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "authorized_keys", "authorized_keys2"},
	},
	{
		reason: "a directory of keys", always: true,
		directories: []string{".ssh", ".gnupg", ".password-store"},
		anywhere:    []string{".local/share/keyrings", "library/keychains"},
	},
	{
		reason: "a directory of credentials", always: true,
		directories: []string{".aws", ".kube", ".azure", ".docker", ".oci", ".aliyun", ".bluemix", ".terraform.d"},
		anywhere: []string{
			".config/gcloud", ".config/gh", ".config/glab-cli", ".config/hub", ".config/doctl", ".config/hcloud", ".config/flyctl", ".config/op", ".config/rclone", ".config/containers",
			".config/helm", ".config/linode-cli", ".config/scw", ".m2/settings.xml", ".m2/settings-security.xml", ".gem/credentials", ".subversion/auth", ".fly/config.yml",
		},
	},
	{
		reason: "a file of credentials",
		names: []string{
			".env", ".env.local", ".npmrc", ".pypirc", ".netrc", "_netrc", ".git-credentials", ".pgpass", ".vault-token", ".dockercfg", ".terraformrc", "terraform.rc", ".s3cfg", ".boto", ".my.cnf", ".mylogin.cnf",
			"kubeconfig", ".htpasswd",
		},
	},
	{
		reason: "a shell configuration file",
		names: []string{
			".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".bash_completion", ".bash_functions", ".zshrc", ".zprofile", ".zshenv", ".zlogin", ".zlogout", ".zsh_aliases",
			".profile", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc", ".envrc", ".direnvrc", "config.fish", ".xonshrc",
			"microsoft.powershell_profile.ps1", "profile.ps1", ".bash_history", ".zsh_history", "fish_history",
		},
		directories: []string{".zsh", ".oh-my-zsh", ".oh-my-bash", ".bashrc.d", ".bash_it", ".zprezto"},
		anywhere:    []string{".config/fish", ".config/zsh", ".config/bash", ".config/direnv", ".config/powershell", ".config/nushell", "documents/windowspowershell", "documents/powershell", ".local/share/fish"},
		atRoot:      []string{"etc/profile", "etc/profile.d", "etc/bash.bashrc", "etc/bashrc", "etc/zsh", "etc/zshrc", "etc/zshenv", "etc/zprofile", "etc/fish", "etc/environment", "etc/inputrc"},
	},
	{
		reason: "a file that a program runs when it starts",
		names: []string{
			".vimrc", ".gvimrc", ".nvimrc", ".nvim.lua", ".lvimrc", ".exrc", ".dir-locals.el", ".dir-locals-2.el", ".ideavimrc", ".emacs", "init.el", ".spacemacs", ".nanorc", ".tmux.conf", ".screenrc", ".gdbinit", ".lldbinit", ".psqlrc", ".sqliterc",
			".mongorc.js", ".mongoshrc.js", ".rprofile", ".renviron", ".pythonrc", ".pythonrc.py", ".pythonstartup", ".pdbrc", ".pdbrc.py", "sitecustomize.py", "usercustomize.py", ".irbrc", ".pryrc",
			".ghci", ".perldb", ".xprofile", ".xinitrc", ".xserverrc", ".xsession", ".xsessionrc", ".pam_environment", ".curlrc", "_curlrc", ".wgetrc", ".lessfilter", ".lesskey", ".mailcap",
		},
		anywhere: []string{".config/tmux", ".ipython/profile_default/startup", "site-packages/*.pth", "dist-packages/*.pth", ".config/gdb"},
	},
	{
		reason:      "an editor's configuration",
		directories: []string{".vscode", ".vscode-server", ".vs", ".idea", ".fleet", ".zed", ".vim", ".emacs.d", ".doom.d"},
		anywhere:    []string{".config/nvim", ".config/vim", ".config/emacs", ".config/doom", ".config/helix", ".config/zed", ".config/code/user", ".config/jetbrains", "application support/code/user", ".config/micro"},
	},
	{
		reason: "an agent's configuration",
		names:  []string{".mcp.json", ".claude.json", "claude_desktop_config.json", ".aider.conf.yml", ".aider.conf.yaml", ".aider.model.settings.yml", "opencode.json", "opencode.jsonc"},
		directories: []string{
			".claude", ".codex", ".gemini", ".cursor", ".amp", ".continue", ".aider", ".windsurf", ".codeium", ".opencode", ".roo", ".cline", ".qwen", ".kiro", ".amazonq", ".copilot", ".goose",
		},
		anywhere: []string{".config/opencode", ".config/claude", ".config/goose", ".config/github-copilot"},
	},
	{
		reason:      "what a build server runs",
		names:       []string{".gitlab-ci.yml", ".gitlab-ci.yaml", ".travis.yml", "azure-pipelines.yml", "azure-pipelines.yaml", ".drone.yml", ".drone.yaml", ".drone.star", "bitbucket-pipelines.yml", "jenkinsfile", ".woodpecker.yml", ".woodpecker.yaml", "appveyor.yml", ".appveyor.yml", ".cirrus.yml", ".semaphore.yml", "cloudbuild.yaml", "buildspec.yml", "codefresh.yml", ".builds.yml"},
		anywhere:    []string{".github/workflows", ".github/actions", ".gitea/workflows", ".forgejo/workflows", ".gitlab/ci"},
		directories: []string{".circleci", ".buildkite", ".woodpecker", ".semaphore"},
	},
	{
		reason:      "what git hooks run",
		names:       []string{".pre-commit-config.yaml", ".pre-commit-config.yml", "lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", "lefthook.toml", "lefthook-local.yml", ".huskyrc", ".overcommit.yml"},
		directories: []string{".husky", ".githooks", ".git-hooks", ".lefthook"},
	},
	{ // T19: names of programs a toolchain runs by itself
		reason:      "a build tool's configuration",
		names:       []string{"rust-toolchain", "rust-toolchain.toml", ".tool-versions", "mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml", ".bazelrc", "bunfig.toml", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".condarc", ".gemrc", ".pip.conf", "pip.conf", "pip.ini", "nuget.config"},
		directories: []string{".cargo", ".mvn", ".devcontainer", ".rustup"},
		anywhere: []string{
			".gradle/init.gradle", ".gradle/init.gradle.kts", ".gradle/init.d", ".gradle/gradle.properties", ".config/pip", ".config/go", ".config/npm", ".config/yarn", ".config/nix", ".config/conda", ".config/mise",
			"application support/go/env", ".yarn/plugins", ".yarn/releases", ".bundle/config", ".sbt/plugins", ".ivy2",
		},
		atRoot: []string{"etc/pip.conf", "etc/npmrc", "etc/nix"},
	},
	{
		reason: "what is started without being told",
		names:  []string{"crontab", "anacrontab"},
		anywhere: []string{
			".config/systemd", ".config/autostart", ".config/environment.d", ".config/upstart", ".config/plasma-workspace", ".local/share/systemd", ".local/share/applications", ".local/share/dbus-1",
			"library/launchagents", "library/launchdaemons", "library/startupitems", "start menu/programs/startup", ".config/cron", ".config/mimeapps.list",
		},
		directories: []string{"launchagents", "launchdaemons"},
		atRoot: []string{
			"etc/cron.d", "etc/cron.hourly", "etc/cron.daily", "etc/cron.weekly", "etc/cron.monthly", "etc/crontab", "etc/anacrontab", "var/spool/cron", "var/spool/at", "etc/systemd", "etc/init.d",
			"etc/init", "etc/rc.local", "etc/rc.d", "etc/xdg/autostart", "etc/udev", "run/systemd", "etc/inittab", "etc/xinetd.d",
		},
	},
	{
		reason: "a configuration of the system",
		atRoot: []string{
			"etc/passwd", "etc/group", "etc/shadow", "etc/gshadow", "etc/master.passwd", "etc/sudoers", "etc/sudoers.d", "etc/doas.conf", "etc/pam.d", "etc/pam.conf", "etc/security", "etc/ssh", "etc/ssl",
			"etc/ca-certificates", "usr/local/share/ca-certificates", "etc/hosts", "etc/resolv.conf", "etc/nsswitch.conf", "etc/ld.so.preload", "etc/ld.so.conf", "etc/ld.so.conf.d", "etc/fstab",
			"etc/apt", "etc/yum.repos.d", "etc/polkit-1", "etc/selinux", "etc/apparmor.d", "etc/modprobe.d", "etc/modules", "etc/sysctl.conf", "etc/sysctl.d", "etc/docker", "etc/subuid", "etc/subgid",
			"etc/shells", "etc/login.defs", "etc/alternatives", "etc/binfmt.d", "boot", "efi", "system", "library/preferences",
			"windows", "program files", "program files (x86)", "c/windows", "c/program files", "c/program files (x86)",
		},
	},
	{
		reason: "a device or a part of the kernel",
		atRoot: []string{"dev", "proc", "sys"},
	},
	{ // T24: a program name must not come to mean another file
		reason: "a directory of programs or libraries",
		anywhere: []string{
			".local/bin", ".local/lib", "node_modules/.bin", ".venv/bin", "venv/bin", ".bun/bin", ".deno/bin", ".yarn/bin", ".npm-global", ".nvm", ".volta", ".pyenv", ".rbenv", ".asdf", ".sdkman", ".jenv",
			".local/share/mise",
		},
		atRoot: []string{
			"bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr/lib", "usr/lib32", "usr/lib64", "usr/libexec", "usr/bin", "usr/sbin", "usr/local/bin", "usr/local/sbin", "usr/local/lib", "usr/local/go",
			"usr/games", "snap/bin", "opt/homebrew/bin", "opt/homebrew/sbin", "opt/homebrew/lib", "opt/local/bin", "nix/store", "home/*/bin", "users/*/bin", "root/bin", "home/*/go/bin", "users/*/go/bin", "root/go/bin",
		},
		atHome: []string{"bin", "go/bin"},
	},
}

// randomDevices may be read without a secret coming out.
var randomDevices = names("/dev/random", "/dev/urandom")

// harmlessDevices may be written, and read without a secret coming out. The names of the standard
// streams are none of them: each opens its descriptor's file again.
var harmlessDevices = names("/dev/null", "/dev/zero", "/dev/full")
