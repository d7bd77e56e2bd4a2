package program

// shellRows are the shell's own commands and the programs that run others.
var shellRows = []Row{
	{Name: "timeout|gtimeout", Plain: true, Reads: "timeout only bounds the time", Options: "--preserve-status --foreground -k|--kill-after= -s|--signal= -v|--verbose --help --version", Operands: "t c"},
	{Name: "env|genv", Options: "-i|--ignore-environment -0|--null -u|--unset= -C|--chdir=< -S|--split-string=$ --block-signal=? --default-signal=? --ignore-signal=? --list-signal-handling -v|--debug --help --version", Operands: "a* c"},
	{Name: "sudo", Asks: "sudo runs commands with other privileges", Options: "-A|--askpass -b|--background -B|--bell -C|--close-from= -D|--chdir=< -E|--preserve-env=? -e|--edit -g|--group= -H|--set-home -h|--host= -i|--login -K|--remove-timestamp -k|--reset-timestamp -l|--list -n|--non-interactive -P|--preserve-groups -p|--prompt= -R|--chroot=< -r|--role= -S|--stdin -s|--shell -T|--command-timeout= -t|--type= -U|--other-user= -u|--user= -V|--version -v|--validate", Operands: "a* c"},
}
