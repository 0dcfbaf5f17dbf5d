package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var needed = []string{"--binary", "p", "--floor", "b"}

func TestOptions(t *testing.T) {
	chosen, err := parse(append(needed, "--quick", "--only", "plug-*, start-1", "--contestant", "x=run {{.Work}}",
		"--json", "f.json"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if !chosen.quick || chosen.long || chosen.json != "f.json" || len(chosen.contestants) != 1 ||
		!slices.Equal(chosen.only, []string{"plug-*", "start-1"}) {
		t.Errorf("they are %+v", chosen)
	}
}

func TestMistakesInOptions(t *testing.T) {
	for _, mistake := range []struct {
		arguments []string
		says      string
	}{
		{nil, "--binary and --floor are required"},
		{append(needed, "--only", "plugs"), `no row is named "plugs"; --list prints all`},
		{append(needed, "--only"), "flag needs an argument: -only; see --help"},
		{append(needed, "start-1"), `unexpected argument "start-1"`},
		{append(needed, "--documents", "d", "--quick"), "omit --quick and --only"},
		{append(needed, "--documents", "d", "--only", "start-1"), "omit --quick and --only"},
		{append(needed, "--contestant", "x"), "expected NAME=COMMAND"},
		{append(needed, "--contestant", "x={{.Work"), "unclosed action"},
		{append(needed, "--contestant", "floor=x"), "two contestants are named floor"},
		{append(needed, "--contestant", "x=a", "--contestant", "x=b"), "two contestants are named x"},
	} {
		if _, err := parse(mistake.arguments, io.Discard); err == nil || !strings.Contains(err.Error(), mistake.says) {
			t.Errorf("%q: %v, not %q", mistake.arguments, err, mistake.says)
		}
	}
}

func words(t *testing.T, command string, resources ...Resource) ([]string, error) {
	t.Helper()
	contestant, err := parseContestant("x=" + command)
	if err != nil {
		t.Fatal(err)
	}
	return contestant.Words(Setting{Directory: "/k", Work: t.TempDir(), Config: "/c", Resources: resources})
}

func TestCommandOfAContestantBecomesWords(t *testing.T) {
	file := filepath.Join(t.TempDir(), "other.conf")
	if err := os.WriteFile(file, []byte("{{range .Resources}}{{.Glob}} is {{base .Glob}}\n{{end}}"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := words(t, `run --dir={{.Directory}} {{range .Resources}}--device '{"name":"{{.Name}}"}' {{end}}{{config "`+file+`"}}`,
		Resource{Domain: "d", Name: "a", Glob: "/x/a"}, Resource{Domain: "d", Name: "b", Glob: "/x/b"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"run", "--dir=/k", "--device", `{"name":"a"}`, "--device", `{"name":"b"}`}
	if !slices.Equal(got[:6], want) {
		t.Errorf("they are %q", got)
	}
	if made, err := os.ReadFile(got[6]); err != nil || string(made) != "/x/a is a\n/x/b is b\n" {
		t.Errorf("its file has %q, %v", made, err)
	}
}

func TestContestantSaysThatItCannot(t *testing.T) {
	_, err := words(t, `run {{if gt .Units 100}}{{cannot "has at most 100"}}{{end}}`, Resource{Units: 101})
	if cannot := (Cannot{}); !errors.As(err, &cannot) || cannot.Why != "has at most 100" {
		t.Errorf("it says %v", err)
	}
}

func TestExampleInTheHelpIsTakenAsItIs(t *testing.T) {
	_, text, _ := strings.Cut(help, "--contestant 'generic=")
	command, _, _ := strings.Cut(text, "'")
	got, err := words(t, command,
		Resource{Domain: "example.com", Name: "a", Glob: "/x/a"}, Resource{Domain: "example.com", Name: "b", Glob: "/x/b"})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":"b","groups":[{"paths":[{"path":"/x/b"}]}]}`
	if got[len(got)-1] != want {
		t.Errorf("the last word is %s", got[len(got)-1])
	}
}

func TestTablesGoBetweenTheMarks(t *testing.T) {
	text := "before\n" + figuresBegin + "old\n" + figuresEnd + "after\n"
	got, err := between(text, "new\n")
	if want := "before\n" + figuresBegin + "\nnew\n\n" + figuresEnd + "after\n"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	if again, _ := between(got, "new\n"); again != got {
		t.Errorf("written again it is %q", again)
	}
	if _, err := between("without", "new"); err == nil {
		t.Error("a document without marks is accepted")
	}
}

func TestEachDocumentHasTheMarks(t *testing.T) {
	for _, around := range surroundings(true, "") {
		text, err := os.ReadFile(filepath.Join("../../..", around.Document))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := between(string(text), ""); err != nil {
			t.Errorf("%s: %v", around.Document, err)
		}
	}
}
