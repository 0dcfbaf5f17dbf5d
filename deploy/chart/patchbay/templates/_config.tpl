{{/* Fails if a configuration is not text. */}}
{{- define "patchbay.mustBeText" -}}
{{- if not (kindIs "string" .value) -}}
  {{- fail (printf "%s must be text but is YAML, which Helm would rewrite: 0403 would become 259, yes would become true. Write `%s: |` and the configuration indented below it, or give the file: --set-file '%s=lab.yaml'" .name .last .name) -}}
{{- end -}}
{{- end -}}

{{/* The files of a set of daemons, as JSON: {files: {NAME: TEXT}}. */}}
{{- define "patchbay.files" -}}
{{- $place := ternary "" (printf "pools[%v]." .index) (eq .pool "") -}}
{{- $said := .settings -}}
{{- $files := dict -}}
{{- if kindIs "map" $said.configs -}}
  {{- range $name, $text := $said.configs -}}
    {{- if not (regexMatch "^[-._a-zA-Z0-9]+[.]ya?ml$" $name) -}}
      {{- fail (printf "%sconfigs: '%s' is not a file name that ends in .yaml or .yml" $place $name) -}}
    {{- end -}}
    {{- include "patchbay.mustBeText" (dict "name" (printf "%sconfigs.%s" $place (replace "." "\\." $name)) "last" $name "value" $text) -}}
    {{- $_ := set $files $name $text -}}
  {{- end -}}
{{- end -}}
{{- if not (kindIs "invalid" $said.config) -}}
  {{- include "patchbay.mustBeText" (dict "name" (printf "%sconfig" $place) "last" "config" "value" $said.config) -}}
  {{- if $said.config -}}
    {{- if hasKey $files "config.yaml" -}}
      {{- fail (printf "%sconfig would be the file config.yaml, which configs also contains: rename that file" $place) -}}
    {{- end -}}
    {{- $_ := set $files "config.yaml" $said.config -}}
  {{- end -}}
{{- end -}}
{{- if and $files $said.existingConfigMap -}}
  {{- fail (printf "%sexistingConfigMap excludes config and configs: remove one or the other" $place) -}}
{{- end -}}
{{- toJson (dict "files" $files) -}}
{{- end -}}

{{/*
The sets of daemons, as JSON: {sets: [{name, component, pool, settings, files, excluded}]}.
`excluded` has the nodeSelectors of earlier pools. A key of a pool replaces the one in .Values.
*/}}
{{- define "patchbay.sets" -}}
{{- $root := . -}}
{{- $fullname := include "patchbay.fullname" . -}}
{{- $keys := list "affinity" "tolerations" "resources" "podLabels" "podAnnotations" "extraArgs" -}}
{{- $keys = concat $keys (list "extraEnv" "extraVolumes" "extraVolumeMounts" "hostPaths") -}}
{{- $keys = concat $keys (list "hostNetwork" "privileged" "priorityClassName" "updateStrategy") -}}
{{- $configKeys := list "config" "configs" "existingConfigMap" -}}
{{- $base := dict -}}
{{- range concat $keys $configKeys (list "nodeSelector") -}}
  {{- $_ := set $base . (index $root.Values .) -}}
{{- end -}}
{{- $configured := or .Values.config .Values.configs .Values.existingConfigMap -}}
{{- $sets := list -}}
{{- $excluded := list -}}
{{- $names := list -}}
{{- range $index, $pool := .Values.pools -}}
  {{- if has $pool.name $names -}}
    {{- fail (printf "pools[%d]: two pools have the name %s: rename one" $index $pool.name) -}}
  {{- end -}}
  {{- $names = append $names $pool.name -}}
  {{- $settings := deepCopy $base -}}
  {{- $own := false -}}
  {{- range $configKeys -}}
    {{- if index $pool . -}}{{- $own = true -}}{{- end -}}
  {{- end -}}
  {{- if $own -}}
    {{- $settings = omit $settings "config" "configs" "existingConfigMap" -}}
    {{- $settings = merge (pick $pool "config" "configs" "existingConfigMap") $settings -}}
  {{- else if not $configured -}}
    {{- fail (printf "pools[%d]: the pool %s has no configuration: set config, configs or existingConfigMap" $index $pool.name) -}}
  {{- end -}}
  {{- range $keys -}}
    {{- if hasKey $pool . -}}{{- $_ := set $settings . (index $pool .) -}}{{- end -}}
  {{- end -}}
  {{- $selector := merge (deepCopy $pool.nodeSelector) (deepCopy ($root.Values.nodeSelector | default dict)) -}}
  {{- $_ := set $settings "nodeSelector" $selector -}}
  {{- $files := (include "patchbay.files" (dict "pool" $pool.name "index" $index "settings" $settings) | fromJson).files -}}
  {{- $set := dict "name" (printf "%s-%s" $fullname $pool.name) "pool" $pool.name "files" $files -}}
  {{- $_ := set $set "component" (printf "pool-%s" $pool.name) -}}
  {{- $sets = append $sets (merge $set (dict "settings" $settings "excluded" $excluded)) -}}
  {{- $excluded = append $excluded $pool.nodeSelector -}}
{{- end -}}
{{- if not (or $configured .Values.pools) -}}
  {{- fail "the values have no configuration: give the file, --set-file config=lab.yaml, or set config, configs or existingConfigMap. `helm upgrade` with --set or --values discards the previous values: give all of them again, or --reset-then-reuse-values" -}}
{{- end -}}
{{- if $configured -}}
  {{- $files := (include "patchbay.files" (dict "pool" "" "index" 0 "settings" $base) | fromJson).files -}}
  {{- $set := dict "name" $fullname "pool" "" "files" $files "component" "node" -}}
  {{- $sets = prepend $sets (merge $set (dict "settings" $base "excluded" $excluded)) -}}
{{- end -}}
{{- toJson (dict "sets" $sets) -}}
{{- end -}}

{{- define "patchbay.configMapName" -}}
{{- .settings.existingConfigMap | default (printf "%s-config" .name) -}}
{{- end -}}
