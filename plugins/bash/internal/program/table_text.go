package program

// textRows are programs that read texts and print.
var textRows = []Row{
	{
		Name: "sort|gsort", Abbreviates: true, Reads: "sort prints",
		Options:  "-b|--ignore-leading-blanks -d|--dictionary-order -f|--ignore-case -g|--general-numeric-sort -i|--ignore-nonprinting -M|--month-sort -h|--human-numeric-sort -n|--numeric-sort -R|--random-sort --random-source=< -r|--reverse --sort= -V|--version-sort --batch-size= -c|--check=? -C --compress-program=$ --debug --files0-from=< -k|--key= -m|--merge -o|--output=> -s|--stable -S|--buffer-size= -t|--field-separator= -T|--temporary-directory=/ --parallel= -u|--unique -z|--zero-terminated --help --version",
		Operands: "r*",
	},
	{
		Name: "cat|gcat", Abbreviates: true, Tame: true, Reads: "cat prints files",
		Options:  "-A|--show-all -b|--number-nonblank -e -E|--show-ends -n|--number -s|--squeeze-blank -t -T|--show-tabs -u -v|--show-nonprinting --help --version",
		Operands: "r*",
	},
}
