"""Answers for Python: one JSON object {pattern, texts} per line in, one object out.

{"match": [bool, ...]} tells per text whether re.fullmatch matches; {"error":
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
    return {"match": [bool(compiled.fullmatch(t)) for t in case["texts"]]}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))))
    re.purge()
