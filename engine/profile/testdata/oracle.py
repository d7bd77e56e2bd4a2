"""Answers for Python: one JSON object {pattern, texts} per line in, one list out.

The list holds, per text, whether re.fullmatch matches; null when re raises on the
pattern.
"""

import json
import re
import sys
import warnings

warnings.simplefilter("ignore")
for line in sys.stdin:
    case = json.loads(line)
    try:
        compiled = re.compile(case["pattern"])
        print(json.dumps([bool(compiled.fullmatch(t)) for t in case["texts"]]))
    except Exception:  # re.error and what the parser lets slip
        print("null")
