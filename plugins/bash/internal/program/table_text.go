package program

// gnu are the options of every GNU program.
const gnu = " --help --version"

const (
	sumOptions  = "-b|--binary -c|--check -t|--text -z|--zero --tag --untagged --ignore-missing --quiet --status --strict -w|--warn -a|--algorithm= -l|--length= --debug -0|--01 -U|--UNIVERSAL -p|--portable -q -r -s= -h -n -x --raw --base64" + gnu
	grepOptions = "-E|--extended-regexp -F|--fixed-strings -G|--basic-regexp -P|--perl-regexp -X= -e|--regexp=% -f|--file=<% -i|-y|--ignore-case --no-ignore-case -w|--word-regexp -x|--line-regexp -z|--null-data -s|--no-messages" +
		" -v|--invert-match -V -m|--max-count= -b|--byte-offset -n|--line-number --line-buffered -H|--with-filename -h|--no-filename --label= -o|--only-matching -q|--quiet|--silent --binary-files= -a|--text -I -d|--directories= -D|--devices=" +
		" -r|--recursive -R|--dereference-recursive --include= --exclude= --exclude-from=< --exclude-dir= --include-dir= -L|--files-without-match -l|--files-with-matches -c|--count -T|--initial-tab -Z|--null -B|--before-context= -A|--after-context=" +
		" -C|--context= --group-separator= --no-group-separator --color=? --colour=? -U|--binary -u|--unix-byte-offsets -O -S -p -J -M --decompress -#" + gnu
	awkOptions = "-F|--field-separator= -v|--assign= -f|--file=<%! -i|--include=<! -l|--load=! -E|--exec=<%! -e|--source=%! -b|--characters-as-bytes -c|--traditional -C|--copyright -d|--dump-variables=?>! -D|--debug=?! -g|--gen-pot! -h|--help" +
		" -I|--trace -k|--csv -L|--lint=? -M|--bignum -n|--non-decimal-data -N|--use-lc-numeric -o|--pretty-print=?>! -O|--optimize -p|--profile=?>! -P|--posix -r|--re-interval -s|--no-optimize -S|--sandbox -t|--lint-old -V|--version -W=!"
	zgrepOptions = grepOptions
)

// textRows are programs reading texts and printing.
var textRows = []Row{
	{
		Name: "cat|gcat", Abbreviates: true, Tame: true, Reads: "cat prints files",
		Options: "-A|--show-all -b|--number-nonblank -e -E|--show-ends -l -n|--number -s|--squeeze-blank -t -T|--show-tabs -u -v|--show-nonprinting" + gnu, Operands: "r*",
	},
	{
		Name: "tac|gtac", Abbreviates: true, Tame: true, Reads: "tac prints files",
		Options: "-b|--before -r|--regex -s|--separator=" + gnu, Operands: "r*",
	},
	{Name: "rev", Tame: true, Abbreviates: true, Reads: "rev prints files", Options: "-0|--zero -h|--help -V|--version", Operands: "r*"},
	{
		Name: "nl|gnl", Abbreviates: true, Tame: true, Reads: "nl prints files",
		Options: "-b|--body-numbering= -d|--section-delimiter= -f|--footer-numbering= -h|--header-numbering= -i|--line-increment|--page-increment= -l|--join-blank-lines= -n|--number-format= -p|--no-renumber -s|--number-separator= -v|--starting-line-number= -w|--number-width=" + gnu, Operands: "r*",
	},
	{
		Name: "head|ghead", Abbreviates: true, Tame: true, Reads: "head prints the beginning of files",
		Options: "-c|--bytes= -n|--lines= -q|--quiet|--silent -v|--verbose -z|--zero-terminated -#" + gnu, Operands: "r*",
	},
	{
		Name: "tail|gtail", Abbreviates: true, Tame: true, Reads: "tail prints the end of files",
		Options: "-c|--bytes= -f --follow=? -F -n|--lines= -b= --max-unchanged-stats= --pid= -q|--quiet|--silent --retry -r -s|--sleep-interval= -v|--verbose -z|--zero-terminated -#" + gnu, Operands: "r*",
	},
	{
		Name: "less|zless|bzless|xzless|zmore", Reads: "less shows files", Unless: pagerCommand, AsksIf: pagerAsks,
		Options: "-aABcCdeEfFgGiIJKmMnNqQrRsSuUVwWX -? -b|--buffers= -D|--color= -h|--max-back-scroll= -j|--jump-target= -k|--lesskey-file=! --lesskey-src=! --lesskey-content=! -o|--log-file=> -O|--LOG-FILE=> -p|--pattern= -P|--prompt= -t|--tag=! -T|--tag-file=!" +
			" -x|--tabs= -y|--max-forw-scroll= -z|--window= -~|--tilde -# --LINE-NUMBERS --line-numbers --RAW-CONTROL-CHARS --raw-control-chars --chop-long-lines --quit-if-one-screen --no-init --no-keypad --quit-at-eof --QUIT-AT-EOF --ignore-case --IGNORE-CASE" +
			" --clear-screen --CLEAR-SCREEN --dumb --force --hilite-search --HILITE-SEARCH --status-column --long-prompt --LONG-PROMPT --quit-on-intr --quiet --silent --QUIET --SILENT --squeeze-blank-lines --underline-special --UNDERLINE-SPECIAL --hilite-unread --HILITE-UNREAD" +
			" --follow-name --mouse --MOUSE --incsearch --wordwrap --use-color --file-size --header= --line-num-width= --no-histdups --rscroll= --save-marks! --search-options= --status-col-width= --status-line --shift= --wheel-lines= --exit-follow-on-close --match-shift= --form-feed --no-edit-warn --no-number-headers --no-paste --modelines= --intr= --proc-backspace --proc-tab --proc-return --redraw-on-quit --show-preproc-errors --use-backslash --help --version",
		Operands: "r*",
	},
	{
		Name: "more", Reads: "more shows files", Unless: pagerCommand, AsksIf: pagerAsks,
		Options: "-d|--silent -f|--logical -l|--no-pause -c|--print-over -p|--clean-print -e|--exit-on-eof -s|--squeeze -u|--plain -i -n|--lines= -t=! -h|--help -V|--version -#", Operands: "r*",
	},
	{
		// Its configuration can name a pager and mappings; a pager runs only on a
		// terminal.
		Name: "bat|batcat", Reads: "bat prints files", Unless: batPages,
		Options:  "-A|--show-all --nonprintable-notation= -p|--plain -l|--language= -H|--highlight-line= --file-name= -d|--diff --diff-context= --tabs= --wrap= -S|--chop-long-lines --terminal-width= -n|--number --color= --italic-text= --decorations= -f|--force-colorization --paging= -P|--no-paging --pager=$! -m|--map-syntax= --ignored-suffix= --theme= --theme-light= --theme-dark= --list-themes -s|--squeeze-blank --squeeze-limit= --strip-ansi= --style= -r|--line-range= -L|--list-languages -u|--unbuffered --completion= --diagnostic! --lessopen! --no-lessopen --binary= --no-config --no-custom-assets --config-file --config-dir --cache-dir --generate-config-file! --set-terminal-title! -h|--help -V|--version",
		Operands: "r*",
	},
	{
		Name: "wc|gwc", Lists: "--files0-from", Abbreviates: true, Names: true, Tame: true, Reads: "wc counts",
		Options: "-c|--bytes -m|--chars -l|--lines --files0-from=< -L|--max-line-length -w|--words --total= --debug --libxo=?" + gnu, Operands: "r*",
	},
	{
		Name: "sort|gsort", Lists: "--files0-from", Abbreviates: true, Reads: "sort prints",
		Options:  "-b|--ignore-leading-blanks -d|--dictionary-order -f|--ignore-case -g|--general-numeric-sort -i|--ignore-nonprinting -M|--month-sort -h|--human-numeric-sort -n|--numeric-sort -R|--random-sort --random-source=< -r|--reverse --sort= -V|--version-sort --batch-size= -c --check=? -C --compress-program=$ --debug --files0-from=<! -k|--key= -m|--merge -o|--output=> -s|--stable -S|--buffer-size= -t|--field-separator= -T|--temporary-directory=/ --parallel= -u|--unique -z|--zero-terminated --mmap --qsort --mergesort --heapsort --radixsort" + gnu,
		Operands: "r*",
	},
	{
		Name: "uniq|guniq", Abbreviates: true, Reads: "uniq prints",
		Options: "-c|--count -d|--repeated -D --all-repeated=? -f|--skip-fields= --group=? -i|--ignore-case -s|--skip-chars= -u|--unique -z|--zero-terminated -w|--check-chars= -#" + gnu, Operands: "r? w?",
	},
	{
		Name: "cut|gcut", Abbreviates: true, Tame: true, Reads: "cut prints",
		Options: "-b|--bytes= -c|--characters= -d|--delimiter= -f|--fields= -n --complement -s|--only-delimited --output-delimiter= -w --only-delimiter -z|--zero-terminated" + gnu, Operands: "r*",
	},
	{Name: "tr|gtr", Abbreviates: true, Tame: true, Reads: "tr prints", Options: "-c|-C|--complement -d|--delete -s|--squeeze-repeats -t|--truncate-set1 -u" + gnu, Operands: "t*"},
	{Name: "paste|gpaste", Abbreviates: true, Tame: true, Reads: "paste prints", Options: "-d|--delimiters= -s|--serial -z|--zero-terminated" + gnu, Operands: "r*"},
	{
		Name: "join|gjoin", Abbreviates: true, Tame: true, Reads: "join prints",
		Options: "-a= -e= -i|--ignore-case -j= -o= -t= -v= -1= -2= --check-order --nocheck-order --header -z|--zero-terminated" + gnu, Operands: "r*",
	},
	{Name: "comm|gcomm", Abbreviates: true, Tame: true, Reads: "comm compares", Options: "-123i --check-order --nocheck-order --output-delimiter= --total -z|--zero-terminated" + gnu, Operands: "r*"},
	{
		Name: "cmp|gcmp|zcmp", Abbreviates: true, Tame: true, Reads: "cmp compares",
		Options: "-b|--print-bytes -i|--ignore-initial= -l|--verbose -n|--bytes= -s|--quiet|--silent -h -x -z -v|--version --help", Operands: "r r? t? t?",
	},
	{
		Name: "diff|gdiff|zdiff|colordiff", Abbreviates: true, Reads: "diff compares", Deep: "-r", Follows: "*",
		Options:  "--normal -q|--brief -s|--report-identical-files -c --context=? -C= -u --unified=? -U= -e|--ed -f|--forward-ed -n|--rcs -y|--side-by-side -W|--width= --left-column --suppress-common-lines -p|--show-c-function -F|--show-function-line= -L|--label= -t|--expand-tabs -T|--initial-tab --tabsize= --suppress-blank-empty -l|--paginate! -r|--recursive --no-dereference -N|--new-file -P|--unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case -x|--exclude= -X|--exclude-from=< -S|--starting-file= --from-file=< --to-file=< -i|--ignore-case -E|--ignore-tab-expansion -Z|--ignore-trailing-space -b|--ignore-space-change -w|--ignore-all-space -B|--ignore-blank-lines -I|--ignore-matching-lines= -a|--text --strip-trailing-cr -D|--ifdef= --line-format= --old-group-format= --new-group-format= --changed-group-format= --unchanged-group-format= --old-line-format= --new-line-format= --unchanged-line-format= -d|--minimal -h -H|--speed-large-files --horizon-lines= --color=? --palette= -A|--algorithm= --binary --GTYPE-group-format= --LTYPE-line-format= -v|--version --help -#",
		Operands: "r*",
	},
	{
		Name: "diff3|gdiff3", Abbreviates: true, Reads: "diff3 compares",
		Options: "-A|--show-all -e|--ed -E|--show-overlap -3|--easy-only -x|--overlap-only -X -i -m|--merge -a|--text --strip-trailing-cr -T|--initial-tab --diff-program=$ -L|--label= -v|--version --help", Operands: "r r r",
	},
	{
		Name: "sdiff|gsdiff", Abbreviates: true, Reads: "sdiff compares",
		Options: "-o|--output=> -i|--ignore-case -E|--ignore-tab-expansion -Z|--ignore-trailing-space -b|--ignore-space-change -W|--ignore-all-space -B|--ignore-blank-lines -I|--ignore-matching-lines= --strip-trailing-cr -a|--text -w|--width= -l|--left-column -s|--suppress-common-lines -t|--expand-tabs --tabsize= -d|--minimal -H|--speed-large-files --diff-program=$ -v|--version --help", Operands: "r r",
	},
	{
		Name: "column", Abbreviates: true, Tame: true, Reads: "column prints",
		Options: "-t|--table -n|--table-name= -O|--table-order= -N|--table-columns= -C|--table-column= -l|--table-columns-limit= -E|--table-noextreme= -d|--table-noheadings -m|--table-maxout -e|--table-header-repeat -H|--table-hide= -R|--table-right= -T|--table-truncate= -W|--table-wrap= -L|--keep-empty-lines -J|--json -r|--tree= -i|--tree-id= -p|--tree-parent= -c|--output-width= -o|--output-separator= -s|--separator= -S|--use-spaces= -x|--fillrows -h|--help -V|--version", Operands: "r*",
	},
	{Name: "fold|gfold", Abbreviates: true, Tame: true, Reads: "fold prints", Options: "-b|--bytes -c|--characters -s|--spaces -w|--width= -#" + gnu, Operands: "r*"},
	{Name: "expand|gexpand", Abbreviates: true, Tame: true, Reads: "expand prints", Options: "-i|--initial -t|--tabs= -#" + gnu, Operands: "r*"},
	{Name: "unexpand|gunexpand", Abbreviates: true, Tame: true, Reads: "unexpand prints", Options: "-a|--all --first-only -t|--tabs= -#" + gnu, Operands: "r*"},
	{Name: "fmt|gfmt", Abbreviates: true, Tame: true, Reads: "fmt prints", Options: "-c|--crown-margin -p|--prefix= -s|--split-only -t|--tagged-paragraph -u|--uniform-spacing -w|--width= -g|--goal= -d= -l= -m -n -#" + gnu, Operands: "r*"},
	{
		Name: "pr|gpr", Abbreviates: true, Tame: true, Reads: "pr prints",
		Options: "--columns= --pages= -a|--across -c|--show-control-chars -d|--double-space -D|--date-format= -e|--expand-tabs=? -F|-f|--form-feed -h|--header= -i|--output-tabs=? -J|--join-lines -l|--length= -m|--merge -n|--number-lines=? -N|--first-line-number= -o|--indent= -r|--no-file-warnings -s|--separator=? -S|--sep-string=? -t|--omit-header -T|--omit-pagination -v|--show-nonprinting -w|--width= -W|--page-width= -p -L= -#" + gnu, Operands: "r*",
	},
	{
		Name: "od|god", Abbreviates: true, Tame: true, Reads: "od prints",
		Options: "-A|--address-radix= --endian= -j|--skip-bytes= -N|--read-bytes= -S= --strings=? -t|--format= -v|--output-duplicates -w|--width=? --traditional -abcdfiloxsBDeFhHILOX" + gnu, Operands: "r*",
	},
	{
		Name: "hexdump|hd", Abbreviates: true, Tame: true, Reads: "hexdump prints",
		Options: "-b|--one-byte-octal -c|--one-byte-char -C|--canonical -d|--two-bytes-decimal -o|--two-bytes-octal -x|--two-bytes-hex -X|--one-byte-hex -L|--color=? -e|--format= -f|--format-file=< -n|--length= -s|--skip= -v|--no-squeezing -h|--help -V|--version", Operands: "r*",
	},
	{
		Name: "xxd", OneDash: true, Reads: "xxd prints",
		Options: "-a|-autoskip -b|-bits -c|-cols= -C|-capitalize -d -e -E|-EBCDIC -g|-groupsize= -h|-help -i|-include -l|-len= -n|-name= -o= -p|-ps|-postscript|-plain -r|-revert! -R= -s|-seek= -t -u -v|-version", Operands: "r? w?",
	},
	{
		Name: "strings|gstrings", Abbreviates: true, Tame: true, Reads: "strings prints", Unless: optionFiles,
		Options: "-a|--all -d|--data -f|--print-file-name -n|--bytes= -t|--radix= -w|--include-all-whitespace -o -T|--target= -e|--encoding= -U|--unicode= -s|--output-separator= -h|--help -v|-V|--version -#", Operands: "r*",
	},
	{
		Name: "base64|base32|gbase64", Abbreviates: true, Reads: "it prints",
		Options: "-d|--decode -D -i|--ignore-garbage --input=< -o|--output=> -w|--wrap= -b|--break=" + gnu, Operands: "r*",
	},
	{
		Name: "basenc|gbasenc", Abbreviates: true, Tame: true, Reads: "basenc prints",
		Options: "--base64 --base64url --base32 --base32hex --base16 --base58 --base2msbf --base2lsbf --z85 -d|--decode -i|--ignore-garbage -w|--wrap=" + gnu, Operands: "r*",
	},
	{
		Name: "md5sum|sha1sum|sha224sum|sha256sum|sha384sum|sha512sum|shasum|b2sum|b3sum|cksum|sum|gmd5sum|gsha256sum|md5|sha1|sha256|sha512", Abbreviates: true, Tame: true, Reads: "it prints a checksum",
		Options: sumOptions, Operands: "r*",
	},
	{Name: "crc32|xxhsum|xxh64sum", Tame: true, Reads: "it prints a checksum", Operands: "r*"},
	{
		Name: "grep|egrep|fgrep|ggrep|gegrep|gfgrep|bsdgrep", Abbreviates: true, Tame: true, Reads: "grep searches", Deep: "-r -R", Follows: "-R", Here: "-r -R", Filters: "--include", Unless: grepPrintsAll,
		Options: grepOptions, Operands: "t r*",
	},
	{Name: "zgrep|zegrep|zfgrep|bzgrep|xzgrep|lzgrep|zstdgrep", Reads: "it searches compressed files", Options: zgrepOptions, Operands: "t r*"},
	{
		Name: "rg|ripgrep", Reads: "rg searches", Deep: "*", Follows: "-L", Here: "*", Filters: "-g --iglob --type-add", Unless: rgPrintsAll,
		Options: "-e|--regexp=% -f|--file=<% --pre=$ --pre-glob= --no-pre -z|--search-zip! --no-search-zip -s|--case-sensitive --crlf --no-crlf --dfa-size-limit= -E|--encoding= --no-encoding --engine= -F|--fixed-strings --no-fixed-strings -i|--ignore-case -v|--invert-match --no-invert-match -x|--line-regexp -m|--max-count= --mmap --no-mmap -U|--multiline --no-multiline --multiline-dotall --no-multiline-dotall" +
			" --no-unicode --unicode --null-data -P|--pcre2 --no-pcre2 --regex-size-limit= -S|--smart-case --stop-on-nonmatch -a|--text --no-text -j|--threads= -w|--word-regexp --auto-hybrid-regex --no-auto-hybrid-regex --no-pcre2-unicode --pcre2-unicode --binary --no-binary -L|--follow --no-follow -g|--glob= --glob-case-insensitive --no-glob-case-insensitive -.|--hidden --no-hidden --iglob= --ignore-file=< --ignore-file-case-insensitive --no-ignore-file-case-insensitive" +
			" -d|--max-depth|--maxdepth= --max-filesize= --no-ignore --ignore --no-ignore-dot --ignore-dot --no-ignore-exclude --ignore-exclude --no-ignore-files --ignore-files --no-ignore-global --ignore-global --no-ignore-parent --ignore-parent --no-ignore-vcs --ignore-vcs --no-require-git --require-git --one-file-system --no-one-file-system -t|--type= -T|--type-not= --type-add= --type-clear= -u|--unrestricted" +
			" -A|--after-context= -B|--before-context= --block-buffered --no-block-buffered -b|--byte-offset --no-byte-offset --color= --colors= --column --no-column -C|--context= --context-separator= --no-context-separator --field-context-separator= --field-match-separator= --heading --no-heading -h|--help --hostname-bin=$ --hyperlink-format= --include-zero --no-include-zero --line-buffered --no-line-buffered -n|--line-number -N|--no-line-number -M|--max-columns= --max-columns-preview --no-max-columns-preview -0|--null -o|--only-matching" +
			" --path-separator= --passthru|--passthrough -p|--pretty -q|--quiet -r|--replace= --sort= --sort-files --no-sort-files --sortr= --trim --no-trim --vimgrep -H|--with-filename -I|--no-filename -c|--count --count-matches -l|--files-with-matches --files-without-match --json --no-json --debug --no-ignore-messages --ignore-messages --no-messages --messages --stats --no-stats --trace --files --generate= --no-config --pcre2-version --type-list -V|--version -#",
		Operands: "t r*", With: []Form{{"--files --type-list", "r*"}},
	},
	{
		Name: "ag", Reads: "ag searches", Deep: "*", Follows: "-f", Here: "*", Unless: rgPrintsAll,
		Options:  "--ackmate -A|--after= -B|--before= --nobreak --break -c|--count --color --nocolor --color-line-number= --color-match= --color-path= --column --filename --nofilename -H|--heading --noheading -C|--context= --numbers --nonumbers --group --nogroup -o|--only-matching --print-long-lines --passthrough --silent --stats --stats-only --vimgrep -0|--null|--print0 -a|--all-types -D|--debug --depth= -f|--follow --nofollow -F|--fixed-strings -G|--file-search-regex= --hidden -i|--ignore-case --ignore= --ignore-dir= -l|--files-with-matches -L|--files-without-matches -m|--max-count= --multiline --nomultiline --one-device -p|--path-to-ignore=< --pager=$ --nopager -Q|--literal -r|--recurse -R -n|--norecurse -s|--case-sensitive -S|--smart-case --search-binary --search-files --search-stream --noaffinity --affinity --parallel -t|--all-text -u|--unrestricted -U|--skip-vcs-ignores -v|--invert-match -w|--word-regexp -W|--width= --workers= -z|--search-zip! -g=% -h|--help -V|--version -q --list-file-types",
		Operands: "t r*",
	},
	{
		Name: "ack|ack-grep", Reads: "ack searches", Repo: true, Heeds: ".ackrc, which may name a pager", Deep: "*", Follows: "--follow", Here: "*",
		Options:  "-i|--ignore-case -I|--no-ignore-case -S|--smart-case --no-smart-case -v|--invert-match -w|--word-regexp -Q|--literal --match=% --range-start= --range-end= --range-invert -l|--files-with-matches -L|--files-without-matches --output=! -o -m|--max-count= -1 -H|--with-filename -h|--no-filename -c|--count --column --no-column -A|--after-context= -B|--before-context= -C|--context=? --print0 -s --pager=?$! --nopager --heading --noheading --break --nobreak --group --nogroup -p|--proximate=? -P|--no-proximate --color --nocolor --color-filename= --color-match= --color-colno= --color-lineno= --flush -u|--underline --no-underline -f -g --sort-files --show-types --files-from=<! -x! -t|--type= -T --ignore-directory|--ignore-dir= --noignore-directory|--noignore-dir= --ignore-file= -r|-R|--recurse -n|--no-recurse --follow --nofollow -k|--known-types --type-set= --type-add= --type-del= --env --noenv --ackrc=<! --ignore-ack-defaults --create-ackrc --dump --filter --nofilter --help --help-types --help-colors --help-rgb-colors --version --man! --bar --thpppt --cathy --passthru --lines= --not= --and= --or= --python --js --go --java --ruby --perl --cc --cpp --css --html --json --php --rust --shell --sql --xml --yaml --markdown -q -#",
		Operands: "t r*", With: []Form{{"-f --dump --create-ackrc --help-types", "r*"}},
	},
	{
		Name: "jq|gojq|jaq", Reads: "jq prints", Unless: jqReaches,
		Options:  "-n|--null-input -R|--raw-input -s|--slurp -c|--compact-output -r|--raw-output --raw-output0 -j|--join-output -a|--ascii-output -S|--sort-keys -C|--color-output -M|--monochrome-output --tab --indent= --unbuffered --stream --stream-errors --seq -f|--from-file! -L|--library-path=! -e|--exit-status --arg=2 --argjson=2 --slurpfile=2< --argfile=2< --rawfile=2< --args --jsonargs -h|--help -V|--version --build-configuration -b|--binary --yaml-input --yaml-output",
		Operands: "s r*", With: []Form{{"-f", "r r*"}, {"--args --jsonargs", "s r*"}},
	},
	{
		Name: "yq", Reads: "yq prints", Unless: yqReaches, Touches: everyOperandRead,
		Options: "-C|--colors -M|--no-colors -e|--exit-status --exit= -f|--front-matter=! --header-preprocess=? -I|--indent= -i|--inplace|--in-place! -p|--input-format= -o|--output-format= -N|--no-doc -n|--null-input -P|--prettyPrint -r|--unwrapScalar|--raw-output -s|--split-exp! --split-exp-file! --from-file=! -V|--version -v|--verbose -h|--help -0|--nul-output --expression= --string-interpolation=? --csv-auto-parse=? --tsv-auto-parse=? --csv-separator= --lua-globals --lua-unquoted --xml-attribute-prefix= --xml-content-name= --security-disable-env-ops --security-disable-file-ops" +
			" -c|--compact-output -y|--yaml-output -Y|--yaml-roundtrip -S|--sort-keys -w|--width= -j|--tojson --arg=2 --argjson=2 --indentless --explicit-start --explicit-end --no-expand-aliases --slurp --tab",
		Operands: "s? r*",
	},
	{Name: "xmllint", OneDash: true, Reads: "xmllint prints", Options: "-auto -c14n -c14n11 -exc-c14n -catalogs! -nocatalogs -compress! -copy -debug -debugent -dropdtd -dtdattr! -dtdvalid=! -dtdvalidfpi=! -encode= -format -help -html -htmlout -huge -insert -loaddtd! -load-trace -maxmem= -memory -noblanks -nocdata -nocompact -nodefdtd -nodict -noenc -noent! -nonet -noout -nowarning -nowrap -nsclean -oldxml10 -output|-o=> -path=! -pattern= -pedantic -postvalid! -pretty= -push -quiet -recover -relaxng=! -repeat -sax -sax1 -schema=! -schematron=! -shell! -stream -testIO! -timing -valid! -version -walker -xinclude! -noxincludenode -nofixup-base-uris -xmlout -xpath= -xpath0=", Operands: "r*"},
	{Name: "awk|gawk|mawk|nawk|original-awk|bwk|goawk", Abbreviates: true, Reads: "awk with a program that neither writes nor runs anything", Unless: awkActs, Options: awkOptions, Operands: "s r*", Touches: awkTouches},
	{
		Name: "sed|gsed", Abbreviates: true, Reads: "sed with a script that only prints", Unless: sedActs, AsksIf: sedAsks, Edits: true, Touches: sedTouches,
		Options: "-n|--quiet|--silent --debug -e|--expression=% -f|--file=<%! --follow-symlinks! -i|--in-place=? -I=? -l|--line-length=! -a! -b|--binary --posix -E|-r|--regexp-extended -s|--separate --sandbox -u|--unbuffered|--line-buffered -z|--null-data|--zero-terminated" + gnu, Operands: "s r*",
	},
	{Name: "iconv", Abbreviates: true, Reads: "iconv prints", Options: "-f|--from-code= -t|--to-code= -l|--list -c -o|--output=> -s|--silent --verbose --byte-subst= --widechar-subst= --unicode-subst= -?|--help --usage -V|--version", Operands: "r*"},
	{Name: "shuf|gshuf", Abbreviates: true, Reads: "shuf prints", Options: "-e|--echo -i|--input-range= -n|--head-count= -o|--output=> --random-source=< -r|--repeat -z|--zero-terminated" + gnu, Operands: "r?", With: []Form{{"-e", "t*"}}},
	{Name: "tsort|gtsort", Abbreviates: true, Tame: true, Reads: "tsort prints", Options: "-d -l -q -w" + gnu, Operands: "r?"},
	{Name: "numfmt|gnumfmt", Abbreviates: true, Tame: true, Reads: "numfmt prints", Options: "--debug -d|--delimiter= --field= --format= --from= --from-unit= --grouping --header=? --invalid= --padding= --round= --suffix= --to= --to-unit= --unit-separator= -z|--zero-terminated" + gnu, Operands: "t*"},
	{Name: "col|colrm|ul", Abbreviates: true, Tame: true, Reads: "it prints", Options: "-b|--no-backspaces -f|--fine -p|--pass -x|--spaces -l|--lines= -t|-T|--terminal= -i|--indicated -h|--tabs -H|--help -v|-V|--version", Operands: "t*"},
	{Name: "look", Abbreviates: true, Tame: true, Reads: "look searches", Options: "-a|--alternative -b -d|--alphanum -f|--ignore-case -t|--terminate= -h|--help -V|--version", Operands: "t r?"},
	{
		Name: "ptx|gptx", Abbreviates: true, Reads: "ptx prints",
		Options: "-A|--auto-reference -G|--traditional! -F|--flag-truncation= -M|--macro-name= -O -R|--right-side-refs -S|--sentence-regexp= -T --format= -W|--word-regexp= -b|--break-file=< -f|--ignore-case -g|--gap-size= -i|--ignore-file=< -o|--only-file=< -r|--references -t|--typeset-mode -w|--width=" + gnu, Operands: "r*",
	},
	{Name: "envsubst", Abbreviates: true, Options: "-v|--variables -h|--help -V|--version", Operands: "t*"},
	{
		Name: "seq|gseq", Abbreviates: true, Tame: true, Reads: "seq prints", Options: "-f|--format= -s|--separator= -t|--terminator= -w|--equal-width -#" + gnu, Operands: "t*",
	},
	{Name: "factor|gfactor|primes", Abbreviates: true, Tame: true, Reads: "it computes", Options: "-h|--exponents" + gnu, Operands: "t*"},
	{Name: "bc|gbc", Abbreviates: true, Reads: "bc computes", Options: "-c|--code -C|--no-digit-clamp -d|--digit-clamp -e|--expression= -E|--seed= -f|--file=< -g|--global-stacks -h|--help -i|--interactive -I|--ibase= -l|--mathlib -L|--no-line-length -O|--obase= -P|--no-prompt -q|--quiet -r|--redefine= -R|--no-read-prompt -s|--standard -S|--scale= -v|-V|--version -w|--warn -x|--extended-register -z|--leading-zeroes", Operands: "r*"},
	{Name: "dc|gdc", Terminal: true, Options: "-e|--expression=& -f|--file=< -i -x -h|--help -V|--version", Operands: "x*", Version: "dc,gdc:--version,--help dc:-V,-h"},
	{Name: "dos2unix|unix2dos|mac2unix|unix2mac", Options: "-b|--keep-bom -c|--convmode= -f|--force -h|--help -i|--info=? -k|--keepdate -l|--newline -L|--license -m|--add-bom -n|--newfile -o|--oldfile -O|--to-stdout -q|--quiet -r|--remove-bom -s|--safe -F|--follow-symlink -R|--replace-symlink -S|--skip-symlink -V|--version -v|--verbose -u|--keep-utf16", OneDash: false, Operands: "w*", With: []Form{{"-n", "r w"}, {"-O -i", "r*"}}},
	{Name: "split|gsplit", Abbreviates: true, Options: "-a|--suffix-length= --additional-suffix= -b|--bytes= -C|--line-bytes= -d --numeric-suffixes=? -x --hex-suffixes=? -e|--elide-empty-files --filter=$ -l|--lines= -n|--number= -p= -t|--separator= -u|--unbuffered --verbose -#" + gnu, Operands: "r? t?", Touches: splitTouches, Version: "--help --version"},
	{Name: "csplit|gcsplit", Abbreviates: true, Options: "-b|--suffix-format= -f|--prefix=> -k|--keep-files --suppress-matched -n|--digits= -s|--quiet|--silent -z|--elide-empty-files" + gnu, Operands: "r t*", Touches: splitTouches, Version: "--help --version"},
	{Name: "tee|gtee|sponge", Abbreviates: true, Edits: true, Reads: "tee prints what it reads", Options: "-a|--append -i|--ignore-interrupts -p --output-error=?" + gnu, Operands: "w*", Version: "tee,gtee:--help,--version"},
	{Name: "patch|gpatch", Abbreviates: true, Options: "-p|--strip= -F|--fuzz= -l|--ignore-whitespace -c|--context -e|--ed! -n|--normal -u|--unified -N|--forward -R|--reverse -i|--input=< -o|--output=> -r|--reject-file=> -D|--ifdef= -E|--remove-empty-files -Z|--set-utc -T|--set-time -b|--backup -B|--prefix= -V|--version-control= -Y|--basename-prefix= -z|--suffix= -g|--get= -t|--batch -f|--force -s|--quiet|--silent -d|--directory=</ -x|--debug= -v|--version --merge=? --quoting-style= --backup-if-mismatch --no-backup-if-mismatch --verbose --dry-run --posix --reject-format= --binary --read-only= --follow-symlinks --help", Operands: "w? r?", Touches: patchTouches, Version: "--help --version patch:-v"},
}
