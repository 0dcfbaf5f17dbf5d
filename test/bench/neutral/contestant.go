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

// Resource is what a contestant is to offer under a name.
type Resource struct {
	Domain string // "example.com"
	Name   string // "zram"
	Glob   string // Each path is a unit.
	// Also what a rule over udev or sysfs says of the same devices, for who has such; else empty.
	Subsystem, Device string
	Units             int // How many there are at the start; 0: whatever there is.
}

func (r Resource) FullName() string { return r.Domain + "/" + r.Name }

// Setting is what a contestant is told when it is started; the data of its templates.
type Setting struct {
	Directory string // The kubelet's, as the contestant sees it.
	Work      string // An empty one, the contestant's own.
	Config    string // A file: the configuration of Patchbay.
	Resources []Resource
}

// Units at the start, of all resources.
func (s Setting) Units() int {
	sum := 0
	for _, resource := range s.Resources {
		sum += resource.Units
	}
	return sum
}

// Contestant is a device plugin that is measured.
type Contestant struct {
	Name string
	// The command that starts it: a template, then words as a shell has them.
	Command string
	// The ids of its units are the names of devices. Else only their number says what came.
	Named bool
	// It answers without doing work, and has only as many resources as it needs for that.
	Floor bool
	// It is the user's: what goes wrong is what it cannot do.
	Other bool
	// Words before its own, for an emulator.
	Before []string
}

// Cannot is why a contestant does not take part in a row.
type Cannot struct{ Why string }

func (c Cannot) Error() string { return c.Why }

// Words are the command of the contestant in a setting; a Cannot if its template says so.
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
		// The path of a file with what a template in a file makes of the setting.
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

// As benchmarks of Patchbay begin: what was lost is gone at once, so that each plug is the first.
const patchbayConfig = `apiVersion: patchbay/v1
kind: Config
defaults: {settle: 0ms, linger: 0s}
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

// The floor: see bare_plugin.cpp.
func bare(binary string) *Contestant {
	return &Contestant{
		Name: "floor",
		Command: quoted(binary) + `{{if gt (len .Resources) 1}}{{cannot "has one resource"}}{{end}}` +
			`{{with index .Resources 0}} {{$.Directory}} {{.FullName}}` +
			` {{if .Subsystem}}uevents {{.Subsystem}} '{{.Device}}'{{else}}files '{{dir .Glob}}'{{end}}{{end}}`,
		Named: true,
		Floor: true,
	}
}

// What the user says: NAME=COMMAND.
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
