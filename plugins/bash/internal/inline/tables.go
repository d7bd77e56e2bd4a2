package inline

import "strings"

// keywords are the permitted words of the language. Not among them: class, async and await, and
// case, whose patterns reach into the matched value.
var keywords = strings.Fields("False None True and as assert break continue def del elif else except finally for global if in is lambda nonlocal not or pass raise return try while with yield")

// builtins are the functions and classes without power to write, run, connect or expose the
// interpreter. open is judged by its arguments.
var builtins = strings.Fields(`
	abs all any ascii bin bool bytearray bytes callable chr complex dict dir divmod enumerate exit filter float format frozenset hasattr hash hex id int isinstance issubclass iter len list map max min next oct ord pow print quit range repr
	reversed round set slice sorted str sum tuple type zip
	ArithmeticError AssertionError AttributeError BaseException BrokenPipeError EOFError Exception FileNotFoundError IOError ImportError IndexError KeyError KeyboardInterrupt LookupError NameError NotImplementedError OSError OverflowError PermissionError
	RuntimeError StopIteration SystemExit TypeError UnicodeDecodeError UnicodeEncodeError UnicodeError ValueError ZeroDivisionError
`)

// powers are names refused even where the program assigns them.
var powers = strings.Fields(`
	aiter anext async await breakpoint case class classmethod compile copyright credits delattr eval exec execfile getattr globals help input license locals memoryview object property raw_input reload setattr staticmethod super unichr vars
`)

// modules may be imported; the value lists their permitted names. Not among these: functions
// taking an attribute's name as a text (operator.attrgetter), functions opening files, and
// other modules.
var modules = map[string]string{
	"ast":         "literal_eval",
	"base64":      "b64decode b64encode urlsafe_b64decode urlsafe_b64encode b32encode b32decode b16encode b16decode",
	"bisect":      "bisect bisect_left bisect_right insort insort_left insort_right",
	"calendar":    "isleap monthrange month_name day_name month_abbr day_abbr timegm",
	"collections": "Counter OrderedDict ChainMap defaultdict deque namedtuple",
	"csv":         "DictReader DictWriter reader writer QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE",
	"datetime":    "date datetime time timedelta timezone UTC MINYEAR MAXYEAR",
	"decimal":     "Decimal ROUND_HALF_UP",
	"difflib":     "SequenceMatcher ndiff unified_diff get_close_matches",
	"fractions":   "Fraction",
	"functools":   "cmp_to_key lru_cache partial reduce",
	"hashlib":     "md5 sha1 sha224 sha256 sha384 sha512 blake2b blake2s sha3_256",
	"heapq":       "heapify heappop heappush merge nlargest nsmallest",
	"html":        "escape unescape",
	"itertools":   "accumulate batched chain combinations compress count cycle dropwhile filterfalse groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest",
	"json":        "JSONDecodeError dump dumps load loads",
	"math":        "ceil comb copysign cos degrees dist e exp fabs factorial floor fmod fsum gcd hypot inf isclose isfinite isinf isnan isqrt lcm log log10 log1p log2 nan perm pi pow prod radians sin sqrt tan tau trunc",
	"operator":    "add itemgetter mul sub truediv",
	"os":          "getcwd linesep listdir path sep walk",
	"os.path":     "abspath basename commonpath commonprefix dirname exists getmtime getsize isabs isdir isfile islink join normpath realpath relpath sep split splitext",
	"pprint":      "pformat pprint pp",
	"random":      "choice choices randint random randrange sample seed shuffle uniform",
	"re":          "A ASCII DOTALL I IGNORECASE M MULTILINE S VERBOSE X compile error escape findall finditer fullmatch match search split sub subn",
	"statistics":  "fmean mean median mode pstdev quantiles stdev variance",
	"string":      "ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits printable punctuation whitespace",
	"struct":      "calcsize pack unpack unpack_from iter_unpack",
	"sys":         "argv byteorder exit maxsize platform stderr stdin stdout version version_info",
	"textwrap":    "dedent fill indent shorten wrap",
	"time":        "gmtime localtime monotonic perf_counter sleep strftime strptime time",
	"tomllib":     "load loads TOMLDecodeError",
	"unicodedata": "category name normalize",
}

// attributes are the permitted attributes of all other values: parts of numbers, texts, lists,
// dictionaries, sets, dates, matches, streams. Those of sys.path, of modules and of objects
// holding code are not among them.
var attributes = strings.Fields(`
	add append appendleft appendleft args as_integer_ratio astimezone bit_count bit_length buffer capitalize casefold cell center clear close combine conjugate copy count ctime date day days decode denominator
	difference difference_update digest discard dst elements encode end endswith errno expand expandtabs extend extendleft fieldnames fileno find fold from_bytes fromisoformat fromkeys fromordinal fromtimestamp
	get get_close_matches get_matching_blocks get_opcodes group groupdict groups hex hexdigest hour imag index insert intersection intersection_update is_integer isalnum isalpha isascii isatty isdecimal isdigit isdisjoint isidentifier
	islower isnumeric isoformat isocalendar isoweekday isprintable isspace issubset issuperset istitle isupper items join keys lastgroup lastindex line lineno ljust lower lstrip maketrans microsecond minute min max month most_common
	msg name now numerator partition pattern pop popitem popleft pos quantize ratio read readable readline readlines real remove removeprefix removesuffix replace resolution reverse rfind rindex rjust rotate rpartition rsplit
	rstrip second seconds seek setdefault sort span split splitlines start startswith strftime strerror string strip strptime sub subtract swapcase symmetric_difference tell time timestamp timetuple title to_bytes today
	toordinal total total_seconds translate tzinfo union update upper utc utcfromtimestamp utcnow utcoffset values weekday write writeheader writelines writerow writerows year zfill flush finditer findall match search fullmatch
	major micro releaselevel
`)
