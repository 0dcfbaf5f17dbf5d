package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/google/shlex"
)

// Resource is a resource that a contestant must offer.
type Resource struct {
	Domain string // "example.com"
	Name   string // "zram"
	Glob   string // Each path is a unit.
	// A rule on udev or sysfs for the same devices, for contestants that support it; otherwise empty.
	Subsystem, Device string
	Units             int // Number of units at the start; 0: all existing ones.
}

func (r Resource) FullName() string { return r.Domain + "/" + r.Name }

// Setting is the data of a contestant's templates at its start.
type Setting struct {
	Directory string // The kubelet's, in the contestant's namespace.
	Work      string // An empty directory of the contestant.
	Config    string // The file with the configuration of Patchbay.
	Resources []Resource
}

// Units of all resources at the start.
func (s Setting) Units() int {
	sum := 0
	for _, resource := range s.Resources {
		sum += resource.Units
	}
	return sum
}

// Contestant is a measured device plugin.
type Contestant struct {
	Name string
	// The command that starts it: a template, then words as in a shell.
	Command string
	// The ids of its units are the names of devices. If false, only their number identifies a change.
	Named bool
	// It answers without work, and offers only as many resources as this needs.
	Floor bool
	// It is the user's: a failure means that it does not support the row.
	Other bool
	// Words before its command, for an emulator.
	Before []string
}

// Cannot is the reason why a contestant is not measured in a row.
type Cannot struct{ Why string }

func (c Cannot) Error() string { return c.Why }

// Words returns the command of the contestant in a setting, or a Cannot if its template reports
// one.
func (c *Contestant) Words(setting Setting) ([]string, error) {
	text, err := render(c.Command, setting)
	if err != nil {
		return nil, err
	}
	words, err := shlex.Split(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %q: %w", c.Name, text, err)
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("%s: the command is empty", c.Name)
	}
	return append(append([]string{}, c.Before...), words...), nil
}

func render(text string, setting Setting) (string, error) {
	functions := template.FuncMap{
		// The path of a file with the output of a template file for the setting.
		"config": func(file string) (string, error) {
			content, err := os.ReadFile(file)
			if err != nil {
				return "", err
			}
			made, err := render(string(content), setting)
			if err != nil {
				return "", err
			}
			path := filepath.Join(setting.Work, filepath.Base(file))
			return path, os.WriteFile(path, []byte(made), 0o644)
		},
		"cannot": func(why string) (string, error) { return "", Cannot{why} },
		"base":   filepath.Base,
		"dir":    filepath.Dir,
		"replace": func(old, new, in string) string {
			return strings.ReplaceAll(in, old, new)
		},
	}
	parsed, err := template.New("").Funcs(functions).Option("missingkey=error").Parse(text)
	if err != nil {
		return "", err
	}
	var made bytes.Buffer
	if err := parsed.Execute(&made, setting); err != nil {
		var cannot Cannot
		if errors.As(err, &cannot) {
			return "", cannot
		}
		return "", err
	}
	return made.String(), nil
}

// The head of Patchbay's configuration in benchmarks: lost units are dropped at once, so that each
// plug is the first.
const patchbayConfig = `apiVersion: patchbay/v1
kind: Config
defaults: {linger: 0s}
resources:
{{- range .Resources}}
  - name: {{.FullName}}
    id: $(name)
    match: {{if .Subsystem}}{subsystem: {{.Subsystem}}, name: "{{.Device}}"}
    {{- else}}{glob: "{{.Glob}}"}{{end}}
{{- end}}
`

const patchbayOptions = " run --log-level warning --config {{.Config}}" +
	" --kubelet-dir {{.Directory}} --status-socket {{.Work}}/status.sock"

func patchbay(name, binary string) *Contestant {
	return &Contestant{Name: name, Command: quoted(binary) + patchbayOptions, Named: true}
}

// The floor; see bare_plugin.cpp.
func bare(binary string) *Contestant {
	return &Contestant{
		Name: "floor",
		Command: quoted(binary) + `{{if gt (len .Resources) 1}}{{cannot "serves one resource only"}}{{end}}` +
			`{{with index .Resources 0}} {{$.Directory}} {{.FullName}}` +
			` {{if .Subsystem}}uevents {{.Subsystem}} '{{.Device}}'{{else}}files '{{dir .Glob}}'{{end}}{{end}}`,
		Named: true,
		Floor: true,
	}
}

// Parses the user's NAME=COMMAND.
func parseContestant(text string) (*Contestant, error) {
	name, command, is := strings.Cut(text, "=")
	if !is || name == "" || strings.TrimSpace(command) == "" {
		return nil, fmt.Errorf("%q: expected NAME=COMMAND, as in 'other=/usr/bin/other --dir {{.Directory}}'", text)
	}
	if _, err := template.New("").Funcs(template.FuncMap{
		"config": fmt.Sprint, "cannot": fmt.Sprint, "base": fmt.Sprint, "dir": fmt.Sprint, "replace": fmt.Sprint,
	}).Parse(command); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Contestant{Name: name, Command: command, Other: true}, nil
}

func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
