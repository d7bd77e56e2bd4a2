package inline

import "strings"

// scriptKeywords are the permitted words of the language. Not among them: this, class and super,
// import but at its beginning, with, and debugger.
var scriptKeywords = strings.Fields("async await break case catch const continue default delete do else false finally for function if in instanceof let new null of return switch throw true try typeof undefined var void while yield NaN Infinity")

// hidden are names that lead from a value to code, refused in every place.
var hidden = strings.Fields("__proto__ __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ arguments callee caller class constructor eval import prototype super this with")

// scriptGlobals may be used; the value lists their permitted properties, and "(" where they may be
// called, "." where they may be handed on.
var scriptGlobals = map[string]string{
	"Array":              "( . from isArray of",
	"BigInt":             "( .",
	"Boolean":            "( .",
	"Buffer":             "alloc byteLength compare concat from isBuffer",
	"Date":               "( . UTC now parse",
	"Error":              "(",
	"Intl":               "DateTimeFormat NumberFormat",
	"JSON":               "parse stringify",
	"Map":                "( . groupBy",
	"Math":               "E LN10 LN2 LOG10E LOG2E PI SQRT2 abs acos asin atan atan2 cbrt ceil cos exp floor hypot log log10 log1p log2 max min pow random round sign sin sqrt tan tanh trunc",
	"Number":             "( . EPSILON MAX_SAFE_INTEGER MAX_VALUE MIN_SAFE_INTEGER MIN_VALUE isFinite isInteger isNaN isSafeInteger parseFloat parseInt",
	"Object":             "assign entries freeze fromEntries groupBy hasOwn is keys values",
	"RangeError":         "(",
	"RegExp":             "( .",
	"Set":                "( .",
	"String":             "( . fromCharCode fromCodePoint raw",
	"TextDecoder":        "(",
	"TextEncoder":        "(",
	"TypeError":          "(",
	"URL":                "( . canParse",
	"atob":               "( .",
	"btoa":               "( .",
	"console":            "assert count debug dir error group groupEnd info log table time timeEnd warn",
	"performance":        "now",
	"isFinite":           "( .",
	"isNaN":              "( .",
	"parseFloat":         "( .",
	"parseInt":           "( .",
	"decodeURI":          "( .",
	"encodeURI":          "( .",
	"process":            "arch argv cwd exit exitCode hrtime memoryUsage platform stderr stdin stdout uptime version versions",
	"encodeURIComponent": "( .", "decodeURIComponent": "( .", "structuredClone": "( .", "URLSearchParams": "( .",
}

// scriptModules may be loaded; the value lists their permitted functions. Those of fs are judged by
// their arguments.
var scriptModules = map[string]string{
	"crypto":      "createHash randomBytes randomInt randomUUID",
	"fs":          "appendFileSync existsSync lstatSync readFileSync readdirSync statSync writeFileSync",
	"os":          "arch cpus freemem loadavg platform release tmpdir totalmem type uptime version",
	"path":        "basename dirname extname isAbsolute join normalize parse relative resolve",
	"querystring": "parse stringify",
	"url":         "fileURLToPath pathToFileURL",
	"util":        "format inspect isDeepStrictEqual",
	"zlib":        "brotliCompressSync brotliDecompressSync deflateRawSync deflateSync gunzipSync gzipSync inflateRawSync inflateSync unzipSync",
}

// scriptMethods may be called on a value: those of texts, numbers, lists, maps, sets, dates, regular
// expressions, buffers, hashes. A property that is only read may have any other name: the members
// of an object are data.
var scriptMethods = strings.Fields(`
	add at charAt charCodeAt clear codePointAt concat copyWithin delete difference digest endsWith entries equals every exec fill filter find findIndex findLast findLastIndex flat flatMap forEach format formatToParts
	get getAll getDate getDay getFullYear getHours getMilliseconds getMinutes getMonth getSeconds getTime getTimezoneOffset getUTCDate getUTCDay getUTCFullYear getUTCHours getUTCMinutes getUTCMonth getUTCSeconds
	has hasOwnProperty includes indexOf intersection isDirectory isFile isSubsetOf isSupersetOf isSymbolicLink isWellFormed join keys lastIndexOf localeCompare map match matchAll normalize padEnd padStart pop push
	readBigUInt64LE readDoubleLE readFloatLE readInt16BE readInt16LE readInt32BE readInt32LE readInt8 readUInt16BE readUInt16LE readUInt32BE readUInt32LE readUInt8 reduce reduceRight repeat replace replaceAll reverse
	search set setDate setFullYear setHours setMinutes setMonth setSeconds setUTCDate setUTCHours shift slice some sort splice split startsWith subarray substr substring symmetricDifference test
	toExponential toFixed toISOString toDateString toJSON toLocaleDateString toLocaleLowerCase toLocaleString toLocaleTimeString toLocaleUpperCase toLowerCase toPrecision toReversed toSorted toSpliced toString toTimeString toUTCString toUpperCase
	trim trimEnd trimStart union unshift update values valueOf with decode encode
`)

// streamMethods may be called, one after the other, on the input.
var streamMethods = strings.Fields("on once setEncoding resume")

// encodings are those a file may be read and written in.
var encodings = strings.Fields("utf8 utf-8 ascii latin1 base64 hex binary")
