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

const help = `Measures the daemon as the kubelet sees it, beside what every device plugin must do at least, and
prints a table. As root.

  scripts/bench                              all rows: some fifteen minutes
  scripts/bench --quick                      fewer takes: for a look while something is changed
  scripts/bench --only 'plug-*,allocate'     some rows; --list names them
  scripts/bench --json figures.json          also all samples
  scripts/bench --binary /tmp/other/patchbay another build
  scripts/bench --long                       also with udevd, in a control group of 64 MiB, and on
                                             the emulation of arm64, if build/release-arm64 is there
  scripts/bench --write-docs                 the tables go into docs/dev/performance.md, too

Another device plugin takes part, in turn with the others:

  --contestant 'NAME=COMMAND'

COMMAND is a Go template, which is then split into words as a shell does it. It knows
  {{.Directory}}   the kubelet's directory: /var/lib/kubelet/device-plugins, in a mount namespace of
                   the contestant's own
  {{.Work}}        an empty directory for it
  {{.Config}}      a file: Patchbay's configuration of the same
  {{.Resources}}   what is to be offered; each has .FullName, which is .Domain, a slash and .Name;
                   .Glob of the paths that are units; .Subsystem and .Device, where there is a rule
                   of devices that matches the same; .Units, how many there are
  {{.Units}}       of all resources
  {{config "F"}}   the path of what becomes of the template in the file F
  {{cannot "why"}} the row is not for it
  {{base P}} {{dir P}} {{replace OLD NEW TEXT}}

Two builds of Patchbay:

  --contestant 'before=/tmp/before/patchbay run --log-level warning --config {{.Config}}
                --kubelet-dir {{.Directory}} --status-socket {{.Work}}/status.sock'

generic-device-plugin, which looks every five seconds:

  --contestant 'generic=generic-device-plugin --domain example.com --plugin-directory {{.Directory}}
                {{range .Resources}} --device
                {\"name\":\"{{.Name}}\",\"groups\":[{\"paths\":[{\"path\":\"{{.Glob}}\"}]}]} {{end}}'

One that reads a file, of which F is a template, and knows single devices only:

  --contestant 'other={{range .Resources}}{{if ne .Units 1}}{{cannot "offers single devices"}}{{end}}{{end}}
                other-device-plugin --config {{config "F"}}'

A resource may be offered in another domain: the name after the slash is what counts. Of another's
units only the number is looked at, since their ids may say anything. What does not come within half
a minute is "cannot".

Options:
`

type options struct {
	binary, bare string
	contestants  []*Contestant
	only         []string
	json         string
	document     string
	arm64        string
	long         bool
	quick, list  bool
}

func parse(arguments []string, output io.Writer) (options, error) {
	var chosen options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // A usage error prints only the mistake, not the whole help.
	flags.Usage = func() {}
	flags.StringVar(&chosen.binary, "binary", "", "the `program` to measure; it is built where none is given")
	flags.StringVar(&chosen.bare, "floor", "", "the `program` that is the floor; given by scripts/bench")
	flags.Func("contestant", "`NAME=COMMAND`: another device plugin; may be repeated", func(text string) error {
		contestant, err := parseContestant(text)
		if err == nil {
			chosen.contestants = append(chosen.contestants, contestant)
		}
		return err
	})
	flags.Func("only", "`ROWS`: their ids with commas between, * for any text", func(text string) error {
		for pattern := range strings.SplitSeq(text, ",") {
			pattern = strings.TrimSpace(pattern)
			if !matchesRow(pattern) {
				return fmt.Errorf("no row is called %q; --list names them", pattern)
			}
			chosen.only = append(chosen.only, pattern)
		}
		return nil
	})
	flags.StringVar(&chosen.json, "json", "", "write all figures to a `FILE`")
	flags.StringVar(&chosen.document, "document", "", "write the tables into a `FILE`, between its marks; see --write-docs")
	flags.StringVar(&chosen.arm64, "arm64", "", "the `folder` of an arm64 build, for --long; given by scripts/bench")
	flags.BoolVar(&chosen.long, "long", false, "also with udevd, with a limit of memory, and emulated")
	flags.BoolVar(&chosen.quick, "quick", false, "fewer takes of each row")
	flags.BoolVar(&chosen.list, "list", false, "name the rows")
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
		return chosen, fmt.Errorf("%q is none of the options; see --help", flags.Arg(0))
	}
	names := map[string]bool{"patchbay": true, "floor": true}
	for _, contestant := range chosen.contestants {
		if names[contestant.Name] {
			return chosen, fmt.Errorf("two contestants are called %s", contestant.Name)
		}
		names[contestant.Name] = true
	}
	if chosen.document != "" && (chosen.quick || len(chosen.only) > 0) {
		return chosen, errors.New("a document gets all rows: neither --quick nor --only goes with it")
	}
	if !chosen.list && (chosen.binary == "" || chosen.bare == "") {
		return chosen, errors.New("--binary and --floor are needed; scripts/bench gives them")
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
		return errors.New("devices can be plugged, and mounts made, by root only")
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
	told := machine.String() + "\n"
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
		told += "\n" + part.String()
	}
	_, unread := fmt.Print(told)
	if chosen.json != "" {
		write := func(to io.Writer) error { return WriteJSON(to, machine, parts) }
		if err := writeFile(chosen.json, write); err != nil {
			return err
		}
	}
	if chosen.document != "" {
		if err := writeDocument(chosen.document, told); err != nil {
			return err
		}
	}
	if unread != nil {
		return unread
	}
	if failed {
		return errors.New("not all could be measured")
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
