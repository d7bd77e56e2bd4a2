package program

// fileRows are programs that make, move, remove and show files.
var fileRows = []Row{
	{
		Name: "rm|grm", Abbreviates: true, Edits: true, Deep: "-r",
		Options:  "-f|--force -i -I --interactive=? --one-file-system -r|-R|--recursive -d|--dir -v|--verbose --preserve-root=? --no-preserve-root! --help --version",
		Operands: "m*",
	},
	{
		Name: "cp|gcp", Abbreviates: true, Edits: true, Deep: "-r -a",
		Options:  "-a|--archive! --attributes-only -b! --backup=?! --copy-contents! -d! -f|--force -i|--interactive -H -l|--link! -L|--dereference -n|--no-clobber -P|--no-dereference! -p --preserve=? --no-preserve= --parents! -r|-R|--recursive --reflink=? --remove-destination --sparse= --strip-trailing-slashes -s|--symbolic-link! -S|--suffix=! -t|--target-directory=>^ -T|--no-target-directory -u|--update=? -v|--verbose -x|--one-file-system -Z --context=? --debug --help --version",
		Operands: "r* p",
	},
}
