package program

const packOptions = "-c|--stdout|--to-stdout -d|--decompress|--uncompress -f|--force -h|--help -k|--keep -l|--list -L|--license -n|--no-name -N|--name -q|--quiet -r|--recursive --rsyncable -S|--suffix= --synchronous -t|--test -v|--verbose -V|--version -z|--compress -s|--small -a|--ascii -e|--extreme -0123456789 --fast --best --keep-broken -H|--long-help -T|--threads= -F|--format= -C|--check= -M|--memlimit|--memory= --memlimit-compress= --memlimit-decompress= --no-adjust --no-warn -Q --robot --info-memory --single-stream --no-sparse --files=?<! --files0=?<! --block-size= --block-list= --lzma1=? --lzma2=? --x86=? --arm=? --arm64=? --delta=? -p|--processes= -b|--blocksize= -i|--independent -R -K|--zip -A|--alias= --ignore-check"

// archiveRows are programs for packing and unpacking files.
var archiveRows = []Row{
	{
		Name: "tar|gtar|bsdtar|gnutar", Lists: "-T", Makes: true, Fetches: true, Bundle: true, Abbreviates: true, Reads: "tar lists or prints", Unless: tarActs, AsksIf: tarAsks, Touches: tarTouches, Version: "--help --version tar:--usage,-?",
		Options: "-A|--catenate|--concatenate! -c|--create! --delete! -d|--diff|--compare -r|--append! --test-label -t|--list -u|--update! -x|--extract|--get --check-device -g|--listed-incremental=<>! -G|--incremental --hole-detection= --ignore-failed-read --level= --no-check-device --no-seek -n|--seek --occurrence=? --sparse-version= -S|--sparse --add-file= -C|--directory= --cd= --exclude= --exclude-backups --exclude-caches --exclude-caches-all --exclude-caches-under --exclude-ignore= --exclude-ignore-recursive= --exclude-tag= --exclude-tag-all= --exclude-tag-under= --exclude-vcs --exclude-vcs-ignores" +
			" --no-null --no-recursion --no-unquote --no-verbatim-files-from --null --recursion -T|--files-from=< --unquote --verbatim-files-from -X|--exclude-from=< --include= --anchored --ignore-case --no-anchored --no-ignore-case --no-wildcards --no-wildcards-match-slash --wildcards --wildcards-match-slash --keep-directory-symlink --keep-newer-files -k|--keep-old-files --no-overwrite-dir --one-top-level=? --overwrite --overwrite-dir --recursive-unlink! --remove-files! --skip-old-files -U|--unlink-first! -W|--verify --ignore-command-error --no-ignore-command-error -O|--to-stdout --to-command=$ --atime-preserve=? --clamp-mtime --delay-directory-restore --group= --group-map=< --mode= --mtime= -m|--touch --no-delay-directory-restore --no-same-owner --no-same-permissions --numeric-owner --owner= --owner-map=< -p|--preserve-permissions|--same-permissions --same-owner --sort= -s|--preserve-order|--same-order" +
			" --acls --no-acls --no-selinux --no-xattrs --selinux --xattrs --xattrs-exclude= --xattrs-include= --force-local -f|--file= -F|--info-script|--new-volume-script=$ -L|--tape-length= -M|--multi-volume! --rmt-command=$ --rsh-command=$ --volno-file=> -b|--blocking-factor= -B|--read-full-records -i|--ignore-zeros --record-size= -H|--format= --old-archive|--portability --pax-option= --posix -V|--label= -a|--auto-compress -I|--use-compress-program=$ -j|-y|--bzip2|--bunzip2 -J|--xz --lzip --lzma --lzop --lz4 --lrzip! --no-auto-compress --zstd -z|--gzip|--gunzip|--ungzip -Z|--compress|--uncompress --backup=? --hard-dereference -h|--dereference -K|--starting-file= --newer-mtime= -N|--newer|--after-date= --one-file-system -P|--absolute-names --suffix= --strip-components= --transform|--xform= --checkpoint=? --checkpoint-action=&" +
			" --full-time --index-file=> -l|--check-links --no-quote-chars= --quote-chars= --quoting-style= -R|--block-number --show-defaults --show-omitted-dirs --show-snapshot-field-ranges --show-transformed-names|--show-stored-names --totals=? --utc -v|--verbose --warning= -w|--interactive|--confirmation -o -q|--fast-read --options= --passphrase= --no-mac-metadata --mac-metadata --uid= --gid= --uname= --gname= -? --help --restrict --usage --version -#",
		Operands: "t*", With: []Form{{"-c -r -u -A", "r*"}},
	},
	{
		Name: "unzip", Makes: true, Fetches: true, Names: false, Reads: "unzip lists or prints", Unless: unzipActs, Touches: unzipTouches, Version: "-v --help -h -hh",
		Options: "-Z -A -l -t -z -v -p -c -f! -u! -T! -x -d= -P= -O= -I= -a -b -B -C -D -E -F -i -j -J -K -L -M -n -N -o -q -s -S -U -V -W -X -Y -: -^ -/ -$ -1 -2 -h -m --help", Operands: "r t*",
	},
	{Name: "zipinfo", Names: true, Tame: true, Reads: "zipinfo lists", Options: "-1 -2 -s -m -l -v -h -M -t -T -U -z -C -x -O= -I= -Z", Operands: "r t*"},
	{Name: "lsar", Names: true, Tame: true, Reads: "lsar lists", Options: "-l|--long -L|--very-long -v|--verylong -t|--test -p|--password= -e|--encoding= -E|--password-encoding= --print-encoding -i|--indexes -j|--json --json-ascii -n|--no-recursion -h|--help", Operands: "r t*"},
	{
		Name: "zip|zipcloak|zipnote|zipsplit", Lists: "-@", Makes: true, AsksIf: zipAsks, Touches: zipTouches, Version: "zip:--help,--version,-h,-v,-h2",
		Options:  "-0123456789 -a -A|--adjust-sfx -B= -b|--temp-path=/ -c|--entry-comments -D|--no-dir-entries -d|--delete -df|--datafork -DF|--difference-archive -e|--encrypt -F|--fix -FF|--fixfix -f|--freshen -FI|--fifo -FS|--filesync -g|--grow -h|--help -h2 -i|--include= -I -j|--junk-paths -k|--DOS-names -la|--log-append -lf|--logfile-path=> -li|--log-info -l|--to-crlf -ll|--from-crlf -L|--license -m|--move -MM|--must-match -n|--suffixes= -nw|--no-wild -o|--latest-time -O|--output-file|--out=> -p|--paths -P|--password= -q|--quiet -r|--recurse-paths -R|--recurse-patterns -s|--split-size= -sb -sc -sd -sf -so -sp -su -sU -S -t|--from-date= -tt|--before-date= -T|--test -TT|--unzip-command=$ -u|--update -U|--copy-entries -v|--verbose -w -ww -ws|--wild-stop-dirs -x|--exclude= -X|--strip-extra -y|--symlinks -z|--archive-comment -Z|--compression-method= -@|--names-stdin",
		Operands: "w r*", OneDash: true,
	},
	{Name: "gzip|gunzip|pigz|unpigz|bzip2|bunzip2|pbzip2|lbzip2|xz|unxz|lzma|unlzma|pxz|lzip|lzop|compress|uncompress|ggzip|brotli", Lists: "--files --files0", Makes: true, Abbreviates: true, Reads: "it lists, tests or prints", Unless: packActs, Touches: packTouches, Version: "gzip,gunzip,pigz,unpigz,bzip2,bunzip2,pbzip2,lbzip2,xz,unxz,lzma,unlzma,lzip,lzop,brotli:--version,--help gzip:-V,-h,-L xz:-V,-h,-H bzip2:-V,-h,-L", Options: packOptions, Operands: "r*"},
	{
		Name: "zstd|unzstd|pzstd|zstdmt", Lists: "--filelist", Makes: true, Abbreviates: true, Reads: "it lists, tests or prints", Unless: packActs, Touches: packTouches, Version: "--help --version zstd:-h,-H,-V",
		Options: "-# -o=> -k|--keep --rm! -z|--compress -d|--decompress|--uncompress -D=< -f|--force -h|--help -H -V|--version -c|--stdout -v|--verbose -q|--quiet --trace=> -r -l|--list -t|--test --filelist=<! --output-dir-flat=/ --output-dir-mirror=/ --ultra --fast=? --adapt=? --long=? --patch-from=< -T|--threads= --single-thread --auto-threads= -B= --rsyncable --exclude-compressed --stream-size= --size-hint= --target-compressed-block-size= --no-dictID --format= -M|--memory= --train! --train-cover=?! --train-fastcover=?! --train-legacy=?! --maxdict= --dictID= -b=! -e=! -i=! -S! --priority= --sparse --no-sparse --check --no-check --content-size --no-content-size --progress --no-progress --asyncio --no-asyncio --pass-through --no-pass-through --mmap-dict --no-mmap-dict --row-match-finder --no-row-match-finder", Operands: "r*",
	},
	{
		Name: "zcat|gzcat|bzcat|xzcat|lzcat|lzopcat|zstdcat", Abbreviates: true, Reads: "it prints files, unpacked", Options: packOptions + " -o=> --rm! -D=< --output-dir-flat=/ --output-dir-mirror=/ --trace=>", Operands: "r*",
	},
	{Name: "star", Makes: true, Options: "-o=> -f=<", Operands: "t*", Version: "--version -version --help -help"},                                                                               // its options need no dash
	{Name: "lz4|unlz4|lz4cat|lz4c", Options: "-0123456789 -c -d -f -k -l -m -q -r -t -v -z -B= -D=< -T= --rm --list --fast=? --best", Operands: "r? w?", Version: "--version --help lz4:-V,-h"}, // -l compresses
	{Name: "7z|7za|7zr|7zz|7zzs|p7zip", Fetches: true, Commands: true, Version: "7z,7za,7zr,7zz:--help 7z:i,-h 7zz:i"},
	{Name: "7z|7za|7zr|7zz|7zzs l|t|h|i", OneDash: true, Names: true, Reads: "7z lists or tests", Unless: optionFiles, Options: sevenOptions, Operands: "r t*"},
	{Name: "7z|7za|7zr|7zz|7zzs x|e", Makes: true, OneDash: true, Options: sevenOptions, Operands: "r t*", Touches: sevenTouches},
	{Name: "7z|7za|7zr|7zz|7zzs a|u|d|rn", Makes: true, OneDash: true, Options: sevenOptions + " -sdel", Operands: "w r*", Deep: "*"},
	{Name: "unrar|rar", Fetches: true, Commands: true},
	{Name: "unrar|rar l|lb|lt|v|vb|vt|t", OneDash: true, Names: true, Reads: "rar lists or tests", Unless: optionFiles, Options: rarOptions, Operands: "r t*"},
	{Name: "unrar|rar p", OneDash: true, Reads: "rar prints", Unless: optionFiles, Options: rarOptions, Operands: "r t*"},
	{Name: "unrar|rar x|e", Makes: true, OneDash: true, Options: rarOptions, Operands: "r t*", Touches: rarTouches},
	{Name: "rar a|m|u|f|d|r|c|k|s|ch|cw|rc|rn|rr|rv|tb", Makes: true, OneDash: true, Options: rarOptions, Operands: "w r*"},
	{
		Name: "ar|gar|llvm-ar|gcc-ar", Makes: true, Bundle: true, Reads: "ar lists or prints", Unless: arActs, Touches: arTouches, Version: "--version --help ar:-V,-h",
		Options: "-d! -m! -p -q! -r! -s! -t -x! -M! -a! -b! -i! -c -D -f -l -N -o -O -P -S -T -u -U -v -V --target= --output=/ --record-libdeps=! --thin! --plugin=! --version --help", Operands: "r t*",
	},
	{
		Name: "cpio|bsdcpio|gcpio", Makes: true, Fetches: true, Reads: "cpio -t lists", Unless: cpioActs, Touches: cpioTouches, Version: "--version --help",
		Options: "-i|--extract -o|--create! -p|--pass-through! -t|--list -0|--null -a|--reset-access-time -A|--append! -b|--swap -B -c -C|--io-size= --block-size= -d|--make-directories -D|--directory=< -E|--pattern-file=< -f|--nonmatching -F|--file= --force-local -H|--format= -I=< -k -l|--link -L|--dereference -m|--preserve-modification-time -M|--message= -n|--numeric-uid-gid --no-absolute-filenames --absolute-filenames --no-preserve-owner --only-verify-crc -O=> --quiet -r|--rename! -R|--owner= --rename-batch-file=< --rsh-command=$ -s|--swap-bytes -S|--swap-halfwords --sparse --to-stdout --renumber-inodes --ignore-devno --ignore-dirnlink --device-independent|--reproducible -u|--unconditional -v|--verbose -V|--dot --warning= -y -z -Z -J -j -W= --version --help", Operands: "t*",
	},
	{Name: "jar", Makes: true, Fetches: true, Bundle: true, Reads: "jar lists", Names: true, Unless: jarActs, Touches: jarTouches, Version: "--version --help -h", Options: "-c|--create! -x|--extract! -u|--update! -i|--generate-index! -t|--list -d|--describe-module -v|--verbose -0|--no-compress -M|--no-manifest -m|--manifest=< -e|--main-class= -f|--file= -C=2! -P -n|--normalize -p|--module-path= -k|--keep-old-files --dir=/ --release= --validate --version --help", Operands: "t*"},
}

const (
	sevenOptions = "-o=?/ -p=? -y -r=? -s=? -t=? -m=? -x=? -i=? -b=? -a=? -w=?/ -v=?! -slt -sccUTF-8 -sns -ssc -ssc- -snh -snl -so -si=? -bb=? -bd -bs=? -ba -u=?! -spf -spd -scs=? -scrc=?"
	rarOptions   = "-y -p=? -r -c- -idq -inul -id=? -o+ -o- -or -x=? -n=? -v -ts=? -t=? -m=? -s=? -hp=? -cfg- -ep -ep1 -ad -ap=? -ai -kb -u -f -w=?/ -ilog=?>"
)
