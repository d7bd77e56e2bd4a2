package bash

// row says in which forms a program (or one of its sub-commands) only reads.
// What a row does not name is not read-only: an unknown option, an unknown
// sub-command, an operand where none is expected.
type row struct {
	// command is the program and its sub-command words.
	command string
	// options are the options that keep it reading: "-abc" three letters, "-n="
	// a letter with a value, "--name", "--name=" with a value, "--name=?" with
	// an optional value behind "=", "-#" a number as in head -5.
	options string
	// operands is "any" (the default), "none" or "one".
	operands string
	// check judges operands that an option list cannot describe.
	check func(cmd *Command, options []option, operands []Word) bool
	// names tells that only names and facts of files are shown, not contents,
	// so that secrets may be named.
	names bool
	// tame tells that no option at all writes or runs anything, so that a file
	// name the shell finds for "*" may look like one.
	tame bool
	// loose tells that operands may be expansions, because the program only
	// repeats them.
	loose bool
	// repo tells that configuration beside the working tree can make it run a
	// program: it reads only while the host finds none (threat T19).
	repo bool
	// reason is what a person is told.
	reason string
}

const (
	gitDiffOptions = " -psuwbzaRtqiEFPMCcm -U= -S= -G= -L= -O= -M -C --stat=? --numstat --shortstat --summary --name-only --name-status --cached --staged --merge-base" +
		" --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-space-at-eol --minimal --patience --histogram --diff-algorithm= --find-renames=? --find-copies=?" +
		" --no-renames --diff-filter= --raw --unified= --exit-code --quiet --full-index --binary --check --text --relative=? --no-prefix --patch --no-patch --color=? --no-color" +
		" --word-diff=? --word-diff-regex= --color-words=? --color-moved=? --no-ext-diff --no-textconv --compact-summary --dirstat=? --pickaxe-all --pickaxe-regex --function-context -W --inter-hunk-context= --ignore-submodules=? --src-prefix= --dst-prefix= --abbrev=? --patch-with-stat --no-color-moved --cc"
	gitLogOptions = gitDiffOptions + " -# -n= --oneline --graph --no-graph --decorate=? --no-decorate --decorate-refs= --all --branches=? --tags=? --remotes=? --glob= --exclude= --author= --committer= --grep= --since= --after= --until= --before=" +
		" --max-count= --skip= --format= --pretty=? --date= --follow --no-merges --merges --first-parent --reverse --topo-order --date-order --author-date-order --abbrev-commit --no-abbrev-commit" +
		" --cherry-pick --cherry-mark --cherry --left-right --left-only --right-only --boundary --simplify-by-decoration --source --no-walk=? --invert-grep --all-match --extended-regexp --fixed-strings --perl-regexp --regexp-ignore-case" +
		" --full-history --dense --sparse --ancestry-path --relative-date --notes=? --no-notes --show-notes=? --parents --children --walk-reflogs -g --merge --stdin --encoding= --expand-tabs=? --no-expand-tabs --log-size --min-parents= --max-parents= --no-min-parents --no-max-parents --clear-decorations --count --objects --timestamp --left-right --not --reflog"
	grepOptions = " -nirlLcowvxshHqEFGPaIzZTyUbR -e= -f= -A= -B= -C= -m= -d= -D= -# --color=? --colour=? --include= --exclude= --exclude-dir= --exclude-from= --line-number --ignore-case --no-ignore-case --recursive --dereference-recursive" +
		" --files-with-matches --files-without-match --count --only-matching --word-regexp --line-regexp --invert-match --no-messages --with-filename --no-filename --quiet --silent --extended-regexp --fixed-strings --basic-regexp --perl-regexp" +
		" --regexp= --file= --after-context= --before-context= --context= --max-count= --text --binary-files= --null --null-data --initial-tab --label= --line-buffered --byte-offset --directories= --devices= --version --help"
	sumOptions = " -bctwz --check --binary --text --tag --zero --status --quiet --strict --warn --ignore-missing -a= --algorithm="
)

// readOnlyRows is the whole list of what may run without asking because it
// provably changes nothing. Sources: the AgentScope seed's read-only table, its
// code's list, and what people run daily (issue 5).
var readOnlyRows = []row{
	// Names and facts of files.
	{command: "ls", options: "-aAbBcCdDfFgGhHiIklLmnNopqQrRsStTuUvwxXZ1 -I= -w= -T= --all --almost-all --author --block-size= --classify=? --color=? --directory --full-time --group-directories-first --human-readable --si --inode --reverse --recursive --size --sort= --time= --time-style= --width= --ignore= --hide= --no-group --numeric-uid-gid --format= --quoting-style= --zero --hyperlink=? --indicator-style= --file-type --context --dereference --literal --version --help", names: true, tame: true, reason: "ls lists names"},
	{command: "pwd", options: "-LP", operands: "none", tame: true, reason: "pwd prints the directory"},
	{command: "stat", options: "-LfFtlnrsx -c= -t --dereference --file-system --format= --printf= --terse --cached= --version", names: true, tame: true, reason: "stat prints facts about files"},
	{command: "file", options: "-bhiLkNnrsz0 -P= -F= -e= --brief --mime --mime-type --mime-encoding --dereference --no-dereference --keep-going --extension --separator= --version", names: true, reason: "file guesses the type (its -C compiles, so it is not listed)"},
	{command: "tree", options: "-adfilpsughDFrtcUvnCACSNqQx -L= -P= -I= --noreport --dirsfirst --filelimit= --prune --gitignore --charset= --du --matchdirs --ignore-case --inodes --device --sort= --si --timefmt= --nolinks --version", names: true, reason: "tree lists names (its -o writes, so it is not listed)"},
	{command: "du", options: "-abcdhHklLmPsSx0 -d= -t= -B= --max-depth= --all --apparent-size --summarize --human-readable --si --total --exclude= --one-file-system --time=? --threshold= --block-size= --null --separate-dirs --count-links --dereference --inodes", names: true, tame: true, reason: "du sums sizes"},
	{command: "df", options: "-aHhiklmPT -t= -x= -B= --all --human-readable --si --inodes --local --portability --print-type --total --type= --exclude-type= --output=? --block-size= --no-sync", names: true, tame: true, reason: "df shows free space (its --sync is not listed)"},
	{command: "find", check: findReads, names: true, reason: "find with predicates that only test and print"},
	{command: "fd", options: "-HIsipgaluLqF0 -e= -E= -t= -d= -S= -o= -c= --hidden --no-ignore --type= --extension= --exclude= --max-depth= --min-depth= --size= --changed-within= --changed-before= --full-path --absolute-path --glob --regex --fixed-strings --case-sensitive --ignore-case --follow --print0 --color= --max-results= --list-details --version", names: true, reason: "fd lists names (-x and -X run programs, so they are not listed)"},
	{command: "fdfind", options: "-HIsipgaLqF0 -e= -E= -t= -d= --hidden --no-ignore --type= --extension= --exclude= --max-depth= --full-path --absolute-path --glob --color=", names: true, reason: "fd lists names"},
	{command: "realpath", options: "-eLmPqsz --canonicalize-existing --canonicalize-missing --no-symlinks --strip --relative-to= --relative-base= --zero", names: true, tame: true, reason: "realpath prints a name"},
	{command: "readlink", options: "-efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --zero", names: true, tame: true, reason: "readlink prints a name"},
	{command: "basename", options: "-az -s= --multiple --suffix= --zero", names: true, tame: true, reason: "basename prints a name"},
	{command: "dirname", options: "-z --zero", names: true, tame: true, reason: "dirname prints a name"},
	{command: "test", names: true, options: "-#abcdefghknoprstuwxzLNOSG", check: testReads, reason: "test compares"},
	{command: "which", options: "-as --all --version", names: true, tame: true, reason: "which finds a program"},
	{command: "whereis", options: "-bmsu", names: true, tame: true, reason: "whereis finds a program"},
	{command: "type", options: "-afptP", names: true, tame: true, reason: "type tells what a word means"},
	{command: "command", check: commandFinds, names: true, reason: "command -v finds a program"},

	// Contents of files.
	{command: "cat", options: "-AbeEnstTuv --number --number-nonblank --show-all --show-ends --show-tabs --show-nonprinting --squeeze-blank --version --help", tame: true, reason: "cat prints files"},
	{command: "tac", options: "-br -s= --before --regex --separator=", tame: true, reason: "tac prints files"},
	{command: "rev", options: "", tame: true, reason: "rev prints files"},
	{command: "nl", options: "-p -b= -d= -f= -h= -i= -l= -n= -s= -v= -w=", tame: true, reason: "nl prints files"},
	{command: "head", options: "-qvz -n= -c= -# --lines= --bytes= --quiet --silent --verbose --zero-terminated", tame: true, reason: "head prints files"},
	{command: "tail", options: "-fFqvzr -n= -c= -s= -# --lines= --bytes= --follow=? --retry --pid= --quiet --silent --verbose --zero-terminated --sleep-interval= --max-unchanged-stats=", tame: true, reason: "tail prints files"},
	{command: "less", options: "-NRSFXiIMmnqQrsEeg -# --RAW-CONTROL-CHARS --chop-long-lines --quit-if-one-screen --no-init --LINE-NUMBERS --ignore-case", check: pagerReads, reason: "less shows files (its -o writes and + runs commands, so they are not listed)"},
	{command: "more", options: "-dflcpsu -n= -#", check: pagerReads, reason: "more shows files (+ runs commands, so it is not listed)"},
	{command: "wc", options: "-cmlLw --bytes --chars --lines --max-line-length --words --total=", tame: true, reason: "wc counts"},
	{command: "grep", options: grepOptions, tame: true, reason: "grep searches"},
	{command: "egrep", options: grepOptions, tame: true, reason: "grep searches"},
	{command: "fgrep", options: grepOptions, tame: true, reason: "grep searches"},
	{command: "rg", options: "-nNiSswvxclLoqUPFaHhIpu0.b -e= -f= -A= -B= -C= -m= -g= -t= -T= -j= -d= -M= -r= -E= -# --line-number --no-line-number --ignore-case --smart-case --case-sensitive --word-regexp --line-regexp --invert-match --count --count-matches --files-with-matches --files-without-match --only-matching --quiet --multiline --multiline-dotall --pcre2 --fixed-strings --text --with-filename --no-filename --heading --no-heading --pretty --hidden --no-ignore --no-ignore-vcs --no-ignore-parent --unrestricted --null --regexp= --file= --after-context= --before-context= --context= --max-count= --glob= --iglob= --type= --type-not= --type-list --files --threads= --max-depth= --max-columns= --max-columns-preview --color= --colors= --sort= --sortr= --stats --json --vimgrep --trim --column --no-column --byte-offset --passthru --replace= --encoding= --follow --no-config --max-filesize= --no-messages --context-separator= --crlf --debug --version --engine= --include-zero --null-data --one-file-system --path-separator= --no-mmap --mmap --line-buffered --block-buffered --field-match-separator=", reason: "rg searches (--pre and -z run programs, so they are not listed)"},
	{command: "ag", options: "-aciflLnoQqRrsSuvwHh0 -A= -B= -C= -G= -m= --ignore= --ignore-case --case-sensitive --smart-case --literal --hidden --files-with-matches --files-without-matches --count --column --nocolor --color --numbers --nonumbers --heading --noheading --word-regexp --vimgrep --depth= --follow --silent --stats --unrestricted --nogroup --group --nobreak --break", reason: "ag searches (--pager runs a program, so it is not listed)"},
	{command: "ack", options: "-cfghHilLnoQrRsvwx1 -A= -B= -C= -m= --ignore-case --smart-case --word-regexp --literal --nocolor --color --count --files-with-matches --files-without-matches --column --type= --ignore-dir= --ignore-file= --noheading --heading --nogroup --group --noenv --nopager --max-count= --python --js --go --java --ruby --perl", repo: true, reason: "ack searches (.ackrc and --pager can run a program)"},
	{command: "sort", options: "-bdfgGhiMnrRsuVzcCm -k= -t= -S= --key= --field-separator= --unique --reverse --numeric-sort --human-numeric-sort --general-numeric-sort --version-sort --month-sort --ignore-case --ignore-leading-blanks --dictionary-order --ignore-nonprinting --stable --check=? --zero-terminated --merge --random-sort --sort= --parallel= --buffer-size= --debug", reason: "sort prints (-o and --compress-program write and run, so they are not listed)"},
	{command: "uniq", options: "-cdDiuz -f= -s= -w= --count --repeated --unique --ignore-case --all-repeated=? --group=? --skip-fields= --skip-chars= --check-chars= --zero-terminated", operands: "one", reason: "uniq prints (a second operand would be written)"},
	{command: "cut", options: "-nsz -b= -c= -d= -f= --bytes= --characters= --delimiter= --fields= --only-delimited --output-delimiter= --complement --zero-terminated", tame: true, reason: "cut prints"},
	{command: "tr", options: "-cCdst --complement --delete --squeeze-repeats --truncate-set1", tame: true, reason: "tr prints"},
	{command: "paste", options: "-sz -d= --serial --delimiters= --zero-terminated", tame: true, reason: "paste prints"},
	{command: "join", options: "-iz -1= -2= -j= -t= -a= -v= -o= -e= --ignore-case --header --check-order --nocheck-order", tame: true, reason: "join prints"},
	{command: "comm", options: "-123z --check-order --nocheck-order --output-delimiter= --total --zero-terminated", tame: true, reason: "comm compares"},
	{command: "cmp", options: "-blsi -n= -i= --print-bytes --verbose --silent --quiet --bytes= --ignore-initial=", tame: true, reason: "cmp compares"},
	{command: "diff", options: "-abBcdeEiNnpqrsStTuwyZ -U= -C= -W= -x= -X= -I= -F= -L= -D= -# --unified=? --context=? --brief --report-identical-files --recursive --new-file --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space --ignore-tab-expansion --side-by-side --suppress-common-lines --exclude= --exclude-from= --color=? --text --minimal --speed-large-files --width= --label= --strip-trailing-cr --normal --left-column --no-dereference --ignore-matching-lines= --starting-file= --show-function-line= --show-c-function", tame: true, reason: "diff compares"},
	{command: "column", options: "-tesxnJR -c= -s= -o= -N= -H= -W= --table --separator= --output-separator= --table-columns=", tame: true, reason: "column prints"},
	{command: "fold", options: "-bs -w= --width= --bytes --spaces", tame: true, reason: "fold prints"},
	{command: "expand", options: "-i -t= --tabs= --initial", tame: true, reason: "expand prints"},
	{command: "unexpand", options: "-a -t= --tabs= --all", tame: true, reason: "unexpand prints"},
	{command: "fmt", options: "-cstu -w= -p= -g= --width=", tame: true, reason: "fmt prints"},
	{command: "od", options: "-abcdfiloxsvhD -A= -j= -N= -S= -t= -w= --format= --address-radix= --skip-bytes= --read-bytes= --width=?", tame: true, reason: "od prints"},
	{command: "hexdump", options: "-bcCdovx -n= -s= -e=", tame: true, reason: "hexdump prints"},
	{command: "xxd", options: "-abeipuE -c= -g= -l= -s= -o= -n=", operands: "one", reason: "xxd prints (-r and a second operand write, so they are not listed)"},
	{command: "strings", options: "-afo -n= -t= -e= --all --bytes= --radix= --encoding=", tame: true, reason: "strings prints"},
	{command: "md5sum", options: sumOptions, tame: true, reason: "a checksum"},
	{command: "sha1sum", options: sumOptions, tame: true, reason: "a checksum"},
	{command: "sha256sum", options: sumOptions, tame: true, reason: "a checksum"},
	{command: "sha512sum", options: sumOptions, tame: true, reason: "a checksum"},
	{command: "shasum", options: sumOptions, tame: true, reason: "a checksum"},
	{command: "b2sum", options: sumOptions, tame: true, reason: "a checksum"},
	{command: "cksum", options: sumOptions, tame: true, reason: "a checksum"},
	{command: "jq", check: jqReads, reason: "jq prints"},
	{command: "awk", check: awkReads, reason: "awk with a program that neither writes nor runs anything"},
	{command: "gawk", check: awkReads, reason: "awk with a program that neither writes nor runs anything"},
	{command: "mawk", check: awkReads, reason: "awk with a program that neither writes nor runs anything"},
	{command: "sed", check: sedReads, reason: "sed with a script that only prints"},
	{command: "gsed", check: sedReads, reason: "sed with a script that only prints"},
	{command: "tar", options: "-tvzjJ -f= --list --file= --verbose --gzip --bzip2 --xz", check: tarLists, reason: "tar -t lists"},

	// The shell itself.
	{command: "echo", check: anyWords, loose: true, tame: true, reason: "echo prints"},
	{command: "printf", check: printfPrints, loose: true, reason: "printf prints"},
	{command: "true", check: anyWords, tame: true, reason: "true does nothing"},
	{command: "false", check: anyWords, tame: true, reason: "false does nothing"},
	{command: ":", check: anyWords, tame: true, reason: "nothing is done"},
	{command: "cd", check: cdKnown, names: true, reason: "cd changes the directory of this call only"},
	{command: "exit", operands: "one", reason: "exit ends this call's shell"},
	{command: "set", options: "-euxv -o= +euxv", operands: "none", reason: "set -e and its kin concern this call only"},
	{command: "seq", options: "-w -f= -s= -# --equal-width --format= --separator=", tame: true, reason: "seq prints"},
	{command: "expr", check: anyWords, reason: "expr computes"},

	// Facts about the machine.
	{command: "date", options: "-uRI -d= -r= -I --date= --utc --universal --reference= --iso-8601=? --rfc-3339= --rfc-email", check: dateReads, reason: "date prints the time (-s sets it, so it is not listed)"},
	{command: "cal", options: "-13jmsywA -m=", reason: "cal prints"},
	{command: "ps", options: "-AaCcdefFHhjlLMmNnoOrsStTuUvwxXyZ -o= -p= -C= -u= -U= -g= -G= -t= --forest --sort= --no-headers --pid= --ppid= --format= --user= --headers --width= --cols=", check: psReads, reason: "ps lists processes"},
	{command: "uname", options: "-amnoprsvi --all --kernel-name --machine --operating-system", operands: "none", reason: "uname prints"},
	{command: "whoami", operands: "none", reason: "whoami prints"},
	{command: "id", options: "-Ggnruz --group --groups --name --real --user", reason: "id prints"},
	{command: "groups", reason: "groups prints"},
	{command: "hostname", options: "-fsIid", operands: "none", reason: "hostname prints (an operand sets it)"},
	{command: "uptime", options: "-ps", operands: "none", reason: "uptime prints"},
	{command: "nproc", options: "--all --ignore=", operands: "none", reason: "nproc prints"},
	{command: "arch", operands: "none", reason: "arch prints"},
	{command: "free", options: "-bkmghtlwV --human --mega --giga --total", operands: "none", reason: "free prints"},
	{command: "lscpu", options: "-eJpabcy", operands: "none", reason: "lscpu prints"},
	{command: "locale", options: "-akcm", reason: "locale prints"},

	// git. Its configuration can name programs (fsmonitor, textconv, pagers).
	{command: "git status", options: "-sbvzu --short --branch --porcelain=? --long --verbose --untracked-files=? --ignored=? --show-stash --ahead-behind --no-ahead-behind --renames --no-renames --column=? --no-column --ignore-submodules=? --null", repo: true, reason: "git status reads"},
	{command: "git log", options: gitLogOptions, repo: true, reason: "git log reads"},
	{command: "git show", options: gitLogOptions, repo: true, reason: "git show reads"},
	{command: "git diff", options: gitDiffOptions, repo: true, reason: "git diff reads"},
	{command: "git shortlog", options: "-sne -w= --summary --numbered --email --group= --format= --since= --until= --all --no-merges", repo: true, reason: "git shortlog reads"},
	{command: "git blame", options: "-wslcefMCpnt -L= -S= --date= --porcelain --line-porcelain --incremental --show-stats --root --since= --abbrev= --show-email --show-name --show-number --ignore-rev= --color-lines --color-by-age -#", repo: true, reason: "git blame reads"},
	{command: "git grep", options: "-nilLcowvEFGPIahHpWqz -e= -f= -A= -B= -C= -m= --line-number --ignore-case --files-with-matches --files-without-match --name-only --count --only-matching --word-regexp --invert-match --extended-regexp --fixed-strings --perl-regexp --heading --break --cached --untracked --no-index --color=? --no-color --and --or --not --all-match --max-depth= --context= --after-context= --before-context= --show-function --function-context --column --full-name --text -#", repo: true, reason: "git grep searches (-O runs a pager, so it is not listed)"},
	{command: "git branch", options: "-avrl --list --all --remotes --verbose --show-current --sort= --format= --color=? --no-color --column=? --no-column --abbrev=? --no-abbrev --contains=? --no-contains=? --merged=? --no-merged=? --points-at= --ignore-case", check: branchLists, repo: true, reason: "git branch lists"},
	{command: "git tag", options: "-lni --list --sort= --format= --color=? --column=? --contains=? --no-contains=? --merged=? --no-merged=? --points-at= --ignore-case", check: tagLists, repo: true, reason: "git tag lists"},
	{command: "git remote", options: "-v --verbose", check: remoteLists, repo: true, reason: "git remote lists"},
	{command: "git config", check: configReads, repo: true, reason: "git config reads"},
	{command: "git reflog", options: gitLogOptions, check: reflogShows, repo: true, reason: "git reflog shows"},
	{command: "git stash list", options: gitLogOptions, repo: true, reason: "git stash list reads"},
	{command: "git stash show", options: gitDiffOptions, repo: true, reason: "git stash show reads"},
	{command: "git worktree list", options: "-vz --porcelain --verbose", operands: "none", repo: true, reason: "git worktree list reads"},
	{command: "git ls-files", options: "-cdmoistuvfz -x= -X= --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude= --exclude-standard --exclude-from= --error-unmatch --full-name --recurse-submodules --abbrev=? --directory --no-empty-directory --eol --deduplicate --format= --with-tree= --debug", repo: true, reason: "git ls-files reads"},
	{command: "git ls-tree", options: "-drtlz --name-only --name-status --full-name --full-tree --abbrev=? --long --object-only --format=", repo: true, reason: "git ls-tree reads"},
	{command: "git cat-file", options: "-tspe --batch-check=? --allow-unknown-type", repo: true, reason: "git cat-file reads"},
	{command: "git rev-parse", options: "-q --verify --quiet --short=? --abbrev-ref=? --symbolic --symbolic-full-name --all --branches=? --tags=? --remotes=? --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-superproject-working-tree --show-object-format=? --path-format= --git-path= --not --sq --revs-only --no-revs --flags --no-flags --default= --since= --until=", repo: true, reason: "git rev-parse reads"},
	{command: "git rev-list", options: gitLogOptions, repo: true, reason: "git rev-list reads"},
	{command: "git describe", options: "--all --tags --contains --abbrev=? --long --always --dirty=? --broken=? --match= --exclude= --first-parent --exact-match --candidates= --debug", repo: true, reason: "git describe reads"},
	{command: "git merge-base", options: "-a --all --octopus --is-ancestor --fork-point --independent", repo: true, reason: "git merge-base reads"},
	{command: "git name-rev", options: "--tags --all --name-only --always --refs= --no-undefined", repo: true, reason: "git name-rev reads"},
	{command: "git for-each-ref", options: "--sort= --format= --count= --contains=? --merged=? --no-merged=? --points-at= --ignore-case --exclude=", repo: true, reason: "git for-each-ref reads"},
	{command: "git show-ref", options: "-hdsq --heads --tags --branches --hash=? --abbrev=? --dereference --verify --quiet", repo: true, reason: "git show-ref reads"},
	{command: "git count-objects", options: "-vH --verbose --human-readable", operands: "none", repo: true, reason: "git count-objects reads"},
	{command: "git diff-tree", options: gitDiffOptions + " -r --no-commit-id --root --pretty=? --format=", repo: true, reason: "git diff-tree reads"},
	{command: "git check-ignore", options: "-qvzn --quiet --verbose --non-matching --no-index", names: true, repo: true, reason: "git check-ignore reads"},
	{command: "git --version", operands: "none", reason: "prints the version"},
	{command: "git version", options: "--build-options", operands: "none", reason: "prints the version"},

	// Other tools.
	{command: "docker ps", options: "-aqlsn -f= -n= --all --filter= --format= --last= --latest --no-trunc --quiet --size", operands: "none", reason: "docker ps lists"},
	{command: "docker images", options: "-aq -f= --all --digests --filter= --format= --no-trunc --quiet --tree", reason: "docker images lists"},
	{command: "docker inspect", options: "-s -f= --format= --size --type=", reason: "docker inspect reads"},
	{command: "docker logs", options: "-ft -n= --details --follow --since= --tail= --timestamps --until=", reason: "docker logs reads"},
	{command: "docker version", options: "-f= --format=", operands: "none", reason: "docker version reads"},
	{command: "docker info", options: "-f= --format=", operands: "none", reason: "docker info reads"},
	{command: "docker compose ps", options: "-aq --all --format= --quiet --services --status=", reason: "docker compose ps lists"},
	{command: "gh repo view", options: "-b= -q= -t= -R= --branch= --json= --jq= --template=", reason: "gh repo view reads"},
	{command: "gh issue list", options: "-a= -A= -l= -L= -m= -S= -s= -q= -t= -R= --assignee= --author= --label= --limit= --milestone= --search= --state= --json= --jq= --template= --repo= --app= --mention=", reason: "gh issue list reads"},
	{command: "gh issue view", options: "-c -q= -t= -R= --comments --json= --jq= --template= --repo=", reason: "gh issue view reads"},
	{command: "gh pr list", options: "-d -a= -A= -B= -H= -l= -L= -S= -s= -q= -t= -R= --draft --assignee= --author= --base= --head= --label= --limit= --search= --state= --json= --jq= --template= --repo= --app=", reason: "gh pr list reads"},
	{command: "gh pr view", options: "-c -q= -t= -R= --comments --json= --jq= --template= --repo=", reason: "gh pr view reads"},
	{command: "gh pr diff", options: "-R= --color= --name-only --patch --repo=", reason: "gh pr diff reads"},
	{command: "gh pr checks", options: "-R= -i= --required --json= --jq= --repo= --watch --interval= --fail-fast", reason: "gh pr checks reads"},
	{command: "gh pr status", options: "-c -q= -t= -R= --json= --jq= --repo=", operands: "none", reason: "gh pr status reads"},
	{command: "gh status", options: "-e= -o= --exclude= --org=", operands: "none", reason: "gh status reads"},
	{command: "gh run list", options: "-a -b= -L= -s= -w= -u= -q= -R= --branch= --limit= --status= --workflow= --json= --jq= --repo=", operands: "none", reason: "gh run list reads"},
	{command: "gh run view", options: "-v -a= -j= -q= -R= --log --log-failed --job= --json= --jq= --repo= --verbose --attempt= --exit-status", reason: "gh run view reads"},
	{command: "gh release list", options: "-L= -R= --limit= --json= --jq= --repo= --exclude-drafts", operands: "none", reason: "gh release list reads"},
	{command: "npm list", options: "-gal --all --depth= --global --json --long --parseable --prod --production --dev --omit= --include= --link --package-lock-only", reason: "npm list reads"},
	{command: "npm ls", options: "-gal --all --depth= --global --json --long --parseable --prod --production --dev --omit= --include= --link --package-lock-only", reason: "npm ls reads"},
	{command: "pip list", options: "-olev --format= --not-required --user --local --exclude= --editable --verbose --path=", operands: "none", reason: "pip list reads"},
	{command: "pip show", options: "-fv --files --verbose", reason: "pip show reads"},
	{command: "pip freeze", options: "-l --local --user --all --exclude-editable --exclude=", operands: "none", reason: "pip freeze reads"},
	{command: "pip3 list", options: "-lev --format= --not-required --user --local --exclude= --editable --verbose", operands: "none", reason: "pip list reads"},
	{command: "pip3 show", options: "-fv --files --verbose", reason: "pip show reads"},
	{command: "go version", options: "-m -v", names: true, reason: "go version reads"},
	{command: "go env", options: "-json -changed", check: goEnvReads, repo: true, reason: "go env prints (its -w and -u write, so they are not listed)"},
	{command: "go list", check: goReads, repo: true, reason: "go list reads (GOFLAGS and -toolexec can run a program)"},
	{command: "go vet", check: goReads, repo: true, reason: "go vet reads (GOFLAGS and -vettool can run a program)"},
	{command: "go doc", check: goReads, repo: true, reason: "go doc reads"},
	{command: "cargo tree", options: "-aide -p= -i= -e= -F= --package= --invert= --edges= --depth= --no-dedupe --duplicates --all-features --no-default-features --features= --target= --offline --locked --frozen --workspace --prefix= --charset= --format=", operands: "none", repo: true, reason: "cargo tree reads (.cargo/config.toml can run a program)"},
}

// versionPrograms print their version when asked for nothing else.
var versionPrograms = map[string]bool{
	"python": true, "python3": true, "node": true, "npm": true, "npx": true, "pnpm": true, "yarn": true, "pip": true, "pip3": true, "go": false, "cargo": true, "rustc": true,
	"ruby": true, "perl": true, "java": true, "javac": true, "gcc": true, "g++": true, "clang": true, "cmake": true, "docker": true, "kubectl": false, "gh": true, "jq": true,
	"rg": true, "curl": true, "bash": true, "zsh": true, "terraform": true, "deno": true, "bun": true, "uv": true, "php": true, "dotnet": true, "tsc": false,
}
