{{/*
The affinity of a set of daemons: the configured one, and that no earlier pool contains the node. A
node is outside a pool if it lacks one label of the pool's nodeSelector. So the terms are the product
of the configured terms and of one label from each earlier pool.
*/}}
{{- define "patchbay.affinity" -}}
{{- $affinity := deepCopy (.settings.affinity | default dict) -}}
{{- if .excluded -}}
  {{- $choices := list (list) -}}
  {{- range $selector := .excluded -}}
    {{- $longer := list -}}
    {{- range $choice := $choices -}}
      {{- range $key, $value := $selector -}}
        {{- $longer = append $longer (append $choice (dict "key" $key "operator" "NotIn" "values" (list $value))) -}}
      {{- end -}}
    {{- end -}}
    {{- $choices = $longer -}}
  {{- end -}}
  {{- $said := dig "nodeAffinity" "requiredDuringSchedulingIgnoredDuringExecution" "nodeSelectorTerms" (list (dict)) $affinity -}}
  {{- $terms := list -}}
  {{- range $term := $said -}}
    {{- range $choice := $choices -}}
      {{- $expressions := concat ($term.matchExpressions | default list) $choice -}}
      {{- $terms = append $terms (merge (dict "matchExpressions" $expressions) (omit $term "matchExpressions")) -}}
    {{- end -}}
  {{- end -}}
  {{- $required := dict "requiredDuringSchedulingIgnoredDuringExecution" (dict "nodeSelectorTerms" $terms) -}}
  {{- $affinity = mergeOverwrite $affinity (dict "nodeAffinity" (mergeOverwrite ($affinity.nodeAffinity | default dict) $required)) -}}
{{- end -}}
{{- with $affinity -}}
  {{- toYaml . -}}
{{- end -}}
{{- end -}}
