{{/* The name of everything. */}}
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

{{/* By which Services, monitors and policies know all Pods of the release. The alerts want this name. */}}
{{- define "patchbay.selectorLabels" -}}
app.kubernetes.io/name: patchbay
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "patchbay.labels" -}}
{{ include "patchbay.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (.Chart.Version | replace "+" "_") }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "patchbay.image" -}}
{{- if not .Values.image.repository -}}
  {{- fail "image.repository is not set: push the image to a registry, and name it there: --set image.repository=registry.lab.example.com/patchbay. For an image that was imported on each node, give the name that it has there. docs/images.md says how" -}}
{{- end -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}
