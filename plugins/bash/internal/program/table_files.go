package program

const lsOptions = "-a|--all -A|--almost-all --author -b|--escape --block-size= -B|--ignore-backups -c -C --color=? --colour=? -d|--directory -D|--dired -e -E -f -F --classify=? --file-type --format= --full-time -g --group-directories-first -G|--no-group -h|--human-readable --si -H|--dereference-command-line --dereference-command-line-symlink-to-dir --hide= --hyperlink=? --indicator-style= -i|--inode -I|--ignore= -k|--kibibytes -l -L|--dereference -m -n|--numeric-uid-gid -N|--literal -o -O -p -q|--hide-control-chars --show-control-chars -Q|--quote-name --quoting-style= -r|--reverse -R|--recursive -s|--size -S --sort= --time= --time-style= -t -T|--tabsize= -u -U -v -w|--width= -W -x -X -Z|--context --zero -1 -% -@ -, -y" + gnu

// fileRows are programs for making, moving, removing and showing files.
var fileRows = []Row{
	// Programs that show names and facts.
	{Name: "ls|gls|dir|vdir", Abbreviates: true, Names: true, Tame: true, Reads: "ls lists names", Options: lsOptions, Operands: "r*"},
	{
		Name: "exa|eza", Names: true, Tame: true, Reads: "eza lists names",
		Options:  "-1|--oneline -l|--long -G|--grid -x|--across -R|--recurse -T|--tree -X|--dereference -F|--classify=? --color|--colour= --color-scale|--colour-scale=? --color-scale-mode= --icons=? --no-quotes --hyperlink --absolute=? -w|--width= -a|--all -A|--almost-all -d|--list-dirs|--treat-dirs-as-files -D|--only-dirs -f|--only-files --show-symlinks --no-symlinks -L|--level= -r|--reverse -s|--sort= --group-directories-first --group-directories-last -I|--ignore-glob= --git-ignore -b|--binary -B|--bytes -g|--group --smart-group -h|--header -H|--links -i|--inode -M|--mounts -m|--modified -n|--numeric -O|--flags -S|--blocksize|--blocks -t|--time= -u|--accessed -U|--created --changed --time-style= --total-size --octal-permissions -o --no-permissions --no-filesize --no-user --no-time --stdin --git --no-git --git-repos --git-repos-no-status -@|--extended -Z|--context -v|--version -?|--help",
		Operands: "r*",
	},
	{
		Name: "lsd", Names: true, Tame: true, Reads: "lsd lists names",
		Options:  "-a|--all -A|--almost-all --color= --icon= --icon-theme= -F|--classify -l|--long --ignore-config --config-file=< -1|--oneline -R|--recursive -h|--human-readable --tree --depth= -d|--directory-only --permission= --size= --total-size --date= -t|--timesort -S|--sizesort -X|--extensionsort -G|--gitsort -v|--versionsort --sort= -U|--no-sort -r|--reverse --group-dirs= --group-directories-first --blocks= --classic --no-symlink -I|--ignore-glob= -i|--inode -g|--git -L|--dereference -Z|--context --hyperlink= --header --truncate-owner-after= --truncate-owner-marker= --system-protected -N|--literal --help -V|--version",
		Operands: "r*",
	},
	{
		Name: "tree", Names: true, Listed: "--fromfile --fromtabfile", Reads: "tree lists names",
		Options:  "-adfxlpsuhgDcUvtrQqNFiACSnXJ -L= -R! -P= -I= -o=> -H= -T= --info --infofile=< --gitignore --gitfile=< --gitignoreglob= --ignore-case --matchdirs --metafirst --prune --noreport --nolinks --charset= --filelimit= --filesfirst --dirsfirst --du --si --inodes --device --timefmt= --sort= --fromfile --fromtabfile --fflinks --hintro= --houtro= --hyperlink --scheme= --authority= --opt-toggle --compress= --acl --selinux --version --help",
		Operands: "r*",
	},
	{
		Name: "stat|gstat", Abbreviates: true, Names: true, Tame: true, Reads: "stat shows facts about files",
		Options: "-L|--dereference -f|--file-system --cached= -c|--format= --printf= -t|--terse -F -l -n -q -r -s -x" + gnu, Operands: "r*",
	},
	{
		Name: "file", Names: true, Abbreviates: true, Reads: "file guesses types",
		Options:  "-v|--version -m|--magic-file=< -z|--uncompress -Z|--uncompress-noreport -b|--brief -c|--checking-printout -e|--exclude= --exclude-quiet= -f|--files-from=< -F|--separator= -i|--mime -I --apple --extension --mime-type --mime-encoding -k|--keep-going -l|--list -L|--dereference -h|--no-dereference -n|--no-buffer -N|--no-pad -0|--print0 -p|--preserve-date! -P|--parameter= -r|--raw -s|--special-files -S|--no-sandbox -C|--compile! -d|--debug -D -E --help",
		Operands: "r*",
	},
	{
		Name: "du|gdu", Lists: "--files0-from", Abbreviates: true, Names: true, Tame: true, Reads: "du sums sizes",
		Options: "-0|--null -a|--all -A|--apparent-size -B|--block-size= -b|--bytes -c|--total -D|--dereference-args -d|--max-depth= --files0-from=< -g -H -h|--human-readable -I= --inodes -i -k -L|--dereference -l|--count-links -m -n -P|--no-dereference -r -S|--separate-dirs --si -s|--summarize -t|--threshold= --time=? --time-style= -X|--exclude-from=< --exclude= -x|--one-file-system --libxo=?" + gnu, Operands: "r*",
	},
	{Name: "ncdu|dust|duf", Names: true, Options: "-o=> -f=<", Operands: "r*", Version: "--version --help"},
	{
		Name: "df|gdf", Abbreviates: true, Names: true, Tame: true, Reads: "df shows free space",
		Options: "-a|--all -B|--block-size= -b -c -g -h|--human-readable -H|--si -i|--inodes -I -k -l|--local -m -n --no-sync --output=? -P|--portability --sync! --total -t|--type= -T|--print-type -x|--exclude-type= -v -Y -#" + gnu, Operands: "r*",
	},
	{Name: "realpath|grealpath", Abbreviates: true, Names: true, Tame: true, Reads: "realpath prints a name", Options: "-e|--canonicalize-existing -E|--canonicalize -m|--canonicalize-missing -L|--logical -P|--physical -q|--quiet --relative-to= --relative-base= -s|--strip|--no-symlinks -z|--zero" + gnu, Operands: "r*"},
	{Name: "readlink|greadlink", Abbreviates: true, Names: true, Tame: true, Reads: "readlink prints a name", Options: "-f|--canonicalize -e|--canonicalize-existing -m|--canonicalize-missing -n|--no-newline -q|--quiet -s|--silent -v|--verbose -z|--zero" + gnu, Operands: "r*"},
	{Name: "basename|gbasename", Abbreviates: true, Names: true, Tame: true, Reads: "basename prints a name", Options: "-a|--multiple -s|--suffix= -z|--zero" + gnu, Operands: "t*"},
	{Name: "dirname|gdirname", Abbreviates: true, Names: true, Tame: true, Reads: "dirname prints a name", Options: "-z|--zero" + gnu, Operands: "t*"},
	{Name: "pwd|gpwd", Abbreviates: true, Names: true, Tame: true, Reads: "pwd prints the directory", Options: "-L|--logical -P|--physical" + gnu, Operands: ""},
	{Name: "namei", Names: true, Tame: true, Reads: "namei shows facts about a path", Options: "-h|--help -V|--version -x|--mountpoints -m|--modes -o|--owners -l|--long -n|--nosymlinks -v|--vertical -Z|--context", Operands: "r*"},
	{Name: "pathchk", Abbreviates: true, Names: true, Tame: true, Reads: "pathchk checks a name", Options: "-p -P --portability" + gnu, Operands: "t*"},
	{Name: "mountpoint", Names: true, Tame: true, Reads: "mountpoint tells whether one is mounted", Options: "-q|--quiet --nofollow -d|--fs-devno -x|--devno -h|--help -V|--version", Operands: "r?"},
	{Name: "getfacl", Names: true, Tame: true, Reads: "getfacl shows who may use a file", Options: "-a|--access -d|--default -c|--omit-header -e|--all-effective -E|--no-effective -s|--skip-base -R|--recursive -L|--logical -P|--physical -t|--tabular -p|--absolute-names -n|--numeric --one-file-system -v|--version -h|--help", Operands: "r*"},
	{Name: "tokei", Names: true, Reads: "tokei counts lines", Version: "--version -V --help -h", Options: "-C|--compact -c|--columns= -e|--exclude= -f|--files -h|--help --hidden -i|--input=< --languages --no-ignore --no-ignore-parent --no-ignore-dot --no-ignore-vcs -n|--num-format= -o|--output= -s|--sort= -r|--rsort= --streaming= -t|--type|--types= -V|--version -v|--verbose", Operands: "r*"},
	{Name: "otool", Reads: "otool shows facts about programs", Options: "-aBcCdDfGhHIjlLmMNoPrRStTvVxX -s=2 -p=", Operands: "r*"},
	{Name: "lsattr", Names: true, Tame: true, Reads: "lsattr shows facts about files", Options: "-RVadlpv", Operands: "r*"},
	{Name: "getfattr", Options: "-n|--name= -d|--dump -e|--encoding= -h|--no-dereference -m|--match= -R|--recursive -L|--logical -P|--physical --absolute-names --only-values --version --help", Names: true, Tame: true, Reads: "getfattr shows facts about files", Operands: "r*"},
	{Name: "mdls", OneDash: true, Names: true, Tame: true, Reads: "mdls shows facts about files", Options: "-name= -raw -nullMarker= -plist=>", Operands: "r*"},
	{
		Name: "xattr", Names: true, Reads: "xattr shows facts about files", Options: "-l -p -r -s -v -x -h|--help -d! -w! -c!", Operands: "r*",
		With: []Form{{"-w", "t t w*"}, {"-d", "t w*"}, {"-c", "w*"}, {"-p", "t r*"}},
	},

	// Programs that make and change files.
	{Name: "mkdir|gmkdir", Abbreviates: true, Edits: true, Options: "-m|--mode= -p|--parents -v|--verbose -Z! --context=?!" + gnu, Operands: "w*", Version: "--help --version"},
	{Name: "rmdir|grmdir", Abbreviates: true, Edits: true, Options: "-p|--parents -v|--verbose --ignore-fail-on-non-empty" + gnu, Operands: "m*", Version: "--help --version"},
	{Name: "touch|gtouch", Abbreviates: true, Edits: true, Options: "-a -c|--no-create -d|--date= -f -h|--no-dereference -m -r|--reference=< -t= --time= -A=" + gnu, Operands: "w*", Version: "--help --version"},
	{
		Name: "rm|grm", Abbreviates: true, Edits: true, Deep: "-r", Version: "--help --version",
		Options:  "-f|--force -i -I --interactive=? --one-file-system -r|-R|--recursive -d|--dir -v|--verbose -P -W! -x --preserve-root=? --no-preserve-root!" + gnu,
		Operands: "m*",
	},
	{Name: "unlink|gunlink", Abbreviates: true, Options: gnu, Operands: "m*", Version: "--help --version"},
	{Name: "shred|gshred|srm|wipe", Abbreviates: true, Deep: "*", Options: "-f|--force -n|--iterations= --random-source=< -s|--size= -u --remove=? -v|--verbose -x|--exact -z|--zero -r|-R|--recursive" + gnu, Operands: "m*", Version: "shred,gshred:--help,--version"},
	{Name: "trash|trash-put|rmtrash|trash-rm", Deep: "*", Options: "-f|--force -r|-R|--recursive -d|--dir -i|--interactive -v|--verbose --trash-dir=< -F -s -y -a --help --version", Operands: "m*", Version: "trash-put,trash-rm:--help,--version"},
	{
		Name: "mv|gmv", Abbreviates: true, Edits: true, Deep: "*", Version: "--help --version",
		Options:  "--backup=?! -b! --debug --exchange! -f|--force -h -i|--interactive -n|--no-clobber --no-copy --strip-trailing-slashes -S|--suffix=! -t|--target-directory=>^ -T|--no-target-directory -u --update=? -v|--verbose -Z|--context!" + gnu,
		Operands: "m* p",
	},
	{
		Name: "cp|gcp", Abbreviates: true, Edits: true, Deep: "-r -a", Follows: "-L", Version: "--help --version",
		Options:  "-a|--archive! --attributes-only -b! --backup=?! -c -X --copy-contents! -d! -f|--force -i|--interactive -H -l|--link! -L|--dereference -n|--no-clobber -P|--no-dereference! -p --preserve=? --no-preserve= --parents! -r|-R|--recursive --reflink=? --remove-destination --sparse= --strip-trailing-slashes -s|--symbolic-link! -S|--suffix=! -t|--target-directory=>^ -T|--no-target-directory -u --update=? -v|--verbose -x|--one-file-system -Z! --context=?! --debug --keep-directory-symlink" + gnu,
		Operands: "r* p",
	},
	{
		Name: "ln|gln", Abbreviates: true, Touches: linkTouches, Version: "--help --version",
		Options:  "--backup=? -b -d|-F|--directory -f|--force -h -i|--interactive -L|--logical -n|--no-dereference -P|--physical -r|--relative -s|--symbolic -S|--suffix= -t|--target-directory=>^ -T|--no-target-directory -v|--verbose -w" + gnu,
		Operands: "r* p",
	},
	{Name: "link", Abbreviates: true, Touches: linkTouches, Options: gnu, Operands: "r* p", Version: "--help --version"},
	{
		Name: "install|ginstall", Abbreviates: true, Version: "--help --version",
		Options:  "--backup=? -b -B= -c -C|--compare -d|--directory -D -f= -g|--group= -h= -l= -m|--mode= -M -N= -o|--owner= -p|--preserve-timestamps -s|--strip --strip-program=$ -S|--suffix= -t|--target-directory=>^ -T|--no-target-directory -U -v|--verbose --preserve-context -Z --context=? --debug" + gnu,
		Operands: "r* p", With: []Form{{"-d", "w*"}},
	},
	{Name: "ditto", Deep: "*", Options: "-h -v -V -X -c -x -z -j -k -t --arch= --bom=< --norsrc --rsrc --keepParent --sequesterRsrc --noextattr --extattr --noqtn --qtn --noacl --acl --nocache --zlibCompressionLevel= --password --hfsCompression --nohfsCompression --preserveHFSCompression --noPreserveHFSCompression", Operands: "r* p"},
	{Name: "truncate|gtruncate", Abbreviates: true, Edits: true, Options: "-c|--no-create -o|--io-blocks -r|--reference=< -s|--size=" + gnu, Operands: "w*", Version: "--help --version"},
	{Name: "fallocate", Options: "-c|--collapse-range -d|--dig-holes -i|--insert-range -l|--length= -n|--keep-size -o|--offset= -p|--punch-hole -z|--zero-range -x|--posix -v|--verbose -h|--help -V|--version", Operands: "w*", Version: "--help --version -h -V"},
	{Name: "mkfifo|gmkfifo", Abbreviates: true, Options: "-m|--mode= -Z --context=?" + gnu, Operands: "w*", Version: "--help --version"},
	{Name: "mknod|gmknod", Abbreviates: true, Options: "-m|--mode= -Z --context=?" + gnu, Operands: "w t*", Version: "--help --version"},
	{Name: "mktemp|gmktemp", Abbreviates: true, Reads: "mktemp makes an empty file of its own among the temporary ones", Options: "-d|--directory -u|--dry-run -q|--quiet --suffix= -p=/ --tmpdir=?/ -t" + gnu, Operands: "w?", Version: "--help --version"},
	{
		Name: "chmod|gchmod", Abbreviates: true, Edits: true, Deep: "-R", AsksIf: opensToAll, Version: "--help --version",
		Options: "-c|--changes -f|--silent|--quiet -v|--verbose --no-preserve-root --preserve-root --reference=<! -R|--recursive! -h|--no-dereference --dereference -H -L -P -E! -C! -N! -i! -I! -rwxXstugoa" + gnu, Operands: "t w*",
		With: []Form{{"--reference -r -w -x -X -s -t -u -g -o -a -N -C -E", "w*"}},
	},
	{
		Name: "chown|gchown|chgrp|gchgrp", Abbreviates: true, Deep: "-R", AsksIf: ownsTree, Version: "--help --version",
		Options: "-c|--changes -f|--silent|--quiet -v|--verbose --dereference -h|--no-dereference --from= --no-preserve-root --preserve-root --reference=< -R|--recursive -H -L -P -n -x" + gnu, Operands: "t w*",
		With: []Form{{"--reference", "w*"}},
	},
	{
		Name: "setfacl", Deep: "-R", Version: "--help --version -h -v",
		Options: "-m|--modify= -M|--modify-file=< -x|--remove= -X|--remove-file=< -b|--remove-all -k|--remove-default --set= --set-file=< --mask -n|--no-mask -d|--default -R|--recursive -L|--logical -P|--physical --restore=< --test -v|--version -h|--help", Operands: "w*",
	},
	{Name: "setfattr", Options: "-n|--name= -v|--value= -x|--remove= -h|--no-dereference --restore=< --raw --version --help", Operands: "w*"},
	{Name: "chattr|chflags", Deep: "-R", Options: "-RVfHLPhvx -p= -aAcCdDeijmsStTuF", Operands: "t w*", With: []Form{{"-i -a -A -c -C -d -D -e -j -m -s -S -t -T -u", "w*"}}},
	{Name: "rename|prename|file-rename|perl-rename", Options: "-v|--verbose -s|--symlink -n|--no-act|--nono -o|--no-overwrite -i|--interactive -f|--force -a|--all -l|--last -0|--null -d|--filename|--nopath|--nofullpath --path|--fullpath -e=&% -u|--unicode=? -h|--help -m|--man -V|--version", Operands: "t w*", Version: "--version --help"},
	{Name: "dd|gdd", Bare: true, AsksIf: ddAsks, Touches: ddTouches, Operands: "t*", Version: "--help --version"},
	{Name: "sync|gsync", Abbreviates: true, Options: "-d|--data -f|--file-system" + gnu, Operands: "r*", Version: "--help --version"},
}
