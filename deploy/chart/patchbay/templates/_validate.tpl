{{/* The Pod of a Job or test that checks the configuration of a set of daemons with their image.
`configMap` is the name of the ConfigMap. The Pod needs nothing from the node. */}}
{{- define "patchbay.validatePod" -}}
restartPolicy: Never
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .set.settings.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65534
  runAsGroup: 65534
  seccompProfile:
    type: RuntimeDefault
containers:
  - name: validate
    image: {{ include "patchbay.image" .root | quote }}
    {{- with .root.Values.image.pullPolicy }}
    imagePullPolicy: {{ . }}
    {{- end }}
    args: [validate, --strict, /etc/patchbay, /pod/daemonset.yaml]
    resources:
      requests: {cpu: 10m, memory: 16Mi}
      limits: {memory: 64Mi}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities:
        drop: [ALL]
    volumeMounts:
      - name: config
        mountPath: /etc/patchbay
        readOnly: true
      - name: pod
        mountPath: /pod
        readOnly: true
volumes:
  - name: pod
    downwardAPI:
      items:
        - path: daemonset.yaml
          fieldRef:
            fieldPath: metadata.annotations['patchbay/daemonset']
  - name: config
    configMap:
      name: {{ .configMap | quote }}
{{- end -}}

{{/* The annotation of that Pod: the DaemonSet, whose mounts are compared with the configuration. */}}
{{- define "patchbay.validateAnnotation" -}}
{{- $name := .set.name -}}
{{- range splitList "\n---\n" (include (print .root.Template.BasePath "/daemonset.yaml") .root) -}}
{{- with fromYaml . -}}
{{- if eq .metadata.name $name }}
patchbay/daemonset: {{ toJson . | quote }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Other labels than the daemons: no selector or scraper may find these Pods. */}}
{{- define "patchbay.validateLabels" -}}
app.kubernetes.io/name: patchbay-validate
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- with include "patchbay.moreLabels" .Values.commonLabels }}
{{ . }}
{{- end }}
{{- end -}}

{{/* The data of a ConfigMap, unchanged, so that lines and columns of `patchbay validate` are right. */}}
{{- define "patchbay.configData" -}}
{{- range $name, $text := .files }}
{{ $name }}: |{{ if regexMatch "^\\s*\\n?[ \\t]" $text }}2{{ end }}
  {{- $text | replace "\r\n" "\n" | trimSuffix "\n" | nindent 2 }}
{{- end }}
{{- end -}}
