package program

import "strings"

const shellOptions = "-abBCDeEfhHikKlmnpPrstTuvx -c -o=+ -O=+ +abBCeEfhHkmnpPtTuvx +o= +O= --rcfile|--init-file=< --login --norc --noprofile --noediting --posix --restricted --verbose --debug --debugger --dump-strings --dump-po-strings --wordexp --pretty-print --emulate=+ --no-rcs --no-globalrcs --version --help"

// codeRows are the shells, the interpreters and the editors: programs that follow a script, or
// input from their terminal.
var codeRows = []Row{
	{
		Name: "sh|bash|dash|zsh|ksh|mksh|ash|rbash|rzsh|ksh93|oksh|yash|posh|lksh|pdksh|hush", Terminal: true, Stop: true, AsksIf: interactiveShell, Version: "bash,zsh,ksh,ksh93,rbash,sh,dash:--version bash,zsh,rbash:--help",
		Options: shellOptions, Operands: "x t*", With: []Form{{"-c", "l t*"}, {"-s", "t*"}},
	},
	{Name: "fish", Terminal: true, Stop: true, AsksIf: interactiveShell, Version: "--version -v", Options: "-c|--command=& -C|--init-command=& -d|--debug= -o|--debug-output=> -f|--features= -i|--interactive -l|--login -n|--no-execute -N|--no-config -p|--profile=> --profile-startup=> -P|--private --print-rusage-self -D|--debug-stack-frames= -h|--help -v|--version", Operands: "x t*", With: []Form{{"-c", "t*"}}},
	{Name: "csh|tcsh", Terminal: true, Stop: true, AsksIf: interactiveShell, Version: "tcsh:--version", Options: "-bdefFilmnqstvVxX -c=& -D=", Operands: "x t*", With: []Form{{"-c", "t*"}}},
	{Name: "nu|nushell|xonsh|elvish|ion|oil|osh|ysh|murex", Terminal: true, Stop: true, Version: "nu,elvish,xonsh:--version", Options: "-c|--commands=& -e|--execute=& -i|--interactive -l|--login --no-config-file --config=< --env-config=< -n -h|--help -v|-V|--version", Operands: "x t*", With: []Form{{"-c", "t*"}}},
	{
		Name: "pwsh|powershell|pwsh-preview", OneDash: true, Terminal: true, Stop: true, Version: "pwsh:--version,-version,-Version,-v,-Help,-help,-h,-?",
		Options: "-c|-Command|-command=&. -EncodedCommand|-encodedcommand|-enc|-ec|-e=&. -File|-file|-f=<. -NoProfile|-noprofile|-nop -NonInteractive|-noninteractive|-noni -NoLogo|-nologo -NoExit|-noexit -ExecutionPolicy|-executionpolicy|-ep|-ex= -WorkingDirectory|-wd|-w=< -InputFormat|-if= -OutputFormat|-of|-o= -Login|-l -Interactive|-i -ConfigurationName|-config= -WindowStyle= -Sta -Mta -Version|-version|-v -Help|-help|-h",
		Told:    "-File", Operands: "x t*", With: []Form{{"-c -EncodedCommand -File", "t*"}},
	},

	// Interpreters.
	{
		Name: "python|pypy|pypy3|micropython|jython|bpython|ptpython|ipython", ChoosesIf: pythonChooses, Terminal: true, Stop: true, Told: "-m", Version: "python,pypy,pypy3,ipython:--version python:-V,-VV,-h,--help",
		Options: "-c=&. -m=. -bBdEhiIOPqRsSuvVx -W= -X= --check-hash-based-pycs= --help --help-env --help-xoptions --help-all --version --no-banner --pylab= --profile=", Operands: "x t*", With: []Form{{"-c -m", "t*"}},
	},
	{
		Name: "node|iojs", Terminal: true, Stop: true, Told: "--test --run", Version: "node:--version,-v,-h,--help",
		Options:  "-e|--eval=&~ -p|--print=&+~ -c|--check -i|--interactive -r|--require=<~ --import=<~ --loader|--experimental-loader=<~ -C|--conditions= --input-type= --env-file=<~ --env-file-if-exists=<~ --title= --test --run= --watch --watch-path=< --inspect=? --inspect-brk=? --inspect-port= --max-old-space-size= --stack-trace-limit= --unhandled-rejections= --icu-data-dir=< --openssl-config=<~ --diagnostic-dir=/ --cpu-prof-dir=/ --redirect-warnings=> --experimental-default-type= --test-name-pattern= --test-reporter= --test-reporter-destination=> --trace-event-categories= --trace-event-file-pattern= -h|--help -v|--version --abort-on-uncaught-exception --build-snapshot --cpu-prof --heap-prof --enable-source-maps --expose-gc --experimental-strip-types --experimental-vm-modules --experimental-modules --harmony --interpreted-frames-native-stack --no-warnings --no-deprecation --pending-deprecation --preserve-symlinks --throw-deprecation --trace-warnings --trace-deprecation --trace-exit --trace-uncaught --use-openssl-ca --v8-options --zero-fill-buffers --permission --allow-fs-read= --allow-fs-write= --allow-child-process",
		Operands: "x t*", With: []Form{{"-e -p", "t*"}, {"--run", "t*"}},
	},
	// "nodejs" is node; its name is kept apart because AgentScope does not read its version.
	{Name: "nodejs", Terminal: true, Stop: true, Told: "-v --version -h --help", Options: "-e|--eval=& -p|--print=&+ -c|--check -i|--interactive -r|--require=< --import=< --loader=< -v|--version -h|--help", Operands: "x t*", With: []Form{{"-e -p", "t*"}}},
	{
		Name: "ruby|jruby|rbx|truffleruby", Terminal: true, Stop: true, Version: "ruby:--version,-v,-h,--help", Touches: scriptTouches,
		Options: "-e=& -n -p -a -i=? -l -s -S -r=<~ -I=<~ -C=< -E|--encoding= -F=? -K=? -T=? -U -W=? -X=? -c -d|--debug -h|--help -v|--verbose -w -x=? -y --external-encoding= --internal-encoding= --enable= --disable= --jit --yjit --copyright --version --dump= --parser= -#", Operands: "x t*", With: []Form{{"-e", "r*"}},
	},
	{
		Name: "perl|cperl", Terminal: true, Stop: true, Version: "perl:--version,-v,-V,-h,--help", Touches: scriptTouches,
		Options: "-e=& -E=& -n -p -a -i=? -l -s -S -I=<~ -M=?~ -m=?~ -C -D=? -d=?~ -c -F=? -f -g -t -T -u -U -v -V=? -w -W -X -x=? -h --help --version -#", Operands: "x t*", With: []Form{{"-e -E", "r*"}},
	},
	{Name: "php|php-cgi|hhvm", Terminal: true, Stop: true, Told: "-f -S -i -m --ini --rf --rc --re --rz --ri -v -h -l -s -w", Version: "php:--version,-v,-h,--help,-m,--ini", Options: "-r|--run=& -B|--process-begin=& -R|--process-code=& -E|--process-end=& -F|--process-file=< -f|--file=< -d|--define=~ -c|--php-ini=<~ -z|--zend-extension=<~ -S|--server=@ -t|--docroot=< -a|--interactive -C -e -H -i|--info -l|--syntax-check -m|--modules -n -q -s -w -h|--help -v|--version --ini --rf= --rc= --re= --rz= --ri=", Operands: "x t*", With: []Form{{"-r -B -R -E", "t*"}, {"-f", "t*"}}},
	{Name: "lua|luajit|luau|texlua", Terminal: true, Stop: true, Version: "lua:-v luajit:-v", Options: "-e=& -l= -i -v -E -W -b -j= -O=? -", Operands: "x t*"},
	{Name: "osascript", AsksIf: appleScriptAsks, Terminal: true, Stop: true, Options: "-e=& -l= -i -s=", Operands: "x t*", With: []Form{{"-e", "t*"}}},
	{Name: "Rscript|rscript", Terminal: true, Stop: true, Version: "Rscript:--version,--help", Options: "-e=& --default-packages= --vanilla --slave --no-echo --no-save --no-restore --no-environ --no-site-file --no-init-file --restore --save --verbose --version --help", Operands: "x t*", With: []Form{{"-e", "t*"}}},
	{Name: "R", Terminal: true, Told: "-f -d --version --help", Version: "--version --help -h", Options: "-e=& -f|--file=< -q|--quiet|--silent -s|--slave|--no-echo --no-save --no-restore --no-environ --no-site-file --no-init-file --no-readline --no-restore-data --no-restore-history --vanilla --save --restore --interactive --args --encoding= -g|--gui= -d|--debugger=! --debugger-args= --arch= --version -h|--help --max-ppsize= --min-nsize= --min-vsize=", Operands: "t*"},
	{Name: "julia", Terminal: true, Stop: true, Version: "--version --help -v -h", Options: "-e|--eval=& -E|--print=& -m|--module= -L|--load=< -p|--procs= -t|--threads= -C|--cpu-target= -J|--sysimage=< -H|--home=< -O|--optimize=? -g=? -i -q|--quiet --project=? --startup-file= --banner= --color= --history-file= --depwarn= --warn-overwrite= --compiled-modules= --pkgimages= --code-coverage=? --track-allocation=? --check-bounds= --inline= --math-mode= --heap-size-hint= --machine-file=< -h|--help -v|--version", Operands: "x t*", With: []Form{{"-e -E -m", "t*"}}, Told: "-m"},
	{Name: "elixir|iex", Terminal: true, Stop: true, Version: "elixir,iex:--version elixir:-v,-h,--help", Options: "-e|--eval=& --rpc-eval=2& -r=< -S=. -pa=< -h|--help -v|--version --name= --sname= --cookie= --hidden --no-halt --erl= --logger-otp-reports= --logger-sasl-reports= --dbg= --remsh= --dot-iex=<", OneDash: true, Told: "-S", Operands: "x t*", With: []Form{{"-S", "t*"}}},
	{Name: "erl|escript", OneDash: true, Terminal: true, Version: "erl:-version", Options: "-eval=& -noshell -noinput -s= -run= -name= -sname= -setcookie= -pa=< -pz=< -config=< -boot=< -detached -hidden -mode= -extra=. -args_file=< -env=2 -remsh= -mnesia= -make -man= -version", Told: "-make -noinput", Operands: "x? t*"},
	{Name: "groovy|scala|kotlin|kotlinc|jshell|beanshell|bsh|amm|scala-cli", OneDash: true, Terminal: true, Stop: true, Version: "groovy,scala,jshell:--version groovy:-v scala:-version kotlin:-version kotlinc:-version", Options: "-e|-eval=& -cp|-classpath|-class-path=< -i=? -n -p -D= -J= -howtorun= -nc -save -d=/ -version|-v -help|-h", Operands: "x t*", With: []Form{{"-e", "t*"}}},
	{Name: "ghci|runghc|runhaskell|ocaml|utop|swipl|sbcl|clisp|ecl|guile|racket|chicken|csi|gsi|mit-scheme|scheme|gforth|octave|matlab|maxima|gp|sage|gap|mathematica|wolframscript|gnuplot|maple|sml|poly|mosml|rakudo|raku|perl6|coffee|ts-node|tsx|babel-node|esr|evcxr|cling|root|rust-script|gore|yaegi|hy|hylang|janet|fennel|wren|rebol|pike|euphoria|squirrel", Terminal: true, Stop: true, Version: "ghci,ocaml,octave,swipl,sbcl,guile,gnuplot,raku,ts-node,tsx:--version", Options: "-e|--eval=& -p|--print=& -c=& -g=& -f|--file=< -l|--load=< -q|--quiet -i -s=< -t= -n -x -r|--require=< -P|--project=< --script=<", Told: "-f --script -l", Operands: "x t*", With: []Form{{"-e -p -c -g", "t*"}}},
	{Name: "tclsh|wish|jimsh|expect|expectk", Terminal: true, Stop: true, Options: "-c=& -f=< -b=< -d -D= -i -N -n -v -encoding=", OneDash: true, Told: "-f -b", Operands: "x t*"},
	{Name: "irb|pry|byebug|ripl", Terminal: true, Version: "irb:--version,-v", Options: "-r=< -I=< -f -d -w -U -E= -W=? -e|--exec=& --noecho --nocolorize --simple-prompt --context-mode= -v|--version -h|--help", Operands: "x? t*"},
	{Name: "m4|gm4", Terminal: true, Options: "-D|--define= -I|--include=< -U|--undefine= -P|--prefix-builtins -s|--synclines -E|--fatal-warnings -Q|--quiet|--silent -e|--interactive -g|--gnu -G|--traditional -H|--hashsize= -L|--nesting-limit= -F|--freeze-state=> -R|--reload-state=< -d --debug=? --debugfile=?> -l|--arglength= -o|--error-output=> -t|--trace= -B= -S= -T= -i -W= --help --version", Operands: "x*", Version: "m4,gm4:--version,--help"},

	// Databases and remote terminals.
	{
		Name: "psql|pgcli|vsql", Terminal: true, Told: "-f -l -V -?", Version: "psql,pgcli:--version psql:-V,--help,-?",
		Options: "-c|--command=& -f|--file=< -l|--list -h|--host=@ -p|--port= -U|--username= -d|--dbname= -o|--output=> -L|--log-file=> -v|--set|--variable= -P|--pset= -F|--field-separator= -R|--record-separator= -T|--table-attr= -a|--echo-all -A|--no-align -b|--echo-errors -e|--echo-queries -E|--echo-hidden -H|--html -n|--no-readline -q|--quiet -s|--single-step -S|--single-line -t|--tuples-only -V|--version -w|--no-password -W|--password -x|--expanded -X|--no-psqlrc -z|--field-separator-zero -0|--record-separator-zero -1|--single-transaction -?|--help=? --csv", Operands: "t? t?",
	},
	{Name: "mysql|mariadb|mycli", Terminal: true, Told: "-V -?", Version: "mysql,mariadb,mycli:--version mysql:-V mariadb:-V", Options: "-e|--execute=& -h|--host=@ -u|--user= -p --password=? -P|--port= -D|--database= -S|--socket= -A|--no-auto-rehash -B|--batch -C|--compress -E|--vertical -f|--force -H|--html -N|--skip-column-names -r|--raw -s|--silent -t|--table -v|--verbose -V|--version -w|--wait -X|--xml -b|--no-beep -c|--comments -i|--ignore-spaces -n|--unbuffered -q|--quick -U|--safe-updates -?|--help --defaults-file=<~ --defaults-extra-file=<~ --defaults-group-suffix= --login-path= --init-command=& --delimiter= --default-character-set= --protocol= --ssl-ca=< --ssl-cert=< --ssl-key=< --ssl-mode= --tee=> --pager=?$ --connect-timeout= --max-allowed-packet=", Operands: "t?"},
	{
		Name: "sqlite3|sqlite|litecli|duckdb|sqlcipher", OneDash: true, Terminal: true, Told: "-version -help", Version: "sqlite3,litecli,duckdb:--version sqlite3:-version,-help,--help",
		Options: "-A -append -ascii -bail -batch -box -column -cmd=& -c|-s=& -csv -deserialize -echo -f|-file=< -init=< -header -noheader -help -html -interactive -json -jsonlines -line -list -lookaside=2 -markdown -maxsize= -memtrace -mmap= -newline= -nofollow -noinit -nonce= -nullvalue= -pagecache=2 -pcachetrace -quote -readonly -safe -separator= -stats -table -tabs -ui -unsafe-testing -unsigned -version -vfs= -zip", Operands: "w? s*",
	},
	{Name: "mongosh|mongo", Terminal: true, Told: "-f", Version: "mongosh,mongo:--version", Options: "--eval=& -f|--file=< -u|--username= -p|--password=? --host=@ --port= --authenticationDatabase= --authenticationMechanism= --tls --tlsCAFile=< --tlsCertificateKeyFile=< --quiet --norc --nodb --json=? --shell --retryWrites --verbose -h|--help --version --apiVersion=", Operands: "t? x*"},
	{Name: "redis-cli|valkey-cli|keydb-cli", Terminal: true, Told: "--version --help --scan --bigkeys --memkeys --hotkeys --stat --latency --rdb --pipe --eval", Version: "redis-cli,valkey-cli:--version redis-cli:-v", Options: "-h=@ -p= -s= -a= -n= -u= -i= -r= -d= -D= -t= -x -X= -c -e -3 -4 -6 --user= --pass= --askpass --raw --no-raw --quoted-input --csv --json --quoted-json --show-pushes= --stat --latency --latency-history --latency-dist --lru-test= --replica --rdb=> --functions-rdb=> --pipe --pipe-timeout= --bigkeys --memkeys --memkeys-samples= --hotkeys --scan --pattern= --count= --quoted-pattern= --intrinsic-latency= --eval=< --ldb --ldb-sync-mode --cluster= --verbose --no-auth-warning --tls --sni= --cacert=< --cacertdir=< --cert=< --key=< --help -v|--version", Operands: "s t*"},
	{Name: "ftp|lftp|telnet|tnftp|cftp|ncftp|rlogin|rsh|minicom|cu|picocom|bluetoothctl|nmtui|wpa_cli", Fetches: true, Terminal: true, Version: "lftp:--version", Options: "-e=& -c=& -f=< -u= -p= -l= -n -v -i -d -g -a -4 -6 -P= -o=>", Told: "-f", Operands: "h? t*"},

	// Editors, and other programs for a person at a screen.
	{Name: "ed|red", Terminal: true, Touches: opened, Options: "-E|--extended-regexp -G|--traditional -l|--loose-exit-status -p|--prompt= -q|--quiet|--silent -r|--restricted -s|--script -v|--verbose -V|--version -h|--help --strip-trailing-cr --unsafe-names", Operands: "w?", Version: "ed:--version,--help,-V,-h"},
	{
		Name: "vim|vi|nvim|view|gvim|ex|vimdiff|rvim|rview|evim|gview|nvi|vimtutor|elvis|vile|neovide|mvim", AsksIf: editorAsks, Touches: opened, Version: "vim,nvim,gvim,vi:--version vim:-h,--help nvim:-v,-h,--help",
		Options: "-c=& --cmd=& -S=< -s=< -u=< -U=< -w=> -W=> -i=< -T= -t= -q=< -r=? -L=? -p=? -o=? -O=? -d -D -b -e -E -f -g -H -A -F -l -M -m -N -n -R -v -V=? -x -X -y -Y -Z -z -C -h|--help --version --clean --noplugin --startuptime=> --servername= --remote --remote-expr=& --remote-send=& --headless --listen= --embed --not-a-term --literal --nofork", Operands: "w*",
	},
	{Name: "emacs|emacsclient|xemacs|zile|mg|jove|jed", AsksIf: editorAsks, Touches: opened, Version: "emacs,emacsclient:--version,--help", OneDash: true, Options: "-eval|-execute=& -e=& -batch -l|-load=< -f|-funcall= -script=< -Q|-quick -q|-no-init-file -nw|-t|-tty -nl -d|-display= -u|-user= -L|-directory=< -insert=< -visit|-file|-find-file=< -kill -daemon -a|-alternate-editor=! -c|-create-frame -n|-no-wait -s|-socket-name= -F|-frame-parameters= -version|-V -help|-H", Operands: "w*"},
	{Name: "nano|pico|rnano|micro|helix|hx|kak|joe|jstar|jmacs|ne|tilde|amp|zed|dte|mcedit|sensible-editor|editor|select-editor", AsksIf: editorAsks, Touches: opened, Version: "nano,micro,hx,helix:--version nano:-V,-h,--help", Options: "-c -C=/ -s|--speller=$ -o|--operatingdir=< -T= -r= -Q= -Y= -f|--rcfile=< -J= -u -v -e=& -E=& -w -x -m -l -i -K= -X=", Operands: "w*"},
	{Name: "ranger|nnn|lf|vifm|yazi|broot|fzf|sk|peco|percol|htop|btop|bpytop|atop|glances|nvtop|iotop|iftop|nethogs|bmon|gotop|bashtop|gitk|mutt|neomutt|alpine|pine|irssi|weechat|lynx|w3m|elinks|links|links2|browsh|newsboat|cmus|mocp|dialog|whiptail|zenity|gum", AsksIf: editorAsks, Version: "fzf,htop,btop,glances,yazi,broot,gum,lynx:--version", Operands: "t*"},
	// Programs that run a command in a terminal of its own.
	{
		Name: "screen", AsksIf: screenAsks, Version: "-ls -list -v --version --help -h", Stop: true,
		Options:  "-a -A -c=< -d -D -e= -f -h= -i -l -L -m -O -p= -q -Q -r -R -s= -S= -t= -T= -U -v -x -X --version --help",
		Operands: "c", With: []Form{{"-X -Q", "s*"}, {"-r -R -x", "t? c?"}},
	},
	{Name: "dtach", Stop: true, Options: "-A= -c= -n= -N= -a= -p= -e= -E -r= -z", Operands: "c"},
	{Name: "abduco", Stop: true, Options: "-f -r -q -l -v -n -c -a -A -e=", Operands: "t? c", With: []Form{{"-a", "t*"}}},
	{Name: "mosh", Stop: true, Options: "-4 -6 -a -n -p|--port= --ssh=$ --server=$ --client=$ --predict= --family= --bind-server= --no-init --local --experimental-remote-ip=", Operands: "h c"},
	{
		Name: "xterm|uxterm|rxvt|urxvt|lxterm|xfce4-terminal|mate-terminal|gnome-terminal|konsole|tilix|terminator|foot|alacritty|kitty|wezterm|ghostty|x-terminal-emulator|ttyd|gotty", OneDash: true, Stop: true, AsksIf: terminalAsks, Version: "alacritty,kitty,wezterm,foot,konsole:--version xterm:-version",
		Options: "-e -x -hold -T|-title= -t= -p|-port= -W -w -d= -c= -o= -class= -geometry|-geom= -bg= -fg= -fn= -fa= -fs= -working-directory=< -version -help", Operands: "c",
	},
	{Name: "zellij|byobu|kitten", AsksIf: terminalAsks, Stop: true, Options: "-s= -l= -c=< -d -h|--help -V|--version", Operands: "s*", Version: "zellij,kitten:--version zellij:-V"},
}

// tmuxRows are tmux and its commands in a server started by it.
var tmuxRows = family(Row{Name: "tmux|tmate", AsksIf: tmuxAsks, Operands: "s*", Version: "tmux:-V tmate:-V", Options: "-2 -C -D -l -N -u -U -v -V -c=$ -f=<! -L= -S= -T= "}, "",
	tmuxLists("ls|list-sessions|lsw|list-windows|lsp|list-panes|lsc|list-clients|lsb|list-buffers|lscm|list-commands|lsk|list-keys|has|has-session|display|display-message|info|server-info", "-a -p -r -s -v -l -N -1 -P= -T= -F= -f= -O= -t= -c= -d= "),
	unless(tmuxMore, reading("capture-pane|capturep", "", "-a -C -e -J -M -N -P -p -q -T -b= -E= -S= -t=")),
	unless(tmuxMore, reading("load-buffer|loadb", "r", "-w! -b= -t=!")),
	acting("new|new-session", "j", "-A -d -D -E -P -X -c=< -e= -f= -F= -n= -s= -t= -x= -y="),
	acting("neww|new-window", "j", "-a -b -d -k -P -S -c=< -e= -F= -n= -t="),
	acting("splitw|split-window", "j", "-b -d -f -h -I -v -P -Z -c=< -e= -l= -p= -t= -F= -s="),
	acting("popup|display-popup", "j", "-B -C -E -N -k -b= -c= -d=< -e= -h= -s= -S= -t= -T= -w= -x= -y="),
	acting("respawnp|respawn-pane|respawnw|respawn-window", "j", "-k -c=< -e= -t="),
	acting("run|run-shell", "l?", "-b -C -E -c=< -d= -t="),
	acting("if|if-shell", "l s s?", "-b -F -t="),
	acting("pipep|pipe-pane", "l?", "-I -O -o -t="),
	acting("send|send-keys", "s*", "-F -H -K -l -M -R -X -c= -N= -t="),
	acting("a|at|attach|attach-session", "t*", "-d -E -r -x -c=< -f= -t="),
	acting("kill-server|kill-session|kill-window|killw|kill-pane|killp|detach|detach-client|rename-session|rename|rename-window|renamew|select-window|selectw|select-pane|selectp|resize-pane|resizep|switch-client|switchc|wait-for|wait|lock-server|clear-history|clearhist", "t*", "-a -C -d -e -E -J -N -P -p -q -s= -t= -S= -b= -L -R -U -D -Z -x= -y= -l -n -T= -f="),
)

// opened are the files shown and changed by an editor.
func opened(u *Use) []Touch {
	var out []Touch
	for _, o := range u.Operands {
		if !strings.HasPrefix(o.Text, "+") {
			out = append(out, Touch{Word: o, Access: ReadAccess}, Touch{Word: o, Access: WriteAccess})
		}
	}
	return out
}
