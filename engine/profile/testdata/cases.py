"""Writes cases.json: what Python 3.11's re.fullmatch answers, for machines without it.

Run with: python3.11 testdata/cases.py > testdata/cases.json
"""

import json
import re
import warnings

warnings.simplefilter("ignore")
CASES = {
    # plain patterns over action strings
    r"tool:.*": ["tool:bash:ls", "tool:", "tool:bash:a\nb", "xtool:a", ""],
    r"tool:bash:npm .*": ["tool:bash:npm test", "tool:bash:npm", "tool:bash:npmx y", "tool:bash:npm \n"],
    r"tool:bash:(ls|cat|head).*": ["tool:bash:ls -la", "tool:bash:lsof", "tool:bash:tac"],
    r"tool:git:push origin (?!main).*": ["tool:git:push origin main", "tool:git:push origin dev", "tool:git:push origin mainline"],
    r"tool:create_file:src/config\.json": ["tool:create_file:src/config.json", "tool:create_file:src/configxjson"],
    r"tool:bash:(?!.*[;&|`$<>\n])npm (?:test|run [\w:-]+)": ["tool:bash:npm test", "tool:bash:npm test; id", "tool:bash:npm run a:b"],
    r"tool:create_file:.*(?<!\.env)": ["tool:create_file:a.env", "tool:create_file:a.py", "tool:create_file:"],
    r"tool:bash:(?:(?!--force).)*": ["tool:bash:git push", "tool:bash:git push --force", "tool:bash:"],
    # places
    r"^a$": ["a", "a\n", ""], r"a$\n": ["a\n", "a"], r"(?m)^a$\n^b$": ["a\nb", "a\nb\n"], r"a\Z": ["a", "a\n"], r"\Aa": ["a", "ba"],
    r"\b": ["", "a"], r"\B": ["", "a"], r".*\brm\b.*": ["rm x", "rmé x", "arm x", "a rm"], r"(?a).*\brm\b.*": ["rmé x", "rmx"],
    r"a\b\B": ["a"], r"(?m)$a": ["a"], r"(?:^a|b)+": ["ab", "aba", "bb"],
    # repeats
    r"a{2}": ["aa", "a", "aaa"], r"a{,2}": ["", "aa", "aaa"], r"a{,}": ["", "aaaa"], r"a{2,}": ["a", "aa", "aaaaa"], r"a{x}": ["a{x}"],
    r"a{1,": ["a{1,"], r"{": ["{"], r"a{}": ["a{}"], r"a{0}b": ["b", "ab"], r"a{2}{3}": [], r"a{2,1}": [], r"a**": [], r"a*?": ["aaa"], r"a*??": [],
    r"(?:a*)*b": ["aab", "b", "a"], r"(?:|a)+": ["", "aaa"], r"(?:a|)*?b": ["aab"], r"()*x": ["x"], r"((a*)*)*": ["aaa", "b"],
    r"(?:a|ab){2}+c": ["aac", "abac", "ababc"], r"(?:a|ab)++c": ["ac", "abc"], r"a++b": ["aab"], r"a*+a": ["aa"], r"a?+a": ["a", "aa"], r"a{1,2}+a": ["aa", "aaa"],
    r"*": [], r"?x": [], r"^*": [], r"$+": [], r"\b?": [], r"(*)": [], r"|*": [], r"(?i)*": [], r"a{99999999999999999999}": [], r"a*+*": [],
    # groups, references, conditions
    r"(a|b)\1": ["aa", "ab"], r"(a)?\1b": ["b", "aab"], r"(a(b)?)+\2": ["aba", "abb"], r"(?:(a)|b){2}\1": ["aba", "bab", "bb"], r"(?P<q>['\"]).*(?P=q)": ["'a'", "'a\""],
    r"(?i)(a)\1": ["aA"], r"(a)\01": ["a\x01"], r"(a)\100": ["a@"], r"\101": ["A"], r"(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\10": ["abcdefghijj"],
    r"(<)?x(?(1)>|)": ["<x>", "x", "<x"], r"(?P<q>a)?b(?(q)c|d)": ["abc", "bd", "abd"], r"(?(2)a|b)(x)?(y)?": ["b", "bxy"], r"(?>ab|a)c": ["abc", "ac"], r"(?>a|ab)c": ["abc"],
    r"(?=(a+))\1b": ["aab"], r"(?!(a)b)a": ["a", "ab"], r"(a)(?<=\1)b": ["ab"], r"(?=a)*a": ["a"], r"(?<=a)?b": ["b"],
    r"\1": [], r"(a)\2": [], r"(a\1)": [], r"(?P=n)": [], r"(?P<n>a)(?P<n>b)": [], r"(?P<1>a)": [], r"(?P>n)": [], r"(?(1)a)": [], r"(?(0)a)": [], r"(?(R)a)": [],
    r"(?(1)a|b|c)(x)": [], r"(?<=(a)\1)b": [], r"(a)(?<=(\1))b": [], r"(?<=a+)b": [], r"(?<=a|bc)d": [], r"(?<=a|b)d": ["d"], r"a(?<=(?:a|b))c": ["ac"],
    r"(": [], r")": [], r"(?": [], r"(?P": [], r"(?:a": [], r"(?<a>b)": [], r"(?~a)": [], r"(?0)": [], r"(?#a": [], r"(?#a)b": ["b"], r"(?#a\)b)c": ["c", "b)c"],
    # flags
    r"(?i)tool": ["TOOL"], r"(?s).": ["\n"], r"(?x) a b # c": ["ab"], r"(?x)a[ ]b\ c": ["a b c"], r"(?x)a#b\
c": ["a", "ac"], r"a(?i)b": [], r"(?i:a)b": ["Ab", "aB"], r"(?i)(?-i:a)b": ["aB", "AB"], r"(?-i)a": [], r"(?i-i:a)": [], r"(?L)a": [], r"(?au)a": [], r"(?a)(?u)a": [],
    r"(?-u:a)": [], r"(?i-:a)": [], r"(?a)\w": ["é", "e"], r"(?a)(?u:\w)": ["é"], r"(?z)a": [], r"(?i": [], r"(?s)(?-s:.)": ["\n"], r"a|(?i)b": [], r"(?x)(?-x: a)": [" a", "a"],
    # classes and escapes
    r"[]a]+": ["]a"], r"[^]a]": ["b", "]"], r"[a-]+": ["a-"], r"[-a]+": ["-a"], r"[a-c-e]+": ["b-e", "d"], r"[z-a]": [], r"[a-\d]": [], r"[\d-z]": [], r"[a": [], r"[]": [], r"[^]": [],
    r"[\b]": ["\b"], r"[[:digit:]]": ["d]", "5"], r"[a&&b]+": ["a&b"], r"[^\W\d_]+": ["abcé", "a1"], r"[\]\\^]+": ["]\\^"], r"[\101\x42\u0043\U00000044]+": ["ABCD"],
    r"[\400]": [], r"\400": [], r"[\8]": [], r"[\z]": [], r"\z": [], r"\G": [], r"\p{L}": [], r"\x4": [], r"\u004": [], r"\U00110000": [], r"\x{41}": [], "\\": [], "\\\n": ["\n"], r"\é": ["é"],
    r"\N{EM DASH}": ["—"], r"\N{em dash}": ["—"], r"\N{NOPE}": [], r"\N": [], r"\N{": [], r"\a\f\v\t\r\n\0": ["\a\f\v\t\r\n\0"], r"\.\-\/\ \#": [".-/ #"], r"\d+": ["٣4", "½"],
    r"\s+": ["\x1c\u2003 ", "\u200b"], r"(?a)\s+": ["\x0b\t", "\u2003"], r"(?i)[^k]": ["K", "k", "s"], r"(?i)straße": ["STRAẞE", "STRASSE"], r"(?i)ſ": ["S", "s"], r"(?ai)s": ["ſ", "S"],
}


def answer(pattern, texts):
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, ValueError):
        return {"pattern": pattern, "invalid": True}
    return {"pattern": pattern, "match": {t: bool(compiled.fullmatch(t)) for t in texts}}


print("[")
print(",\n".join(json.dumps(answer(p, t), ensure_ascii=True) for p, t in CASES.items()))
print("]")
