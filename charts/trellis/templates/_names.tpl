{{/* Prefix of the names of all objects. */}}
{{- define "trellis.fullname" -}}
{{- $name := .Values.nameOverride | default "trellis" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The path of publicUrl without a slash at its end: empty for a host of its own. The edge removes it from requests by itself. */}}
{{- define "trellis.basePath" -}}
{{- with .Values.publicUrl -}}{{ get (urlParse .) "path" | trimSuffix "/" }}{{- end -}}
{{- end -}}

{{/* Labels for selectors, which are immutable. Takes root and component. */}}
{{- define "trellis.selectorLabels" -}}
app.kubernetes.io/name: trellis
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "trellis.lastingLabels" -}}
{{ include "trellis.selectorLabels" . }}
app.kubernetes.io/part-of: trellis
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end -}}

{{- define "trellis.commonLabels" -}}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Labels of an object. Takes root and component. */}}
{{- define "trellis.labels" -}}
{{ include "trellis.lastingLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- include "trellis.commonLabels" . }}
{{- end -}}

{{/* Labels of the pods of a bundled server: without versions, since an upgrade of the release alone must not restart it. */}}
{{- define "trellis.serverLabels" -}}
{{ include "trellis.lastingLabels" . }}
{{- include "trellis.commonLabels" . }}
{{- end -}}

{{/* The name and the labels of an object. Takes root and component. */}}
{{- define "trellis.metadata" -}}
name: {{ include "trellis.fullname" .root }}-{{ .component }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "trellis.labels" . | nindent 2 }}
{{- end -}}

{{/* A reference to an image. Takes root and image; missing fields of image default to those of the application's image. */}}
{{- define "trellis.image" -}}
{{- $own := .root.Values.image -}}
{{- $registry := .root.Values.global.imageRegistry | default (.image.registry | default $own.registry) -}}
{{- $repository := .image.repository | default $own.repository -}}
{{- $name := ternary (printf "%s/%s" $registry $repository) $repository (ne $registry "") -}}
{{- $isOwn := eq $repository $own.repository -}}
{{- $digest := .image.digest | default (ternary $own.digest "" $isOwn) -}}
{{- if $digest -}}
{{- printf "%s@%s" $name $digest -}}
{{- else -}}
{{- printf "%s:%s" $name (.image.tag | default ($own.tag | default .root.Chart.AppVersion)) -}}
{{- end -}}
{{- end -}}

{{/* The Secret with the secrets that the processes share. */}}
{{- define "trellis.secretName" -}}
{{- .Values.secrets.existingSecret | default (printf "%s-secrets" (include "trellis.fullname" .)) -}}
{{- end -}}

{{/* Whether the bundled servers are used: "true" or nothing. */}}
{{- define "trellis.bundledNats" -}}{{- if not .Values.nats.url -}}true{{- end -}}{{- end -}}
{{- define "trellis.bundledPostgres" -}}{{- if not .Values.database.existingSecret -}}true{{- end -}}{{- end -}}

{{/*
Whether the bundled NATS has a user for each role: "true" or nothing. An existing Secret may be older than the roles, so their passwords
are only required of it if nats.bundled.accounts is "on".
*/}}
{{- define "trellis.natsAccounts" -}}
{{- $mode := .Values.nats.bundled.accounts -}}
{{- if and (include "trellis.bundledNats" .) (or (eq $mode "on") (and (eq $mode "auto") (not .Values.secrets.existingSecret))) -}}true{{- end -}}
{{- end -}}

{{/* The name of a priority class of the release; priority classes are cluster-wide. Takes root and name. */}}
{{- define "trellis.priorityClass" -}}
{{- printf "%s-%s-%s" .root.Release.Namespace (include "trellis.fullname" .root) .name -}}
{{- end -}}

{{/* Whether the demo marketplace is used. */}}
{{- define "trellis.demo" -}}
{{- if not (or .Values.marketplace.baseUrl .Values.marketplace.apiUrl) -}}true{{- end -}}
{{- end -}}

{{/* The namespaces in which workers and branches run, as a JSON list: that of the release first. */}}
{{- define "trellis.namespaces" -}}
{{- prepend .Values.operator.watchNamespaces .Release.Namespace | uniq | toJson -}}
{{- end -}}

{{/* The host of a server of the release; it resolves in all namespaces. Takes root and component. */}}
{{- define "trellis.host" -}}
{{- printf "%s-%s.%s.svc" (include "trellis.fullname" .root) .component .root.Release.Namespace -}}
{{- end -}}
