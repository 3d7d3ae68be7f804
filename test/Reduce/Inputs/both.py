"""Holds where a `wrap` and a `cos` are left."""

import sys

text = open(sys.argv[1]).read()
sys.exit(not ("@wrap" in text and "aten.cos" in text))
