package program

// version are the usual options for a program's version or help.
const version = "--version --help -V -h"

// shellRows are the shell's own commands.
var shellRows = []Row{
	// Printing and comparing.
	{Name: "echo|gecho", Bare: true, Loose: true, Tame: true, Reads: "echo prints", Operands: "t*"},
	{Name: "print", Options: "-abcilmnNoOrRDe -C= -u= -p -s -S -z -P -v= -x= -X= -f= -#", Operands: "t*"},
	{Name: "printf|gprintf", Bare: true, Loose: true, Reads: "printf prints", Unless: printfActs, Operands: "t*"},
	{Name: "true|false|:|gtrue|gfalse", Bare: true, Tame: true, Reads: "nothing is done", Operands: "t*"},
	{Name: "test|[|gtest", Bare: true, Names: true, Loose: true, Tame: true, Reads: "test compares", Unless: testActs, Operands: "t*"},
	{Name: "expr|gexpr", Bare: true, Tame: true, Reads: "expr computes", Operands: "t*"},
	{Name: "getopts", Operands: "t*"},
	{Name: "let", Bare: true, Operands: "t*"},
	{Name: "yes|gyes", Options: gnu, Operands: "t*"},

	// The shell's own state; it ends with the call.
	{Name: "cd|chdir", Names: true, Reads: "cd changes the directory of this call only", Unless: cdActs, Options: "-LPes@q", Operands: "r?"},
	{Name: "pushd", Names: true, Reads: "pushd changes the directory of this call only", Unless: cdActs, Options: "-nLPq", Operands: "r"},
	{Name: "popd", Names: true, Tame: true, Reads: "popd changes the directory of this call only", Options: "-nq"},
	{Name: "dirs", Names: true, Tame: true, Reads: "dirs lists directories", Options: "-clpv -# +0123456789"},
	{Name: "exit|return|break|continue|logout|bye", Reads: "it ends a part of this call", Unless: numbersActs, Operands: "t?"},
	{Name: "shift", Reads: "shift drops arguments of this call", Unless: numbersActs, Operands: "t?"},
	{Name: "set", Reads: "set -e and its kin concern this call only", Unless: setActs, AsksIf: setAsks, Options: "-euxvfCEbn -o=+ -h! -a! -i! -p! -r! -s! -t! -k! -m! -B! -P! -T! -H! +euxvfCEbn +o=", Operands: "t*"},
	{Name: "jobs", Reads: "jobs lists what runs behind this shell", Options: "-lnprsd -Z=! -x!", Operands: "t*"},
	{Name: "umask", Reads: "umask shows or sets the mode of new files, of this call", Options: "-pS"},
	{Name: "ulimit", Reads: "ulimit shows limits", Options: "-aSHcdfnstuvlmpiqrxbePRTkwN"},
	{Name: "times|logname", Tame: true, Reads: "it prints"},
	{Name: "history", Reads: "history lists what was run", AsksIf: historyAsks, Options: "-c! -d=! -a! -n! -r! -w! -p! -s!", Operands: "t?", Unless: numbersActs},
	{Name: "fc", Options: "-e= -l -n -r -s", Operands: "t*"},
	{Name: "hash", Reads: "hash lists programs", Options: "-l -r! -p=! -d! -t! -f! -v -L -m"},
	{Name: "help", Tame: true, Names: true, Reads: "help prints", Options: "-dms", Operands: "t*"},
	{Name: "suspend|disown|fg|bg|enable|compgen|complete|compopt|bind|caller|shopt|setopt|unsetopt|autoload|zmodload|functions|unhash|emulate|vared|zle|bindkey|zstyle|limit|unlimit|rehash|unfunction|compinit", Bare: true, Operands: "t*"},
	{Name: "export|declare|typeset|local|readonly|integer|float|private", Options: "-aAfFgiIlnprtuxTUzhHkLRZEm", AsksIf: historyVariables, Operands: "t*"},
	{Name: "unset", Options: "-fvnm", AsksIf: historyVariables, Operands: "t*"},
	{Name: "read", Names: true, Reads: "read reads a line of its input", Unless: readActs, Options: "-a=! -A! -d= -e! -E! -i=! -k=?! -l! -n= -N= -p= -q! -r -s -t= -u=! -z! -c!", Operands: "t*"},
	{Name: "wait", Names: true, Reads: "wait waits", Unless: jobsActs, Options: "-n -f! -p=!", Operands: "t*"},
	{Name: "mapfile|readarray", Options: "-d= -n= -O= -s= -t -u= -C=$ -c=", Operands: "t*"},
	{Name: "alias|unalias|abbr", Bare: true, Operands: "t*"},
	{Name: "trap", Options: "-l -p -P", Operands: "l? t*", With: []Form{{"-l -p -P", "t*"}}},
	{Name: "eval", Operands: "j"},
	{Name: ".|source", Stop: true, Options: "-p=<", Operands: "x t*"},
	{Name: "command", Names: true, Reads: "command -v finds a program", Options: "-pvV", Operands: "c", With: []Form{{"-v -V", "t*"}}},
	{Name: "builtin", Operands: "c"},
	{Name: "exec", Options: "-c -l -a=", Operands: "c"},
	{Name: "repeat", Operands: "t c"},
	{Name: "-|nocorrect|noglob|coproc|then|do|else", Operands: "c"},
}

// wrapperRows are programs running the command among their arguments.
var wrapperRows = []Row{
	// With other privileges.
	{
		Name: "sudo|gsudo", AsksIf: privileged, In: "-D", Version: "--version --help sudo:-V,-h",
		Options:  "-A|--askpass -b|--background -B|--bell -C|--close-from= -D|--chdir=< -E --preserve-env=? -e|--edit -g|--group= -H|--set-home -h|--host= -i|--login -K|--remove-timestamp -k|--reset-timestamp -l|--list -n|--non-interactive -N|--no-update -P|--preserve-groups -p|--prompt= -R|--chroot=< -r|--role= -S|--stdin -s|--shell -T|--command-timeout= -t|--type= -U|--other-user= -u|--user= -V|--version -v|--validate --help",
		Operands: "a* c", With: []Form{{"-e", "w*"}},
	},
	{Name: "doas", AsksIf: privileged, Options: "-a= -C=< -L -n -s -u=", Operands: "c"},
	{Name: "su|runuser", AsksIf: privileged, Version: "--version --help", Options: "-m|-p|--preserve-environment -w|--whitelist-environment= -g|--group= -G|--supp-group= -c|--command=$ --session-command=$ -f|--fast -l|--login -s|--shell= -P|--pty -T|--no-pty -u|--user= -h|--help -V|--version -", Operands: "t? t*", With: []Form{{"-u", "c"}}},
	{Name: "pkexec", AsksIf: privileged, Version: "--version --help", Options: "--user= --keep-cwd --disable-internal-agent", Operands: "c"},
	{Name: "run0", AsksIf: privileged, Version: "--version --help -h", Options: "-u|--user= -g|--group= --nice= -D|--chdir=< --setenv= --background= --unit= --property= --description= --slice= --machine= --pty --pipe --shell-prompt-prefix= --no-ask-password --via-shell --lightweight= -i -h|--help -V|--version", Operands: "c"},
	{Name: "gosu|su-exec|setuidgid", AsksIf: privileged, Operands: "t c"},
	{Name: "chroot|gchroot", Abbreviates: true, AsksIf: privileged, Version: "--version --help", Options: "--groups= --userspec= --skip-chdir -u= -g= -G= -n" + gnu, Operands: "r c"},
	{
		Name: "nsenter", Abbreviates: true, AsksIf: privileged, Version: "--version --help -V -h",
		Options: "-a|--all -t|--target= -m|--mount=?< -u|--uts=? -i|--ipc=? -n|--net=? -p|--pid=? -C|--cgroup=? -U|--user=? -T|--time=? -S|--setuid= -G|--setgid= --preserve-credentials --keep-caps -r|--root=?< -w|--wd=?< -W|--wdns= -e|--env -F|--no-fork -Z|--follow-context -h|--help -V|--version", Operands: "c",
	},
	{Name: "setpriv", Abbreviates: true, AsksIf: privileged, Version: "--version --help -V -h", Options: "-d|--dump --nnp|--no-new-privs --ambient-caps= --inh-caps= --bounding-set= --ruid= --euid= --rgid= --egid= --reuid= --regid= --clear-groups --keep-groups --init-groups --groups= --securebits= --pdeathsig= --ptracer= --selinux-label= --apparmor-profile= --landlock-access= --landlock-rule= --seccomp-filter= --reset-env -h|--help -V|--version", Operands: "c"},
	{Name: "capsh", AsksIf: privileged, Operands: "s*", Version: "--help -h --print --supports"},
	{Name: "chpst", AsksIf: privileged, Options: "-u= -U= -e=< -/=< -b= -n= -l= -L= -m= -d= -o= -p= -f= -c= -r= -t= -v -P -0 -1 -2 -V", Operands: "c"},
	{Name: "sudoedit|visudo|vipw|vigr", AsksIf: privileged, Operands: "w*"},
	{Name: "usermod|useradd|userdel|adduser|deluser|groupadd|groupmod|groupdel|addgroup|delgroup|passwd|chpasswd|chsh|chfn|gpasswd|newgrp|chage|dscl", AsksIf: privileged, Options: "-c=", Operands: "t*", Version: "usermod,useradd,userdel,groupadd,groupmod,groupdel,passwd,chpasswd,chage,gpasswd,adduser,deluser:--help"},
	{Name: "sg", AsksIf: privileged, Options: "-c=$", Operands: "t l?"},

	// With another environment.
	{
		Name: "env|genv", Abbreviates: true, In: "-C", Version: "--version --help",
		Options: "-i|--ignore-environment -0|--null -u|--unset= -C|--chdir=< -S|--split-string=$ -P= -a|--argv0= --block-signal=? --default-signal=? --ignore-signal=? --list-signal-handling -v|--debug -" + gnu, Operands: "a* c",
	},
	{Name: "nohup|gnohup", Abbreviates: true, Version: "--version --help", Options: gnu, Operands: "c"},
	{Name: "setsid|gsetsid", Abbreviates: true, Version: "--version --help setsid:-V,-h", Options: "-c|--ctty -f|--fork -w|--wait -h|--help -V|--version", Operands: "c"},
	{Name: "stdbuf|gstdbuf", Version: "--version --help", Abbreviates: true, Options: "-i|--input= -o|--output= -e|--error=" + gnu, Operands: "c"},
	{Name: "unbuffer", Options: "-p", Operands: "c"},
	{Name: "setarch", Version: version, Abbreviates: true, Options: "-B|--32bit -F|--fdpic-funcptrs -I|--short-inode -L|--addr-compat-layout -R|--addr-no-randomize -S|--whole-seconds -T|--sticky-timeouts -X|--read-implies-exec -Z|--mmap-page-zero -3|--3gb --4gb --uname-2.6 -v|--verbose --list --show=? -h|--help -V|--version", Operands: "c", With: []Form{{"-B -F -I -L -R -S -T -X -Z -3 --4gb --uname-2.6 -v", "c"}}}, // options come behind the machine, or in its place
	{Name: "linux32|linux64|uname26|i386|i486|i586|i686|athlon|x86_64|arm|armv7l|armv8l|aarch64|ppc|ppc32|ppc64|ppcle|ppc64le|s390|s390x|mips|mips32|mips64|sparc|sparc32|sparc64|sparc32bash|riscv32|riscv64|loongarch64|alpha|alphaev5|alphaev6|ia64|parisc|parisc32|parisc64", Options: "-B|--32bit -F|--fdpic-funcptrs -I|--short-inode -L|--addr-compat-layout -R|--addr-no-randomize -S|--whole-seconds -T|--sticky-timeouts -X|--read-implies-exec -Z|--mmap-page-zero -3|--3gb --4gb --uname-2.6 -v|--verbose", Operands: "c"},
	{Name: "arch", OneDash: true, Names: true, Reads: "arch prints", Options: "-x86_64 -x86_64h -i386 -arm64 -arm64e -ppc -32 -64 -arch= -c -d= -e= -h|-help -version", Operands: "c"},
	{Name: "faketime", Options: "-f -m -p= -h|--help -v|--version --exclude-monotonic", Operands: "t c"},
	{Name: "lima|dbus-run-session|dbus-launch|catchsegv|torsocks|torify|tsocks|proxychains|proxychains4|rlwrap|softlimit|pgrphack|fghack|firejail|daemonize|busybox|toybox|sem|chronic|ifne|zrun|nocache|eatmydata|sshpass|winpty|cpulimit|cgexec|numactl|schedtool|tsp|lockrun|flatpak-spawn|host-spawn|distrobox-enter|optirun|primusrun|gamemoderun|mangohud|start-stop-daemon|ssh-agent|valgrind|heaptrack|memusage|sotruss|uftrace|colorize|grc|ccache|sccache|distcc|icecc|bear|scan-build", Options: wrapperOptions, Operands: "c"},
	{Name: "xvfb-run", Options: "-a|--auto-servernum -e|--error-file=> -f|--auth-file=< -h|--help -l|--listen-tcp -n|--server-num= -p|--xauth-protocol= -s|--server-args= -w|--wait=", Operands: "c"},
	{Name: "mispipe|pee", Operands: "l*"},
	{Name: "envdir|setlock", Options: "-n -N -x -X", Operands: "r c"},
	{Name: "envuidgid|rr", Options: "-n", Operands: "t c"},
	{Name: "choom|prlimit", Abbreviates: true, Version: "--version --help", Options: "-n|--adjust= --nofile=? -p|--pid= -o|--output= --noheadings --raw --verbose -c|--core=? -d|--data=? -e|--nice=? -f|--fsize=? -i|--sigpending=? -l|--memlock=? -m|--rss=? -q|--msgqueue=? -r|--rtprio=? -s|--stack=? -t|--cpu=? -u|--nproc=? -v|--as=? -x|--locks=? -y|--rttime=? -h|--help -V|--version", Operands: "c"},
	{Name: "dotenv", Options: "-e=< -f=< -o -c -q= -v=", Operands: "c"},
	{Name: "aws-vault|op|sops|doppler|infisical|chamber|teller|vaultenv|gopass", Options: "-d= --debug --backend= --prompt= --account= --session= --config= --no-color --verbose", Commands: true},
	{Name: "aws-vault exec", Options: "-d|--duration= -n|--no-session -r|--region= --mfa-token= -j|--json -s|--server --ec2-server --ecs-server --lazy --stdout", Operands: "t c"},
	{Name: "op run", Options: "--env-file=< --no-masking --environment= --account= --session=", Operands: "c"},
	{Name: "doppler|infisical run", Options: "-p|--project= -c|--config= --command=$ --env= --path= -e= --projectId= --fallback=> --mount=> --mount-format= --mount-template=< --token= --preserve-env=? --no-exit-on-write-failure --only-secrets=", Operands: "c"},
	{Name: "sops exec-env", Options: "--background --pristine --user= --same-process", Operands: "r l"},
	{Name: "sops exec-file", Options: "--background --no-fifo --user= --filename= --output-type= --input-type=", Operands: "r l"},
	{Name: "envchain", Operands: "t c", Options: "-s|--set -l|--list -n|--namespace"},
	{Name: "chamber exec", Options: "-p|--pristine --strict --strict-value=", Operands: "t c"},
	{Name: "teller run", Options: "-s|--shell -r|--reset", Operands: "c"},

	// For a time, at a priority, measured.
	{Name: "timeout|gtimeout", Abbreviates: true, Plain: true, Names: true, Reads: "timeout only measures", Options: "--preserve-status --foreground -f -p -k|--kill-after= -s|--signal= -v|--verbose" + gnu, Operands: "t c"},
	{Name: "time|gtime", Plain: true, Names: true, Reads: "time only measures", Options: "-a|--append -f|--format= -o|--output=> -p|--portability -q|--quiet -v|--verbose -h|--help -l -V|--version", Operands: "c"},
	{Name: "nice|gnice", Abbreviates: true, Plain: true, Names: true, Reads: "nice only changes the command's priority", Options: "-n|--adjustment= -#" + gnu, Operands: "c"},
	{Name: "ionice", Abbreviates: true, Plain: true, Names: true, Reads: "ionice only changes the command's priority", Options: "-c|--class= -n|--classdata= -p|--pid=! -P|--pgid=! -u|--uid=! -t|--ignore -h|--help -V|--version", Operands: "c"},
	{Name: "chrt", Abbreviates: true, Version: version, Options: "-b|--batch -d|--deadline -f|--fifo -i|--idle -o|--other -r|--rr -R|--reset-on-fork -T|--sched-runtime= -P|--sched-period= -D|--sched-deadline= -a|--all-tasks -m|--max -p|--pid -v|--verbose -h|--help -V|--version", Operands: "t c", With: []Form{{"-p", "t*"}}},
	{Name: "taskset", Abbreviates: true, Version: version, Options: "-a|--all-tasks -p|--pid -c|--cpu-list -h|--help -V|--version", Operands: "t c", With: []Form{{"-p", "t*"}}},
	// Sources: rtk's README (a word that it has no filter for it runs as it stands; npm,
	// test, err and others it changes), corepack's README, fnm-exec(1).
	{Name: "rtk", Plain: true, Names: true, Reads: "rtk only shortens what a command prints", Passes: "git gh cargo go pnpm pytest ruff tsc prettier playwright vitest jest biome mypy golangci-lint bun yarn make just uv", Operands: "c"},
	{Name: "rtk proxy", Plain: true, Names: true, Reads: "rtk proxy runs a command as it stands", Operands: "c"},
	{Name: "corepack", Version: "--version", Plain: true, Names: true, Reads: "corepack only chooses the package manager's version", Passes: "npm npx pnpm pnpx yarn", Operands: "c"},
	{Name: "caffeinate", Options: "-d -i -m -s -u -t= -w=", Operands: "c"},
	{Name: "perf", Options: "-h|--help -v|--version --no-pager -p|--paginate --debug= --exec-path=? --buildid-dir=<", Commands: true, Version: "--version --help -v -h"},
	{Name: "perf stat|record|trace|top|c2c|mem|lock|kmem|sched|kvm|ftrace", Options: "-a|--all-cpus -e|--event= -p|--pid= -t|--tid= -C|--cpu= -o|--output=> -i|--input=< -r|--repeat= -d|--detailed -g --call-graph= -F|--freq= -c|--count= -m|--mmap-pages= -D|--delay= -I|--interval-print= -x|--field-separator= -G|--cgroup= -M|--metrics= -u|--uid= -s --pre=$ --post=$ --timeout= -n|--null -v|--verbose -q|--quiet -B|--big-num -A|--no-aggr -j|--json --append --log-fd= --filter= --switch-output=? --aio=? --control=", Operands: "c"},
	{Name: "hyperfine", Version: version, Options: "-w|--warmup= -m|--min-runs= -M|--max-runs= -r|--runs= -s|--setup=$ -p|--prepare=$ -C|--conclude=$ -c|--cleanup=$ -P|--parameter-scan=2 -D|--parameter-step-size= -L|--parameter-list=2 -S|--shell= -N -i|--ignore-failure --style= --sort= -u|--time-unit= --export-asciidoc=> --export-csv=> --export-json=> --export-markdown=> --export-orgmode=> --show-output --output= --input=< -n|--command-name= --reference=$ --reference-name= -h|--help -V|--version", Operands: "l*"},

	// Under the eyes of another program.
	{
		Name: "strace", AsksIf: attachAsks, Version: version,
		Options:  "-e= --trace= -E|--env= -p|--attach= -u|--user= --argv0= -b|--detach-on= -D --daemonize=? -f|--follow-forks -I|--interruptible= --signal= --status= -P|--trace-path= -z|--successful-only -Z|--failed-only -a|--columns= --abbrev= --verbose= --raw= --read= --write= --quiet=? --kvm= --decode-fds=? -i|--instruction-pointer -k --stack-traces=? -n|--syscall-number -o|--output=>$ -A|--output-append-mode --output-separately -q -r --relative-timestamps=? -s|--string-limit= --absolute-timestamps=? -t -T --syscall-times=? -v|--no-abbrev --strings-in-hex=? -x -X|--const-print-style= -y -Y --decode-pids= -c|--summary-only -C|--summary -O|--summary-syscall-overhead= -S|--summary-sort-by= -U|--summary-columns= -w|--summary-wall-clock --inject= --fault= -d|--debug -h|--help --seccomp-bpf --tips=? -V|--version",
		Operands: "c",
	},
	{Name: "ltrace|dtruss|truss", AsksIf: attachAsks, Options: "-a|--align= -A= -b -B -c -C|--demangle -d -D|--debug= -e= -f -F|--config=< -h|--help -i -l|--library= -L -n|--indent= -N -o|--output=> -p= -P -r -s= -S -t -T -u= -V|--version -w|--where= -x=", Operands: "c"},
	{Name: "gdb|lldb|cgdb", OneDash: true, Terminal: true, Told: "-batch", Version: "gdb,lldb:--version,--help gdb:-v,-h lldb:-v,-h", Options: "-args -batch -batch-silent -ex|-eval-command|-o|-one-line=& -iex|-init-eval-command=& -x|-command|-s|-source=< -ix|-init-command=< -p|-pid= -c|-core=< -n|-nx -nh -nw -q|-quiet|-silent -cd=< -d|-directory=< -e|-exec=< -se=< -symbols=< -tty= -tui -w -write -b|-baud= -l= -return-child-result -readnow -readnever -configuration -help -version", Operands: "x? t?", With: []Form{{"-args", "c"}}},
	{Name: "script", Abbreviates: true, Terminal: true, Version: "--version --help -V -h", Options: "-I|--log-in=> -O|--log-out=> -B|--log-io=> -T|--log-timing=> -t --timing=? -m|--logging-format= -a|--append -c|--command=$ -e|--return -f|--flush --force -E|--echo= -o|--output-limit= -q|--quiet -k -r -d -p -F -h|--help -V|--version", Operands: "w? c?"},
	{Name: "watch", Abbreviates: true, Version: "--version --help -v -h", Options: "-b|--beep -c|--color -C|--no-color -d --differences=? -e|--errexit -f|--follow -g|--chgexit -q|--equexit= -n|--interval= -p|--precise -r|--no-rerun -s|--shotsdir=/ -t|--no-title -w|--no-wrap -x|--exec -h|--help -v|--version", Operands: "j", With: []Form{{"-x", "c"}}},
	{Name: "entr", Options: "-a -c -d -n -p -r -s -x -z", Operands: "c", With: []Form{{"-s", "l"}}},
	{Name: "watchexec", Options: "-e|--exts= -f|--filter= -i|--ignore= -w|--watch=< -W|--watch-non-recursive=< -c|--clear=? -o|--on-busy-update= -r|--restart -s|--signal= --stop-signal= --stop-timeout= -d|--debounce= --stdin-quit --no-vcs-ignore --no-project-ignore --no-global-ignore --no-default-ignore --no-discover-ignore --ignore-nothing -p|--postpone --delay-run= --poll=? --shell= -n --no-environment --emit-events-to= -E|--env= --no-process-group --wrap-process= -N|--notify --color= --timings -q|--quiet --bell --project-origin=< --workdir=< --filter-file=< -j|--filter-prog=! --ignore-file=< --fs-events= --no-meta --print-events -v --log-file=> -1 -I|--interactive", Operands: "j"},
	{Name: "nodemon", Options: "-e|--ext= -w|--watch=< -i|--ignore= -x|--exec=$ --config=< -d|--delay= -q|--quiet -V|--verbose -v|--version -h|--help -L|--legacy-watch -I|--no-stdin -C|--on-change-only --signal= --spawn", Operands: "x? t*"},
	{Name: "concurrently|conc|npm-run-all|run-p|run-s", Options: "-n|--names= -m|--max-processes= --name-separator= -s|--success= -r|--raw --no-color --hide= -g|--group --timings -P|--passthrough-arguments --teardown=$ -c|--prefix-colors= -p|--prefix= -l|--prefix-length= -t|--timestamp-format= -k|--kill-others --kill-others-on-fail --kill-signal= --restart-tries= --restart-after= -i|--handle-input --default-input-target=", Operands: "l*"},

	// With words of its input.
	{
		Name: "xargs|gxargs", Abbreviates: true, Adds: true, Plain: true, Names: true, Reads: "xargs runs a command that only reads", Unless: xargsActs, Version: "--version --help",
		Options: "-0|--null -a|--arg-file=< -d|--delimiter= -E= -e --eof=? -I= -J= -R= -S= -i --replace=? -L= --max-lines=? -l -n|--max-args= -o|--open-tty -P|--max-procs= -p|--interactive --process-slot-var= -r|--no-run-if-empty -s|--max-chars= --show-limits -t|--verbose -x|--exit" + gnu, Operands: "c",
	},
	{
		Name: "parallel", Adds: true, Until: ":::", Version: "--version --help -V -h",
		Options:  "-j|--jobs|-P|--max-procs= -n|--max-args= -N|--max-replace-args= -L|--max-lines= -l -I= -i --replace=? -a|--arg-file=< -d|--delimiter= -C|--colsep= -E= -S|--sshlogin=@ --sshloginfile|--slf=< --delay= --timeout= --joblog=> --results=> --tmpdir=/ --workdir|--wd= --env= --load= --memfree= --nice= --retries= --halt= --tagstring= --block= --recstart= --recend= --header= --rpl= --shuf --seqreplace= --basefile|--bf=< --return= --transferfile=< --profile|-J= --tempdir=/ --compress-program=$ --decompress-program=$ --filter=! --limit=$ --sql= --onall --nonall -k|--keep-order -u|--ungroup --line-buffer|--lb --group --bar --eta --progress --dry-run|--dryrun -t|--verbose -v -q|--quote -0|--null -m -X --xargs --pipe --pipepart --plus --link|--xapply --no-run-if-empty|-r --will-cite --citation --semaphore --fg --bg --wait --ctrlc --gnu --resume --resume-failed --trim= --tag --tmux --tty --round-robin -s|--max-chars= -x -h|--help -V|--version",
		Operands: "j",
	},

	// In another world.
	{
		Name: "unshare", Abbreviates: true, Version: version,
		Options: "-m|--mount=? -u|--uts=? -i|--ipc=? -n|--net=? -p|--pid=? -U|--user=? -C|--cgroup=? -T|--time=? -f|--fork --map-user= --map-group= -r|--map-root-user -c|--map-current-user --map-auto --map-users= --map-groups= --map-subids --kill-child=? --mount-proc=? --mount-binfmt=? --propagation= --setgroups= --keep-caps -R|--root=< -w|--wd=< -S|--setuid= -G|--setgid= -l|--load-interp= --monotonic= --boottime= -h|--help -V|--version", Operands: "c",
	},
	{Name: "bwrap|proot|systemd-nspawn|podman-unshare", Options: "-r=< -b= -q= -k= -w= --args= --bind=2 --bind-try=2 --ro-bind=2 --ro-bind-try=2 --dev-bind=2 --dev-bind-try=2 --symlink=2 --setenv=2 --file=2 --chmod=2 --bind-data=2 --ro-bind-data=2 --tmpfs= --proc= --dev= --dir= --mqueue= --chdir= --unsetenv= --uid= --gid= --hostname= --seccomp= --remount-ro= --lock-file= --sync-fd= --info-fd= --cap-add= --cap-drop= --overlay-src= --tmp-overlay= --ro-overlay= -D|--directory=< -M|--machine= -u|--user= -E|--setenv-nspawn=", Operands: "c"},
	{Name: "fakeroot|fakechroot", Options: "-l|--lib= --faked= -s=> -i=< -u|--unknown-is-real -b= -h|--help -v|--version", Operands: "c"},
	{Name: "flock", Abbreviates: true, Version: version, Options: "-s|--shared -x|-e|--exclusive -u|--unlock -n|--nb|--nonblock -w|--wait|--timeout= -E|--conflict-exit-code= -o|--close -c|--command=$ -F|--no-fork --fcntl --start= --length= --verbose -h|--help -V|--version", Operands: "r c"},
	{
		Name: "systemd-run", Version: "--version --help -h",
		Options:  "--no-ask-password --user --system -H|--host=@ -M|--machine= --scope -u|--unit= -p|--property= --description= --slice= --slice-inherit --expand-environment= --no-block -r|--remain-after-exit --wait --send-sighup --service-type= --uid= --gid= --nice= --working-directory=< -d|--same-dir -R|--root-directory=< -E|--setenv= -t|--pty -T|--pty-late -P|--pipe -q|--quiet -G|--collect -S|--shell --job-mode= --ignore-failure --background= --json= --path-property= --socket-property= --on-active= --on-boot= --on-startup= --on-unit-active= --on-unit-inactive= --on-calendar= --on-timezone-change --on-clock-change --timer-property= -h|--help --version",
		Operands: "c",
	},
	{Name: "at|batch|gat", AsksIf: laterAsks, Terminal: true, Told: "-l -c -V -r -d -f", Options: "-V -q= -f=< -M -l -m -r -d -b -v -c -t=", Operands: "t*"},
}

// wrapperOptions are common options of wrappers with a value.
const wrapperOptions = "-n= -u= -g= -w= -N= -m= -C= -S= -p= -P= -s= -k= -f= -o= -t= -a="
