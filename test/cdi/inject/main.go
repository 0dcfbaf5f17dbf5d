// Injects CDI devices into a container's configuration (OCI), as container runtimes do.
//
//	inject SPEC_DIRECTORY CONFIG_JSON DEVICE…
package main

import (
	"encoding/json"
	"fmt"
	"os"

	oci "github.com/opencontainers/runtime-spec/specs-go"
	"tags.cncf.io/container-device-interface/pkg/cdi"
)

func inject(directory, path string, devices []string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var config oci.Spec
	if err := json.Unmarshal(text, &config); err != nil {
		return err
	}
	cache, err := cdi.NewCache(cdi.WithSpecDirs(directory), cdi.WithAutoRefresh(false))
	if err != nil {
		return err
	}
	for file, errors := range cache.GetErrors() {
		return fmt.Errorf("%s: %v", file, errors)
	}
	if _, err := cache.InjectDevices(&config, devices...); err != nil {
		return err
	}
	if text, err = json.MarshalIndent(config, "", "  "); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: inject SPEC_DIRECTORY CONFIG_JSON DEVICE…")
		os.Exit(2)
	}
	if err := inject(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "inject:", err)
		os.Exit(1)
	}
}
