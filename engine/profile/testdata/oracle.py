"""Answers for Python: one JSON object {pattern, texts} per line in, one object out.

{"match": [bool or null, ...]} tells per text whether re.fullmatch matches, null
where re breaks; {"error":
text, "position": number or null} that re raises on the pattern.
"""

import json
import re
import sys
import warnings

warnings.simplefilter("ignore")


def answer(case):
    try:
        compiled = re.compile(case["pattern"])
    except re.error as e:
        return {"error": str(e), "position": e.pos}
    except Exception as e:  # what the parser lets slip
        return {"error": repr(e)}
    return {"match": [full_match(compiled, t) for t in case["texts"]]}


def full_match(compiled, text):
    try:
        return bool(compiled.fullmatch(text))
    except SystemError:  # "The span of capturing group is wrong": a bug of re
        return None


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))))
    re.purge()
