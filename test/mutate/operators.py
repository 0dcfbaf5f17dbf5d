"""Finds the mutants of C++ source: small changes that a unit test should detect.

The search works on the text as clang-format writes it: a comparison has a space on both sides, the
bracket of a template has none, and the head of a function begins in the first column."""

import bisect
import dataclasses
import re

SWAPPED = {
    "boundary": {"<": "<=", "<=": "<", ">": ">=", ">=": ">"},
    "comparison": {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"},
    "logic": {"&&": "||", "||": "&&"},
    "arithmetic": {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "+=": "-=", "-=": "+="},
    "step": {"++": "--", "--": "++"},
    "boolean": {"true": "false", "false": "true"},
    "quantifier": {"any_of": "all_of", "all_of": "any_of", "none_of": "any_of"},
    "extremum": {"min": "max", "max": "min"},
}
PATTERNS = {
    "boundary": r"(?<= )(<=|>=|<|>)(?=\s)",
    "comparison": r"(?<= )(==|!=|<=|>=|<|>)(?=\s)",
    "logic": r"(?<= )(&&|\|\|)(?=\s)",
    "arithmetic": r"(?<= )(\+=|-=|[-+*/%])(?=\s)",
    "step": r"(\+\+|--)",
    "boolean": r"\b(true|false)\b",
    "quantifier": r"\b(any_of|all_of|none_of)\b",
    "extremum": r"\b(?<=std::)(min|max)\b|(?<=ranges::)(min|max)\b",
}
# Larger numbers are limits and times. A test of their last digit would be a copy of the constant.
NUMBER = re.compile(r"(?<![\w.'])([0-9])(?=[UL]*\b)(?!['.\w]*[.'\d])")
NEGATION = re.compile(r"(?<![\w)])!(?=[\w(*:])")
# Statements without an effect that a unit test should observe.
UNOBSERVED = re.compile(r"(log::|write_log\(|static_assert\(|assert\(|[\w.\->]+(\.|->)reserve\()")
KEYWORDS = re.compile(
    r"(return|using|const|constexpr|static|auto|struct|class|enum|template|namespace|friend|throw|"
    r"typedef|public|private|protected|extern|inline|explicit|virtual|goto|delete|new|case|default|"
    r"co_\w+)\b")
EXPRESSION = re.compile(r"\+\+|--|\*?[\w:]+(<[\w:<>, *&]*>)?"
                        r"(\(|\.|->|\[|\+\+|--| ([-+|&^*/%]|<<|>>)?= )")
BOOLEAN_HEAD = re.compile(r"(\[\[nodiscard\]\] )?(static |constexpr |inline )*bool ")
VOID_HEAD = re.compile(r"(static |constexpr |inline )*void |[\w:]+\(")
PREFIX = re.compile(r"\s+|else\b|(?:if|for|while) \(|"
                    r"(?:case [\w:]+|default|public|private|protected):(?!:)")
CONTINUES = tuple(";,).=-+*&|?:<>[(")


@dataclasses.dataclass(frozen=True, order=True)
class Mutant:
    """One change: text[start:end] becomes `replacement`."""
    file: str
    start: int
    end: int
    operator: str
    replacement: str
    line: int      # The first line that changes.
    before: str    # The changed lines as one line, without indentation.
    after: str

    def apply(self, text):
        return text[:self.start] + self.replacement + text[self.end:]


def mask(text):
    """The text with spaces in place of comments, literals and preprocessor lines."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"'
        r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def closing(masked, at):
    """The index of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(masked)):
        if masked[i] in "([{":
            depth += 1
        elif masked[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    return len(masked) - 1


def statements(masked):
    """The simple statements, as (start, end) with the semicolon: without the `if (…)` before."""
    found = []
    stack = [["{", 0]]
    for i, c in enumerate(masked):
        if c in "([{":
            stack.append([c, i + 1])
        elif c in ")]}" and len(stack) > 1:
            stack.pop()
            rest = masked[i + 1:i + 200].lstrip()
            if c == "}" and stack[-1][0] == "{" and not rest.startswith(CONTINUES):
                stack[-1][1] = i + 1
        elif c == ";" and stack[-1][0] == "{":
            found.append((body_of(masked, stack[-1][1], i), i + 1))
            stack[-1][1] = i + 1
    return [(start, end) for start, end in found if start < end - 1]


def body_of(masked, start, end):
    """Where the statement itself begins, after labels and the heads of if, for, while and else."""
    while match := PREFIX.match(masked, start, end):
        start = match.end()
        if masked[start - 1] == "(":
            start = closing(masked, start - 1) + 1
    return start


def conditions(masked):
    """The conditions of if and while, as (start, end), without declarations."""
    for match in re.finditer(r"\b(?:if|while) \(", masked):
        start, end = match.end(), closing(masked, match.end() - 1)
        if (semicolon := masked.rfind(";", start, end)) >= 0:
            start = semicolon + 1
            while masked[start].isspace():
                start += 1
        depth, declares = 0, False
        for i in range(start, end):
            depth += (masked[i] in "([{") - (masked[i] in ")]}")
            declares = declares or (depth == 0 and masked.startswith(" = ", i))
        # Skips a single comparison, `!` or constant, which another operator changes.
        condition = masked[start:end]
        if re.search(PATTERNS["logic"], condition):
            single = False
        else:
            single = re.search(PATTERNS["comparison"], condition) or condition.startswith("!")
        if not declares and not single and condition not in ("true", "false"):
            yield start, end


def head_of(masked, at):
    """The head of the function around `at`: the last line that begins in the first column."""
    heads = re.findall(r"^(?=[\w\[:~])[^\n;]*\(.*$", masked[:at], re.MULTILINE)
    return heads[-1] if heads else ""


def returns(masked, start, end):
    """The constants that can replace the value of `return …;`."""
    value = masked[start + len("return"):end - 1].strip()
    head = head_of(masked, start)
    if value in ("{}", "true", "false", "nullptr", "std::nullopt", "0"):
        return []
    if BOOLEAN_HEAD.match(head):
        return ["return true;", "return false;"]
    return ["return;"] if VOID_HEAD.match(head) else ["return {};"]


def changes(masked):
    """All changes of a masked text, as (operator, start, end, replacement)."""
    all_statements = statements(masked)
    for start, end in all_statements:
        if UNOBSERVED.match(masked, start):
            masked = masked[:start] + re.sub(r"[^\n]", " ", masked[start:end]) + masked[end:]
    for operator, pattern in PATTERNS.items():
        for match in re.finditer(pattern, masked):
            yield (operator, match.start(), match.end(), SWAPPED[operator][match.group()])
    for match in NUMBER.finditer(masked):
        number = int(match.group())
        yield ("number", match.start(), match.end(), str(number + 1))
        if number > 0:
            yield ("number", match.start(), match.end(), str(number - 1))
    for match in NEGATION.finditer(masked):
        yield ("negation", match.start(), match.end(), "")
    for start, end in conditions(masked):
        yield ("condition", start, end, None)
    for start, end in all_statements:
        statement = masked[start:end]
        if re.match(r"return\b.", statement) and statement != "return;":
            for replacement in returns(masked, start, end):
                yield ("return", start, end, replacement)
        elif re.fullmatch(r"(return|continue|break);", statement):
            yield ("statement", start, end, ";")
        elif EXPRESSION.match(statement) and not KEYWORDS.match(statement):
            yield ("statement", start, end, ";")


def one_line(text):
    return " ".join(text.split())


def mutants(file, text):
    """The mutants of a file, in order of their position."""
    starts = [0] + [m.end() for m in re.finditer("\n", text)]
    found = []
    for operator, start, end, replacement in changes(mask(text)):
        if replacement is None:
            replacement = f"!({text[start:end]})"
        first = starts[bisect.bisect_right(starts, start) - 1]
        last = text.find("\n", end - 1)
        last = len(text) if last < 0 else last
        before = one_line(text[first:last])
        after = one_line(text[first:start] + replacement + text[end:last])
        line = bisect.bisect_right(starts, start)
        if before != after:
            found.append(Mutant(file, start, end, operator, replacement, line, before, after))
    return sorted(set(found))
