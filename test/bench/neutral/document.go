package main

import (
	"fmt"
	"os"
	"strings"
)

const (
	figuresBegin = "<!-- figures: written by scripts/bench --write-docs -->\n"
	figuresEnd   = "<!-- figures end -->\n"
)

// Inserts the tables between the marks of a document.
func writeDocument(path, tables string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	written, err := between(string(text), tables)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(written), 0o644)
}

func between(text, tables string) (string, error) {
	before, rest, is := strings.Cut(text, figuresBegin)
	_, after, also := strings.Cut(rest, figuresEnd)
	if !is || !also {
		return "", fmt.Errorf("expected the lines %q and %q", strings.TrimSpace(figuresBegin), strings.TrimSpace(figuresEnd))
	}
	return before + figuresBegin + "\n" + tables + "\n" + figuresEnd + after, nil
}
