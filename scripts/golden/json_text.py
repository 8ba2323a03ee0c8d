#!/usr/bin/env python3
"""Writes the cases of tests/golden/json/ and Python's answers to them.

Run both from the top of the repository, this one first; made with Python 3.11.7 and Node 20.20.2:
    python3 scripts/golden/json_text.py && node scripts/golden/json_text.mjs

cases.json   raw JSON texts, each a string
python.json  for each case {repr, ascii, plain}: repr, json.dumps, json.dumps(ensure_ascii=False), of json.loads.
             null where Python refuses the text. U+FFFD stands for a lone surrogate in `plain`.
printable.json  the Unicode version, how many code points are printable (str.isprintable), and the SHA-256 of the
             string of one "1" or "0" per code point from 0 to 0x10FFFF.
"""

import hashlib
import json
import pathlib
import random
import re
import struct
import unicodedata

FOLDER = pathlib.Path("tests/golden/json")

STRINGS = [
    r'""', r'"a"', r'"it' "'" r's"', r'"say \"hi\""', r'"both \" and ' "'" r'"', r'"\u0027\u0022"', r'"\u0027"', r'"\\\/\b\f\n\r\t"',
    r'"\u0000\u0001\u0007\u0008\u0009\u000A\u000b\u000C\u000d\u000e\u001F\u0020\u007e\u007f"', '"\u007f\u0080\u009f\u00a0\u00ad"',
    r'"\u2028\u2029"', '"\u2028\u2029\u200b\u200d\ufeff\u3000"', '"é ü 界 😀 𠀀 e\u0301"', r'"\u00e9\u754C\uD83D\uDE00"', r'"\ud800"', r'"\udc00"',
    r'"\uDBFF\uDFFF"', r'"\ud83d\ud83d\ude00"', r'"\ude00\ud83d"', r'"\ud83dx\ude00"', r'"\ud83d\n"', r'"\ud83d\u0041"', '"\\ud83d😀\\ude00"',
    '"\ue000\U000e0001\U000f0000\U0010ffff\u0378\U0001fffe"', r'"\ue000\udb40\udc01\ufffe\uffff"', '"\u061c\u0600\u06dd\u070f\u180e\u2060\u2066"',
    '"\U0001fae8\U0001f6dc\u0cf3\U0001fac3"', r'"</script>\u003c"', r'"C:\\Users\\x"', '"tab\\tquote\\"' "'" '"',
]
NUMBERS = """0 -0 1 -1 10 1.0 -0.0 0.0 1.50 1e0 1E5 1e+5 1e-5 -1.5E+2 100 1e15 1e16 1e17 1e20 1e21 1e22 123e-20 0.1 0.2 0.3 0.30000000000000004
0.0001 0.00001 0.000001 0.0000001 0.00012345 0.0000012345 0.00000012345 123456789012345 999999999999999 1000000000000000 9007199254740991
9007199254740992 9007199254740993 -9007199254740993 12345678901234567890 123456789012345678901 1234567890123456789012 100000000000000000000
1000000000000000000000 99999999999999999999999 123456789012345.6 1234567890123456.7 12345678901234567.8 9999999999999998.0 9999999999999999.0
1.7976931348623157e308 1.7976931348623159e308 1e308 1e309 -1e309 1e999 5e-324 2e-324 3e-324 1e-400 -1e-400 2.2250738585072014e-308
2.2250738585072011e-308 4.35 4.349999999999999 2e23 8.41e21 9.5e-3 5.0e-5 1e23 0e10 -0e-10 0.0e5 179e306 1.5e300 1.5e-300 33333333.333333332""".split()
VALUES = [
    "null", "true", "false", "[]", "{}", " \t\r\n[ ] \n", "[[],{},[[]]]", '{"a":{"b":[1,{"c":null}]}}', "[true,false,null]",
    '{"b":1,"a":2,"b":3}', '{"b":1,"\\u0062":2,"a":{"x":1,"x":[2]}}', '{"\\ud800":1,"\\ud801":2,"\\uD800":3}', '{"":1,"":2}',
    '{"b":0,"10":1,"9":2,"a":3,"0":4,"01":5,"-1":6,"1.5":7,"4294967294":8,"4294967295":9,"4294967296":10,"1":11}', '{"2":1,"1":2,"2":3}',
    '{"\\u0032":1,"1":2}', '{"a":1,"1":2}', '{"1":1,"2":2}', '{"__proto__":{"x":1},"constructor":2,"toString":3}', '{"__proto__":1,"__proto__":2}',
    '{"path" : "/tmp/x.rs", "content": "fn main() {\\n\\tprintln!(\\"hi\\");\\n}\\n"}', '{"command":"cd /x && ls -la | grep \'a\'","timeout":30}',
    '{"edits":[{"oldText":"a\\u0000b","newText":"\\ud83d"}],"n":1.0}', '{"é":"ü","界":["😀"]}', '{"k\\n":1,"\'":2,"\\"":3}',
    '{"9007199254740993":1,"18446744073709551616":2,"3":3}',
]
BAD = ["", " ", "01", "-", "1.", ".5", "1e", "+1", "[1,]", '{"a":1,}', "{,}", "[", '{"a"}', "nul", "1 2", "'a'", '"a', "{a:1}", "[1 2]", "\u00a01",
       '"\\x41"', '"\\u12"', '"\\u12g4"', '"\n"', '"\t"', "[1]]", "tru", "\ufeff1", "\v1", "--1", "1.e5", "0x10", '{"a":}', "undefined", '"\\', '{"a":1 "b":2}']


def random_number(rng):
    kind = rng.randrange(4)
    if kind == 0:  # any double
        value = struct.unpack("<d", rng.getrandbits(64).to_bytes(8, "little"))[0]
        return repr(value) if value == value and abs(value) != float("inf") else "1"
    if kind == 1:  # near the borders of positional notation
        return f"{rng.randrange(1, 10**rng.randrange(1, 19))}e{rng.randrange(-26, 26)}"
    if kind == 2:
        return str(rng.randrange(-(10**rng.randrange(1, 25)), 10**24))
    return f"{rng.uniform(-1000, 1000):.{rng.randrange(1, 20)}f}"


def random_string(rng):
    parts = ["a", "Z", " ", "'", "/", "é", "界", "😀", "\u2028", "\u200b", "\u007f", r"\n", r"\"", r"\\", r"\/", r"\u0000", r"\u001B", r"\u0041", r"\u00E9",
             r"\ud83d", r"\uDE00", r"\ud83d\ude00", "0", "1"]
    return '"' + "".join(rng.choice(parts) for _ in range(rng.randrange(6))) + '"'


def random_value(rng, depth):
    kind = rng.randrange(3 if depth == 0 else 5)
    space = rng.choice(["", "", "", " ", "\n\t"])
    if kind == 0:
        return random_number(rng)
    if kind == 1:
        return random_string(rng)
    if kind == 2:
        return rng.choice(["null", "true", "false"])
    items = range(rng.randrange(5))
    if kind == 3:
        return "[" + ("," + space).join(random_value(rng, depth - 1) for _ in items) + space + "]"
    keys = [rng.choice(['"a"', '"b"', '"1"', '"0"', r'"\u0061"', random_string(rng)]) for _ in items]
    return "{" + space + ",".join(f"{key}{space}:{random_value(rng, depth - 1)}" for key in keys) + "}"


def answer(raw):
    try:
        value = json.loads(raw)
    except ValueError:
        return None
    plain = re.sub("[\ud800-\udfff]", "\ufffd", json.dumps(value, ensure_ascii=False))
    return {"repr": repr(value), "ascii": json.dumps(value), "plain": plain}


def write(name, value):
    # One item per line keeps differences readable. Written in ASCII: no character of the cases can be normalised.
    if isinstance(value, list):
        text = "[\n" + ",\n".join(json.dumps(item) for item in value) + "\n]\n"
    else:
        text = json.dumps(value, indent=1) + "\n"
    (FOLDER / name).write_text(text, encoding="ascii")


rng = random.Random(20)
cases = STRINGS + NUMBERS + VALUES + BAD
cases += [random_number(rng) for _ in range(300)] + [random_value(rng, 4) for _ in range(300)]
printable = "".join("1" if chr(code).isprintable() else "0" for code in range(0x110000))
FOLDER.mkdir(parents=True, exist_ok=True)
write("cases.json", cases)
write("python.json", [answer(raw) for raw in cases])
write("printable.json", {
    "unicode": unicodedata.unidata_version,
    "count": printable.count("1"),
    "sha256": hashlib.sha256(printable.encode()).hexdigest(),
})
