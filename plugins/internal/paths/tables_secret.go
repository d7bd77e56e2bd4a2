package paths

// secretGroups are files and directories with keys, credentials or tokens: reading one is not
// read-only. The compared lists, and a way to repeat the comparison, are in RATIONALE.md, "Where
// does the table of secrets come from?". A name used by projects for ordinary files is only a
// secret in its program's own directory. Other dot files, shell start-up files among them, are no
// secrets.
var secretGroups = []group{
	{
		reason: "a key",
		names: []string{
			"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "*_rsa", "*_dsa", "*_ecdsa", "*_ed25519", "ssh_host_*_key",
			"*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.pkcs12", "*.pkcs8", "*.jks", "*.jceks", "*.bks", "*.keystore", "*.ppk", "*.private_key", "*.privkey", "*.keypair",
			"*.gpg", "*.asc.key", "*.age", "secring.gpg", "*.keytab", "krb5cc_*", "*.bek", "adbkey", "*.kwallet", "*.kwl",
		},
		directories: []string{".ssh", ".gnupg", ".pki", ".cert", ".keys", ".minisign", ".signify", ".sigstore", ".cosign", ".notary", ".step", ".acme.sh", ".caff", ".ecryptfs", ".fscrypt"},
		anywhere:    []string{".config/age", ".config/sops", "library/application support/sops", "appdata/roaming/sops", ".config/minisign", ".config/borg", ".config/letsencrypt"},
		atRoot: []string{
			"etc/ssl/private", "etc/pki/tls/private", "etc/letsencrypt/live", "etc/letsencrypt/archive", "etc/letsencrypt/accounts", "etc/cryptsetup-keys.d", "etc/salt/pki", "etc/docker/key.json",
			"var/lib/acme", "var/lib/caddy",
		},
		atHome: []string{".private"},
	},
	{
		reason: "a store of passwords",
		names:  []string{"*.kdbx", "*.kdb", "*.psafe3", "*.agilekeychain", "*.opvault", "*.keychain", "*.keychain-db", "login.keychain*", "*.keyring", "passwords.txt", "password.txt", "passwords*.csv"},
		directories: []string{
			".password-store", "keyrings", "keychains", ".1password", ".op", ".lastpass", ".lpass", ".fpm", ".keepass", ".keepassx", ".keepassxc", ".git-credential-cache",
		},
		anywhere: []string{
			".local/share/keyrings", ".gnome2/keyrings", ".local/share/kwalletd", "share/apps/kwallet", ".local/share/pki", ".local/share/plasma-vault", ".local/share/gopass", ".config/gopass", ".local/share/lpass",
			".config/op", ".config/1password", "library/application support/1password", "library/group containers/*1password*", "library/containers/com.1password*", "appdata/local/1password",
			".config/bitwarden", ".config/bitwarden cli", "library/application support/bitwarden", "library/application support/bitwarden cli", "appdata/roaming/bitwarden", "appdata/roaming/bitwarden cli",
			".config/keepass", ".config/keepassxc", ".local/share/keepass", ".config/enpass", ".config/sinew software systems", ".local/share/enpass", ".config/goa-1.0", ".local/share/rbw", ".cache/rbw",
			"appdata/roaming/microsoft/credentials", "appdata/local/microsoft/credentials", "appdata/roaming/microsoft/protect", "appdata/local/microsoft/vault", "windows/system32/config",
			"library/accounts", "library/application support/mobilesync",
		},
		atRoot: []string{"var/db/dslocal", "private/var/db/dslocal"},
		atHome: []string{".vaults"},
	},
	{
		reason: "a file of credentials",
		names: []string{
			".netrc", "_netrc", ".authinfo", ".htpasswd", ".htdigest", "shadow", "shadow-", "shadow+", "gshadow", "gshadow-", "gshadow+", "master.passwd", "opasswd", ".smbcredentials",
			"credentials", "credentials.json", ".credentials.json", "credentials.toml", "credentials.yml", "credentials.yaml", "credentials.xml", "credentials.db", "credentials.ini", "credentials*.csv", "*_accesskeys.csv",
			"*-credentials.json", "*_credentials.json", "pub-credentials.json", "credentials.tfrc.json", "credentials.yml.enc", "credentials-config.json", ".credentials_rsaparams",
			"secrets.yaml", "secrets.yml", "secrets.json", "secrets.toml", "secrets.env", "secret.yaml", "secret.yml", "secret.json", "*.secrets.yaml", "*.secrets.yml", "*.secrets.json", "*.tfvars.secret", "secret.txt", "secrets.txt",
			"secret_token.rb", "gitlab-secrets.json", "encrypted_data_bag_secret", "token", "token.json", "tokens.json", "token.pickle", "token.txt", "tokens.txt", "auth.json", "auth.toml", "oauth_creds.json",
			"oauth_token.json", "service-account*.json", "service_account*.json", "*-service-account.json", "*_service_account.json", "*-firebase-adminsdk-*.json", "*-sa-key.json", "client_secret*.json", "access_tokens.db",
			"application_default_credentials.json", "accesstokens.json", "msal_token_cache*", "api_key.txt", "api_keys.txt", "apikey.txt", "apikeys.txt", ".apikey", ".api_key", ".api_keys", ".token", ".password", ".passphrase", ".secret",
			"vault_pass", "vault_pass.txt", "vault-pass", "vault-pass.txt", "vault_password", "vault_password.txt", "vault-password", "vault-password.txt", ".vault_pass*", ".vault-pass*", ".ansible_vault*", ".vault-token",
			"wp-config.php", "localsettings.php", "unattend.xml", "autounattend.xml", "ntds.dit", "winscp.ini", "filezilla.xml", "recentservers.xml", "sitemanager.xml", "sftp-config.json", "keystore.properties", "key.properties",
			"sentry.properties", ".sentryclirc", ".curlrc", "_curlrc", ".wgetrc", ".cvspass", ".p4tickets", ".arcrc", ".trc", ".twurlrc", ".xauthority", "cookies.txt",
		},
		directories: []string{".credentials", ".secrets", ".davfs2"},
		anywhere: []string{
			".vnc", ".config/tigervnc", ".local/share/remmina", ".remmina", ".config/filezilla", ".filezilla", ".config/nextcloud", ".config/keybase", ".microsoft/usersecrets", "microsoft/usersecrets", ".config/syncthing", ".local/state/syncthing",
			".gdfuse", ".shodan", ".config/shodan", ".recon-ng", ".jira.d", ".config/.jira", ".config/argocd", ".config/atuin", ".local/share/atuin", ".jfrog", ".jenkins/secrets", ".tsh",
			".gitlab-runner", ".config/circleci",
		},
		atRoot: []string{
			"etc/sudoers", "etc/sudoers.d", "etc/security/opasswd", "run/secrets", "var/run/secrets", "run/credentials", "etc/credstore", "etc/credstore.encrypted", "etc/davfs2/secrets", "etc/samba/private", "var/lib/samba/private",
			"etc/postfix/sasl_passwd*", "etc/exim4/passwd.client", "etc/dovecot/private", "etc/ssmtp", "etc/msmtprc", "etc/mysql/debian.cnf", "etc/sssd", "var/lib/sss/secrets", "etc/ldap.secret", "etc/libnss-ldap.secret", "etc/pam_ldap.secret",
			"etc/nslcd.conf", "etc/boto.cfg", "etc/passwd-s3fs", "etc/gitlab-runner", "etc/libvirt/secrets", "etc/pve/priv", "etc/vault.d", "var/lib/jenkins/secrets", "var/jenkins_home/secrets", "var/lib/cloud/instance", "var/lib/cloud/instances", "var/lib/cloud/seed",
		},
		atHome: []string{".circleci/cli.yml", ".travis/config.yml", ".buildkite/config.json", ".astro/config.yaml", ".expo/state.json"},
	},
	{
		reason: "a file of variables with secrets",
		names:  []string{".env", ".env.local", ".envrc", ".envrc.*", ".dev.vars", ".dev.vars.*", ".renviron", "*.tfvars", "*.tfvars.json", "*.tfstate", "*.tfstate.*", "*.tfplan", "tfplan", "*.pkrvars.hcl", "*.auto.pkrvars.hcl"},
	},
	{
		reason: "a cloud provider's or service's login",
		names: []string{
			".boto", ".s3cfg", ".s3cmd", ".passwd-s3fs", "passwd-s3fs", "rclone.conf", ".rclone.conf", ".terraformrc", "terraform.rc", ".databrickscfg", "kaggle.json", ".civo.json", ".vultr-cli.yaml", ".ovh.conf", ".b2_account_info",
			"clouds.yaml", ".serverlessrc", ".modal.toml", "ngrok.yml", ".dockercfg", "kubeconfig", "kubeconfig.*ml", "kubeconfig.json", "*.kubeconfig", "talosconfig", "k3s.yaml", ".vast_api_key",
		},
		directories: []string{".aws", ".kube", ".azure", ".docker", ".oci", ".aliyun", ".bluemix", ".gcloud", ".kaggle", ".cloudflared", ".snowflake", ".snowsql", ".tugboat", ".ngrok2", ".talos", ".openclaw"},
		anywhere: []string{
			".config/gcloud", "appdata/roaming/gcloud", ".config/gh/hosts.yml", "github cli/hosts.yml", ".config/glab-cli", "library/application support/glab-cli", ".config/lab", ".config/tea", ".config/hub", ".config/doctl", "library/application support/doctl", ".config/hcloud",
			".config/flyctl", ".config/fly", ".fly/config.yml", ".config/rclone", ".config/linode-cli", ".config/scw", ".config/exoscale", ".config/openstack", ".config/yandex-cloud", ".config/stripe", ".config/ngrok", "library/application support/ngrok",
			".config/netlify", "library/preferences/netlify", ".netlify/config.json", ".local/share/com.vercel.cli", "library/application support/com.vercel.cli", ".config/com.vercel.cli", ".wrangler/config", ".config/.wrangler", "library/preferences/.wrangler",
			".supabase/access-token", ".railway/config.json", ".render/cli.yaml", ".local/share/heroku", ".config/heroku", ".config/configstore", ".config/firebase", ".config/containers/auth.json", ".config/helm/registry.json",
			".config/helm/repositories.yaml", "library/preferences/helm", ".terraform.d/credentials.tfrc.json", ".pulumi/credentials.json", ".databricks/token-cache.json", ".config/snowflake", ".config/kaggle", ".cache/huggingface/token", ".cache/huggingface/stored_tokens",
			".huggingface/token", ".config/b2", ".mc/config.json", ".ngc/config", ".runpod", ".config/vastai", ".dbt/profiles.yml", ".config/tailscale", ".fastlane/spaceship",
			"appdata/roaming/netlify", "appdata/roaming/xdg.config/netlify", "appdata/roaming/github cli", ".argocd/config", ".config/vultr-cli.yaml",
		},
		atRoot: []string{"etc/kubernetes", "etc/rancher", "var/lib/kubelet", "var/lib/rancher", "var/lib/tailscale", "var/lib/zerotier-one", "etc/openstack"},
	},
	{
		reason: "an agent's or model provider's login",
		names:  []string{".claude.json", ".claude.json.*", "claude_desktop_config.json"},
		anywhere: []string{
			".config/claude", ".codex/auth.json", ".gemini/oauth_creds.json", ".claude/.credentials.json", ".local/share/opencode/auth.json", ".config/github-copilot", "appdata/local/github-copilot", ".copilot/config.json", ".continue/config.json",
			".continue/config.yaml", ".codeium/config.json", ".codeium/windsurf/mcp_config.json", ".config/io.datasette.llm/keys.json", "library/application support/io.datasette.llm/keys.json", ".config/openai", ".config/anthropic", ".openai", ".anthropic", ".config/shell_gpt", ".config/aichat", ".config/goose/secrets.yaml",
		},
		atHome: []string{".cursor/mcp.json", ".config/mods/mods.yml"},
	},
	{
		reason: "a package registry's login",
		names:  []string{".npmrc", ".pypirc", ".git-credentials", "pip.conf", ".pip.conf", "pip.ini", ".condarc", ".conanrc"},
		anywhere: []string{
			".config/pip", ".config/uv/credentials", ".local/share/uv/credentials", ".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties", ".gem/credentials", ".cargo/credentials", ".subversion/auth", ".bazaar/authentication.conf",
			".config/breezy/authentication.conf", ".nuget/nuget/nuget.config", ".config/nuget/nuget.config", "appdata/roaming/nuget/nuget.config", ".hex/hex.config", ".config/hex/hex.config", ".continuum", ".pause", ".ivy2/.credentials", ".sbt/.credentials",
			".composer/auth.json", ".config/composer/auth.json", ".conan2/credentials.json",
		},
		atHome: []string{".yarnrc", ".yarnrc.yml", ".bundle/config", ".config/.bundle/config", ".hgrc", ".config/hg/hgrc"},
	},
	{ // "git config --list" prints the same: http.extraheader, url.*.insteadOf
		reason:   "git's configuration, which may hold tokens",
		names:    []string{".gitconfig"},
		anywhere: []string{".git/config", ".config/git/config", ".git/modules/*/config", ".git/worktrees/*/config.worktree", ".git/config.worktree"},
	},
	{
		reason: "a database's login",
		names: []string{
			".pgpass", "pgpass.conf", ".pg_service.conf", "pg_service.conf", ".my.cnf", ".mylogin.cnf", ".mysql_secret", ".dbshell", "dbeaver-data-sources.xml", ".dbeaver-data-sources.xml", "robomongo.json", "cqlshrc", ".cqlshrc", ".odbc.ini", "cwallet.sso", ".rediscli_auth", "proftpdpasswd",
		},
		anywhere: []string{".config/dbeaver", ".influxdbv2", ".pgadmin", ".3t"},
	},
	{
		reason: "a browser's store",
		names: []string{
			"cookies.sqlite", "cookies.sqlite-wal", "key3.db", "key4.db", "logins.json", "login data", "login data for account", "cookies", "cookies-journal", "cookies.binarycookies", "web data", "signons.sqlite",
		},
		directories: []string{".mozilla", ".librewolf", ".waterfox"},
		anywhere: []string{
			".config/google-chrome", ".config/google-chrome-beta", ".config/google-chrome-unstable", ".config/chromium", "chromium/common/chromium", ".config/bravesoftware", ".config/microsoft-edge", ".config/microsoft-edge-beta", ".config/microsoft-edge-dev", ".config/vivaldi",
			".config/opera", ".local/share/qutebrowser", ".local/share/epiphany", ".local/share/torbrowser", ".var/app",
			"library/application support/google/chrome", "library/application support/firefox", "library/application support/microsoft edge", "library/application support/bravesoftware", "library/application support/arc", "library/application support/vivaldi", "library/application support/chromium",
			"library/safari", "library/cookies", "library/containers/com.apple.safari", "appdata/local/google/chrome/user data", "appdata/local/microsoft/edge/user data", "appdata/local/bravesoftware", "appdata/roaming/mozilla",
			"appdata/roaming/opera software", "appdata/local/vivaldi",
		},
	},
	{
		reason: "a mail or chat program's store",
		names:  []string{".muttrc", "muttrc", ".neomuttrc", ".msmtprc", ".fetchmailrc", ".getmailrc", ".offlineimaprc", ".mbsyncrc", ".isyncrc", ".mailrc", "otr.private_key"},
		directories: []string{
			".mutt", ".thunderbird", ".icedove", ".claws-mail", ".sylpheed-2.0", ".getmail", ".balsa", ".purple", ".irssi", ".weechat", ".xchat2", ".telegramdesktop", ".viberpc",
		},
		anywhere: []string{
			".config/mutt", ".config/neomutt", ".config/msmtp", ".config/offlineimap", ".config/isyncrc", ".config/mbsync", ".config/aerc/accounts.conf", ".config/himalaya", ".config/evolution", ".local/share/evolution", ".config/geary", ".config/electron-mail",
			".config/slack", ".config/discord", ".config/discordcanary", ".config/signal", ".config/element", ".config/riot", ".config/mattermost", ".config/rocket.chat", ".config/wire", ".config/zulip", ".config/whalebird", ".config/teams", ".config/microsoft/microsoft teams",
			".config/irssi", ".config/weechat", ".local/share/weechat", ".config/hexchat", ".config/gajim", ".local/share/telegramdesktop", ".config/joplin", ".config/joplin-desktop", ".config/standard notes",
			"library/application support/slack", "library/application support/discord", "library/application support/signal", "library/application support/telegram desktop", "library/application support/element", "library/application support/thunderbird", "library/application support/microsoft/teams",
			"library/thunderbird", "library/messages", "library/mail", "appdata/roaming/slack", "appdata/roaming/discord", "appdata/roaming/signal", "appdata/roaming/telegram desktop", "appdata/roaming/element", "appdata/roaming/thunderbird",
		},
	},
	{
		reason:      "a wallet",
		names:       []string{"wallet.dat", "*.wallet"},
		directories: []string{".bitcoin", ".litecoin", ".dogecoin", ".namecoin", ".peercoin", ".vertcoin", ".feathercoin"},
		anywhere: []string{
			".dashcore", ".zcash", ".bitmonero", ".monero", ".electrum", ".electrum-ltc", ".exodus", ".armory", ".multidoge", ".near-credentials", ".ethereum/keystore", "ethereum/keystore", ".foundry/keystores", ".brownie/accounts",
			".config/solana", ".sui/sui_config", ".aptos/config.yaml", ".config/bitcoin", ".config/exodus", ".config/ledger live", ".config/atomic", ".config/cointop",
			"library/application support/bitcoin", "library/application support/exodus", "library/application support/electrum", "library/application support/ledger live", "appdata/roaming/bitcoin", "appdata/roaming/exodus", "appdata/roaming/electrum", "appdata/roaming/ledger live",
		},
	},
	{
		reason:      "a network's key",
		names:       []string{"*.ovpn", "wg*.conf", "*.rdp", "*.tblk"},
		directories: []string{".openvpn"},
		anywhere:    []string{".config/openvpn", ".config/wireguard", ".config/nordvpn", ".config/protonvpn", ".cisco/vpn"},
		atRoot: []string{
			"etc/wireguard", "etc/openvpn", "etc/ipsec.secrets", "etc/ipsec.d/private", "etc/swanctl", "etc/strongswan", "etc/ppp/chap-secrets", "etc/ppp/pap-secrets", "etc/networkmanager/system-connections", "run/networkmanager/system-connections",
			"etc/netplan", "etc/wpa_supplicant", "var/lib/iwd", "var/lib/bluetooth", "etc/hostapd",
		},
	},
	{ // people type secrets into commands
		reason:   "a history of commands",
		names:    []string{"*_history", ".history", ".zhistory", ".histfile", ".python-history", ".pythonhist", "consolehost_history.txt", ".lesshst", ".viminfo"},
		anywhere: []string{".bash_sessions", ".zsh_sessions", ".local/share/fish/fish_history", ".config/nushell/history.*", ".local/share/klipper"},
	},
	{
		reason: "Callgate's own", own: true,
		directories: []string{".callgate"},
		anywhere:    []string{".config/callgate", ".local/state/callgate", ".local/share/callgate"},
		atRoot:      []string{"etc/callgate", "var/lib/callgate", "run/callgate"},
	},
}
