// Measures device plugins from the kubelet's side, beside a floor: see docs/dev/performance.md.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

const help = `Measures the daemon from the kubelet's side, beside a minimal device plugin (the floor), and prints a
table. Requires root.

  scripts/bench                              all rows, about 15 minutes
  scripts/bench --quick                      fewer samples
  scripts/bench --only 'plug-*,allocate'     some rows; --list prints all
  scripts/bench --json figures.json          also writes all samples
  scripts/bench --binary /tmp/other/patchbay measures another build
  scripts/bench --long                       also with udevd, in a control group of 64 MiB, and on
                                             emulated arm64 if build/release-arm64 exists
  scripts/bench --write-docs                 also writes the tables into docs/dev/performance.md and
                                             test/bench/README.md

Compare with another device plugin:

  --contestant 'NAME=COMMAND'

COMMAND is a Go template whose result is split into words like a shell command. Its fields and
functions:
  {{.Directory}}   the kubelet's directory: /var/lib/kubelet/device-plugins, in the contestant's own
                   mount namespace
  {{.Work}}        an empty directory
  {{.Config}}      a file with Patchbay's configuration of these resources
  {{.Resources}}   the resources. Each has .FullName (.Domain, a slash, .Name), .Glob of the paths of
                   its units, and .Units, their number. If a rule over devices matches the same
                   units, it also has .Subsystem and .Device.
  {{.Units}}       the units of all resources
  {{config "F"}}   the path of a file: the result of the template in file F
  {{cannot "why"}} the contestant does not support this row
  {{base P}} {{dir P}} {{replace OLD NEW TEXT}}

Two builds of Patchbay:

  --contestant 'before=/tmp/before/patchbay run --log-level warning --config {{.Config}}
                --kubelet-dir {{.Directory}} --status-socket {{.Work}}/status.sock'

generic-device-plugin, which polls every five seconds:

  --contestant 'generic=generic-device-plugin --domain example.com --plugin-directory {{.Directory}}
                {{range .Resources}} --device
                {\"name\":\"{{.Name}}\",\"groups\":[{\"paths\":[{\"path\":\"{{.Glob}}\"}]}]} {{end}}'

A plugin that reads a file (F is its template) and offers single devices only:

  --contestant 'other={{range .Resources}}{{if ne .Units 1}}{{cannot "offers single devices"}}{{end}}{{end}}
                other-device-plugin --config {{config "F"}}'

Another plugin may use another domain, because only the name after the slash is compared. Only the
number of its units is compared, because their ids may differ. A row without a list within half a
minute is "unsupported".

Options:
`

type options struct {
	binary, bare string
	contestants  []*Contestant
	only         []string
	json         string
	documents    string
	arm64        string
	long         bool
	quick, list  bool
}

func parse(arguments []string, output io.Writer) (options, error) {
	var chosen options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // A usage error prints only the mistake, not the whole help.
	flags.Usage = func() {}
	flags.StringVar(&chosen.binary, "binary", "", "the `program` to measure; default: build it")
	flags.StringVar(&chosen.bare, "floor", "", "the `program` of the floor; scripts/bench sets it")
	flags.Func("contestant", "`NAME=COMMAND`: another device plugin; may be repeated", func(text string) error {
		contestant, err := parseContestant(text)
		if err == nil {
			chosen.contestants = append(chosen.contestants, contestant)
		}
		return err
	})
	flags.Func("only", "`ROWS`: ids separated by commas; * matches any text", func(text string) error {
		for pattern := range strings.SplitSeq(text, ",") {
			pattern = strings.TrimSpace(pattern)
			if !matchesRow(pattern) {
				return fmt.Errorf("no row is named %q; --list prints all", pattern)
			}
			chosen.only = append(chosen.only, pattern)
		}
		return nil
	})
	flags.StringVar(&chosen.json, "json", "", "write all figures to a `FILE`")
	flags.StringVar(&chosen.documents, "documents", "", "write the tables into the documents of the repository in `FOLDER`; see --write-docs")
	flags.StringVar(&chosen.arm64, "arm64", "", "the `folder` of an arm64 build, for --long; scripts/bench sets it")
	flags.BoolVar(&chosen.long, "long", false, "also with udevd, with a memory limit, and emulated")
	flags.BoolVar(&chosen.quick, "quick", false, "fewer samples of each row")
	flags.BoolVar(&chosen.list, "list", false, "print the rows")
	if err := flags.Parse(arguments); errors.Is(err, flag.ErrHelp) {
		var defaults strings.Builder
		flags.SetOutput(&defaults)
		flags.PrintDefaults()
		fmt.Fprint(output, help, strings.ReplaceAll("\n"+defaults.String(), "\n  -", "\n  --")[1:])
		return chosen, err
	} else if err != nil {
		return chosen, fmt.Errorf("%w; see --help", err)
	}
	if flags.NArg() > 0 {
		return chosen, fmt.Errorf("unexpected argument %q; see --help", flags.Arg(0))
	}
	names := map[string]bool{"patchbay": true, "floor": true}
	for _, contestant := range chosen.contestants {
		if names[contestant.Name] {
			return chosen, fmt.Errorf("two contestants are named %s", contestant.Name)
		}
		names[contestant.Name] = true
	}
	if chosen.documents != "" && (chosen.quick || len(chosen.only) > 0) {
		return chosen, errors.New("documents need all rows: omit --quick and --only")
	}
	if !chosen.list && (chosen.binary == "" || chosen.bare == "") {
		return chosen, errors.New("--binary and --floor are required; scripts/bench sets them")
	}
	return chosen, nil
}

func matchesRow(pattern string) bool {
	for _, row := range rows {
		if is, err := path.Match(pattern, row.ID); err == nil && is {
			return true
		}
	}
	return false
}

func wanted(row string, only []string) bool {
	for _, pattern := range only {
		if is, _ := path.Match(pattern, row); is {
			return true
		}
	}
	return len(only) == 0
}

func run(chosen options) error {
	if chosen.list {
		for _, row := range rows {
			fmt.Printf("%-18s %s\n", row.ID, row.What)
		}
		return nil
	}
	if os.Geteuid() != 0 {
		return errors.New("run as root: it plugs devices and mounts file systems")
	}
	if chosen.json != "" { // Before the quarter of an hour passes.
		file, err := os.OpenFile(chosen.json, os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		file.Close()
	}
	undoAllOnSignals()
	root, removeScratch, err := makeScratch()
	if err != nil {
		return err
	}
	defer removeScratch()
	defer onMachine.Add(unplugAll)()
	machine := thisMachine()
	var parts []Part
	failed := false
	tables := map[string]string{} // By document.
	printed := machine.String() + "\n"
	for number, around := range surroundings(chosen.long, chosen.arm64) {
		bench := NewBench(filepath.Join(root, fmt.Sprint(number)))
		if err := os.Mkdir(bench.Root, 0o755); err != nil {
			return err
		}
		bench.Quick = chosen.quick
		bench.Progress = progress(around.Name)
		bench.Contestants = append(
			[]*Contestant{patchbay("patchbay", chosen.binary), bare(chosen.bare)}, chosen.contestants...)
		part := around.measure(bench, chosen.only)
		bench.Progress("")
		if part.Cannot == "" && len(bench.figures) == 0 {
			continue
		}
		parts = append(parts, part)
		failed = failed || bench.Failed()
		if tables[around.Document] == "" {
			tables[around.Document] = machine.String() + "\n"
		}
		tables[around.Document] += "\n" + part.String()
		printed += "\n" + part.String()
	}
	_, unread := fmt.Print(printed)
	if chosen.json != "" {
		write := func(to io.Writer) error { return WriteJSON(to, machine, parts) }
		if err := writeFile(chosen.json, write); err != nil {
			return err
		}
	}
	if chosen.documents != "" {
		for document, text := range tables {
			if err := writeDocument(filepath.Join(chosen.documents, document), text); err != nil {
				return err
			}
		}
	}
	if unread != nil {
		return unread
	}
	if failed {
		return errors.New("some rows failed")
	}
	return nil
}

func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// One line that is overwritten on a terminal; otherwise a line each. A reader that has stopped
// reading must not delay the measurements.
func progress(around string) func(string) {
	information, err := os.Stderr.Stat()
	if err == nil && information.Mode()&os.ModeCharDevice != 0 {
		return func(text string) { fmt.Fprintf(os.Stderr, "\r\x1b[K%s %s", around, text) }
	}
	last := ""
	return func(text string) {
		row, _, _ := strings.Cut(text, ":")
		if row != last && row != "" {
			_, err := fmt.Fprintln(os.Stderr, strings.TrimSpace(around+" "+row))
			if errors.Is(err, syscall.EPIPE) {
				endBy(syscall.SIGPIPE)
			}
		}
		last = row
	}
}

func main() {
	becomeContestant()
	chosen, err := parse(os.Args[1:], os.Stdout)
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	if err := run(chosen); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
