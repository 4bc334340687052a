{{- define "tasker-ee.name" -}}
{{- if contains "tasker-ee" .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}{{ printf "%s-tasker-ee" .Release.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "tasker-ee.selector" -}}
app.kubernetes.io/name: tasker-ee
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tasker-ee.labels" -}}
{{ include "tasker-ee.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{- define "tasker-ee.secret" -}}
{{- .Values.secret.name | default (printf "%s-passwords" (include "tasker-ee.name" .)) }}
{{- end }}

{{- define "tasker-ee.takesRequests" -}}
{{- if or (not .Values.roles) (has "api" (splitList "," (nospace .Values.roles))) }}true{{ end }}
{{- end }}
