{{/* The name of all objects. */}}
{{- define "patchbay.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := .Values.nameOverride | default "patchbay" -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" (.Release.Name | trunc (int (sub 39 (len $name))) | trimSuffix "-") $name -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The labels by which monitors and policies select all Pods of the release, and alerts the daemons. */}}
{{- define "patchbay.selectorLabels" -}}
app.kubernetes.io/name: patchbay
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* Labels of the values as YAML. They do not replace the labels that the chart sets itself. */}}
{{- define "patchbay.moreLabels" -}}
{{- with omit (. | default dict) "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/component" "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "helm.sh/chart" }}
{{- toYaml . }}
{{- end }}
{{- end -}}

{{- define "patchbay.labels" -}}
{{ include "patchbay.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (.Chart.Version | replace "+" "_") }}
{{- with include "patchbay.moreLabels" .Values.commonLabels }}
{{ . }}
{{- end }}
{{- end -}}

{{/* The name of objects of the cluster: two namespaces may have a release of the same name. */}}
{{- define "patchbay.clusterName" -}}
{{- printf "%s.%s" (include "patchbay.fullname" .) .Release.Namespace -}}
{{- end -}}

{{/* The service account of the daemons with dra.enabled. */}}
{{- define "patchbay.accountName" -}}
{{- .Values.serviceAccountName | default (include "patchbay.fullname" .) -}}
{{- end -}}

{{- define "patchbay.image" -}}
{{- if not .Values.image.repository -}}
  {{- fail "image.repository is not set: push the image to a registry and give its name there: --set image.repository=registry.lab.example.com/patchbay. For an image that was imported on each node, give its name on the node. See docs/images.md" -}}
{{- end -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}
