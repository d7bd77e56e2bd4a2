# Sums the machine code of a binary by the library behind it, in MB. Input: go tool nm -size of a
# binary with symbols. The order of the rules counts; a name without a rule is the standard library's.
tolower($3) == "t" { code[group($4)] += $2; all += $2 }

function group(name) {
	if (name ~ /^(main\.|github\.com\/callgate\/)/) return "Callgate"
	if (name ~ /wazero\//) return "wazero"
	if (name ~ /^(modernc\.org|github\.com\/(remyoudompheng|dustin))\//) return "SQLite"
	if (name ~ /^(github\.com\/(jackc|pressly|sethvargo|mfridman)|go\.uber\.org)\//) return "PostgreSQL and migrations"
	if (name ~ /^github\.com\/(bwmarrin|gorilla)\//) return "Discord"
	if (name ~ /^(github\.com\/(prometheus|beorn7|cespare|munnerz)|google\.golang\.org)\//) return "Prometheus"
	if (name ~ /^(github\.com\/(google\/jsonschema-go|goccy|pelletier|tailscale|go-json-experiment)|go\.yaml\.in)\//) return "JSON, YAML, TOML and schemas"
	if (name ~ /^github\.com\/(go-webauthn|google|fxamacker|tinylib|philhofer|golang-jwt|x448|go-viper)\//) return "WebAuthn"
	if (name ~ /^(charm\.land|github\.com\/(charmbracelet|spf13|catppuccin|lucasb-eyer|rivo|clipperhouse|mattn|muesli|xo|atotto|mitchellh))\//) return "command line and terminal"
	if (name ~ /^github\.com\/evanw\//) return "esbuild"
	if (name ~ /^go\.starlark\.net\//) return "Starlark"
	if (name ~ /^golang\.org\/x\//) return "golang.org/x"
	if (name ~ /^github\.com\//) return "other libraries"
	return "Go runtime and standard library"
}

END {
	for (g in code) printf "%6.2f  %s\n", code[g] / 1e6, g | "sort -rn"
	close("sort -rn")
	printf "%6.2f  all\n", all / 1e6
}
