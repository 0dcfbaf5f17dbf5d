"""Tests the operators of scripts/mutate, and how it judges a mutant."""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest
from unittest import mock

import mutate
import operators

CALLED = """#include "x/y/called.h"
namespace x {

int twice(int value) {
  if (value < 0) return 0;  // Never: "a < b".
  return value + value;
}

void count(int& value) {
  log::debug("counts", value + 1);
  for (; value < 3;) ++value;
}

}  // namespace x
"""

# A test program that ignores its arguments, as if all tests ran.
TEST = """namespace x { int twice(int); void count(int&); }
int main() {
  int counted = 0;
  x::count(counted);
  return x::twice(4) == 8 && counted == 3 ? 0 : 1;
}
"""


def changed(text):
    """The changed lines, as (operator, line)."""
    return [(m.operator, m.after) for m in operators.mutants("src/x/a.cpp", text)]


def function(body, head="void f() {"):
    return f"{head}\n{body}\n}}\n"


class Operators(unittest.TestCase):
    def of(self, operator, body, head="void f() {"):
        return [after for name, after in changed(function(body, head)) if name == operator]

    def test_comparisons_are_moved_and_swapped(self):
        self.assertEqual(self.of("boundary", "  g(a < b);"), ["g(a <= b);"])
        self.assertEqual(self.of("comparison", "  g(a < b);"), ["g(a >= b);"])
        self.assertEqual(self.of("comparison", "  g(a == b);"), ["g(a != b);"])

    def test_templates_and_references_are_no_operators(self):
        self.assertEqual(self.of("boundary", "  const std::vector<int> a = g<int>(b->c);"), [])
        self.assertEqual(self.of("logic", "  const auto&& a = g(b);"), [])
        self.assertEqual(self.of("arithmetic", "  const Unit* unit = *known;"), [])

    def test_literals_and_comments_do_not_change(self):
        self.assertEqual(changed(function('  // a < b && true\n  const auto a = "x < 1";')), [])
        self.assertEqual(changed(function("  const auto a = R\"(b == c)\";")), [])
        self.assertEqual(changed("#if A && B\n#endif\n"), [])

    def test_small_numbers_change_by_one(self):
        self.assertEqual(self.of("number", "  int a = 1;"), ["int a = 0;", "int a = 2;"])
        self.assertEqual(self.of("number", "  int a = 0;"), ["int a = 1;"])
        for other in ("10'000", "12", "0x1", "1.5", "b1", "1s"):
            self.assertEqual(self.of("number", f"  int a = {other};"), [], other)

    def test_compound_conditions_are_negated(self):
        self.assertEqual(self.of("condition", "  if (a && b) return;"), ["if (!(a && b)) return;"])
        self.assertEqual(self.of("condition", "  if (auto a = b; a.c()) return;"),
                         ["if (auto a = b; !(a.c())) return;"])
        for other in ("if (a == b)", "if (!a)", "while (true)", "if (const auto a = b())"):
            self.assertEqual(self.of("condition", f"  {other} return;"), [], other)

    def test_statements_are_deleted(self):
        for statement in ("a = b;", "a.b(c);", "a->b();", "++a;", "a[0] = b;", "f();", "return;",
                          "break;", "std::sort(a, [&](int b) {\n    return b;\n  });"):
            self.assertIn(";", self.of("statement", f"  {statement}"), statement)
        self.assertEqual(self.of("statement", "  if (a) b();\n  else c();"),
                         ["if (a) ;", "else ;"])
        self.assertEqual(self.of("statement", "  case A:\n    b();"), [";"])

    def test_declarations_are_not_deleted(self):
        for declaration in ("int a = b;", "std::string a(b, c);", "using a::b;",
                            "const auto c = d;", "auto [a, b] = c;"):
            self.assertEqual(self.of("statement", f"  {declaration}"), [], declaration)

    def test_log_lines_do_not_change(self):
        self.assertEqual(changed(function('  log::info("a", b + 1, c < d);')), [])

    def test_returns_become_constants(self):
        self.assertEqual(self.of("return", "  return g();", "bool f() {"),
                         ["return false;", "return true;"])
        self.assertEqual(self.of("return", "  return g();", "std::string f() {"), ["return {};"])
        self.assertEqual(self.of("return", "  return g();", "void f() {"), ["return;"])
        self.assertEqual(self.of("return", "  return {};", "std::string f() {"), [])

    def test_a_mutant_names_its_line(self):
        lines = [(m.line, m.operator, m.before) for m in operators.mutants("a", CALLED)]
        self.assertIn((5, "boundary", 'if (value < 0) return 0; // Never: "a < b".'), lines)
        self.assertNotIn(10, [line for line, _, _ in lines])


class Judgement(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        self.write("src/x/y/called.h", "#pragma once\nnamespace log { template <typename... A> void "
                   "debug(A...) {} }\n")
        self.file = self.write("src/x/y/called.cpp", CALLED)
        self.write("test.cpp", TEST)
        self.folder = mutate.Folder(
            "x/y", ["g++", f"-I{self.root}/src"], ["g++", "test.cpp", self.file], self.root,
            self.root, self.root)
        # The linker also gets the original file, as from an archive.
        self.folder._linker += [f"-I{self.root}/src"]

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def judge(self, after):
        mutant = next(m for m in mutate.select(["src/x"], self.root) if m.after == after)
        self.folder.measure(["src/x/y/called.cpp"])
        return self.folder.judge(mutant, 1)

    def test_a_mutant_that_a_test_detects_is_killed(self):
        self.assertEqual(self.judge("return value - value;").result, "killed")

    def test_a_mutant_that_no_test_detects_survives(self):
        self.assertEqual(self.judge('if (value <= 0) return 0; // Never: "a < b".').result,
                         "survived")

    def test_transcripts_of_the_program_detect_a_mutant(self):
        self.write("program.cpp", """namespace x { int twice(int); }
int main() { return x::twice(-1) + 7; }
""")
        self.write("transcript.py", """import os, subprocess, unittest
class Transcript(unittest.TestCase):
    def test_program(self):
        ran = subprocess.run([os.environ["PATCHBAY_BINARY"]])
        self.assertEqual(ran.returncode, 7)
unittest.main()
""")
        self.folder._program_linker = ["g++", "program.cpp", self.file, *self.folder._linker[3:]]
        with mock.patch.object(mutate, "TRANSCRIPTS", {"x/y": ["python3", "transcript.py"]}):
            outcome = self.judge('if (value < 0) return 1; // Never: "a < b".')
        self.assertEqual((outcome.result, outcome.how), ("killed", "test_program"))

    def test_a_mutant_that_hangs_is_killed(self):
        with mock.patch.object(mutate, "MARGIN", 1):
            outcome = self.judge("for (; value < 3;) ;")
        self.assertEqual((outcome.result, outcome.how), ("killed", "hangs"))

    def test_a_mutant_that_does_not_compile_does_not_count(self):
        wrong = operators.Mutant("src/x/y/called.cpp", 0, 0, "statement", "nonsense", 1, "", "")
        self.folder.measure([wrong.file])
        outcome = self.folder.judge(wrong, 1)
        self.assertEqual(outcome.result, "invalid")
        self.assertIsNone(mutate.share([outcome]))

    def test_the_source_stays_and_nothing_remains(self):
        self.judge("return value - value;")
        self.assertEqual(self.file.read_text(), CALLED)
        self.assertEqual(list(self.root.glob("mutant*")), [])

    def test_unchanged_tests_must_pass(self):
        self.folder.measure(["src/x/y/called.cpp"])
        self.write("test.cpp", "int main() { return 1; }")
        with self.assertRaisesRegex(mutate.Usage, "x_test fails without a mutant: exit status 1"):
            self.folder.measure(["src/x/y/called.cpp"])


class Selection(unittest.TestCase):
    def test_a_line_has_its_mutants(self):
        every = mutate.select(["src/inventory/unit_health.cpp"])
        line = every[0].line
        self.assertEqual(mutate.select([f"src/inventory/unit_health.cpp:{line}"]),
                         [m for m in every if m.line == line])

    def test_other_paths_are_mistakes(self):
        for wrong in ("src/none", "src/inventory/claims.h", "test/inventory", "src/main.cpp",
                      "/etc"):
            with self.assertRaises(mutate.Usage, msg=wrong):
                mutate.select([wrong])

    def test_a_seed_selects_the_same_sample(self):
        def sample(seed):
            listed = io.StringIO()
            with contextlib.redirect_stdout(listed):
                mutate.main(["--list", "--sample", "5", "--seed", seed, "src/inventory"])
            return listed.getvalue()

        self.assertEqual(sample("1").count("\n  + "), 5)
        self.assertEqual(sample("1"), sample("1"))
        self.assertNotEqual(sample("1"), sample("2"))

    def test_each_equivalent_mutant_exists(self):
        known = mutate.read_equivalent(mutate.EQUIVALENT)
        files = sorted({file for file, _, _ in known})
        found = {mutate.key_of(m) for m in mutate.select(files)} if files else set()
        self.assertEqual([key for key in known if key not in found], [],
                         "the code has changed: remove these lines of test/mutate/equivalent.tsv")

    def test_an_equivalent_mutant_needs_a_reason(self):
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
            file.write("# comment\nsrc/a.cpp\tbefore\tafter\t\n")
            file.flush()
            with self.assertRaisesRegex(mutate.Usage, ":2: write four fields"):
                mutate.read_equivalent(pathlib.Path(file.name))


class Main(unittest.TestCase):
    def run_main(self, survivors, *arguments):
        """The exit status and the output if this number of mutants survives."""
        def run_all(mutants, _jobs):
            return [mutate.Outcome(m, "survived" if i < survivors else "killed", "")
                    for i, m in enumerate(mutants)]

        out = io.StringIO()
        with mock.patch.object(mutate, "run_all", run_all), contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(out):
            status = mutate.main(["src/inventory", "--sample", "20", "--seed", "1", *arguments])
        return status, out.getvalue()

    def test_fails_below_the_share(self):
        self.assertEqual(self.run_main(3)[0], 0)
        status, output = self.run_main(4)
        self.assertEqual(status, 1)
        self.assertEqual(output.count("survived: src/inventory/"), 4)
        self.assertIn("80.0 % of the mutants were killed, fewer than 85 %", output)
        self.assertEqual(self.run_main(4, "--at-least", "80")[0], 0)

    def test_json_has_each_mutant(self):
        with tempfile.TemporaryDirectory() as scratch:
            file = pathlib.Path(scratch) / "mutants.json"
            self.run_main(5, "--json", str(file))
            written = json.loads(file.read_text())
        self.assertEqual((written["seed"], written["share"], len(written["mutants"])), (1, 75, 20))
        self.assertEqual(sum(m["result"] == "survived" for m in written["mutants"]), 5)

    def test_equivalent_mutants_do_not_run(self):
        first = mutate.select(["src/inventory"])[0]
        with mock.patch.object(mutate, "read_equivalent",
                               lambda _: {mutate.key_of(first): "reason"}):
            _, output = self.run_main(0, "--sample", "100000")
        row = next(line for line in output.splitlines() if line.startswith(first.file))
        self.assertEqual(row.split()[4], "1")


class Table(unittest.TestCase):
    def test_counts_by_file(self):
        def outcome(file, result):
            mutant = operators.Mutant(file, 0, 1, "logic", "x", 3, "a", "b")
            return mutate.Outcome(mutant, result, "")

        outcomes = [outcome("a.cpp", "killed"), outcome("a.cpp", "killed"),
                    outcome("a.cpp", "survived"), outcome("b.cpp", "invalid")]
        equivalent = [operators.Mutant("a.cpp", 0, 1, "logic", "x", 3, "a", "b")]
        rows = mutate.table(outcomes, equivalent).splitlines()
        self.assertEqual([row.split() for row in rows], [
            ["file", "killed", "survived", "invalid", "equivalent", "share"],
            ["a.cpp", "2", "1", "0", "1", "67", "%"],
            ["b.cpp", "0", "0", "1", "0", "-"],
            ["all", "2", "1", "1", "1", "67", "%"]])


if __name__ == "__main__":
    unittest.main()
