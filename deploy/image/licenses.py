"""SPDX licence expressions of Debian packages. The copyright file must be machine-readable and name
only licences with an unambiguous SPDX identifier."""

import re

MACHINE_READABLE = "copyright-format/1.0"
SPDX = {
    "apache-2": "Apache-2.0",
    "apache-2.0": "Apache-2.0",
    "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "bsl-1.0": "BSL-1.0",
    "expat": "MIT",
    "gpl-2": "GPL-2.0-only",
    "gpl-2+": "GPL-2.0-or-later",
    "gpl-3": "GPL-3.0-only",
    "gpl-3+": "GPL-3.0-or-later",
    "isc": "ISC",
    "lgpl-2": "LGPL-2.0-only",
    "lgpl-2+": "LGPL-2.0-or-later",
    "lgpl-2.1": "LGPL-2.1-only",
    "lgpl-2.1+": "LGPL-2.1-or-later",
    "mit": "MIT",
    "zlib": "Zlib",
}
UNKNOWN = "NOASSERTION"


def declared(copyright_text):
    """An SPDX expression, or NOASSERTION."""
    if MACHINE_READABLE not in copyright_text.split("\n\n")[0]:
        return UNKNOWN
    # Debian's own files build the package and are not part of it.
    paragraphs = re.split(r"\n\s*\n", copyright_text)
    upstream = [text for text in paragraphs if not re.search(r"^Files:\s*debian/\S*$", text, re.M)]
    in_use = [text for text in upstream if re.match(r"\s*Files:", text)]
    named = re.findall(r"^License:[ \t]*(\S[^\n]*)$", "\n".join(in_use), re.MULTILINE)
    known = {SPDX.get(name.strip().lower()) for name in named}
    if not known or None in known:
        return UNKNOWN
    return " AND ".join(sorted(known))
