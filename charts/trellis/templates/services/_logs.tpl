{{/* The files in logs.files, as JSON by path below /etc/trellis/logs. Takes root and kinds. */}}
{{- define "trellis.logs.filesOf" -}}
{{- $files := dict -}}
{{- $values := .root.Values.logs.files -}}
{{- if and (has "sources" .kinds) $values.sources -}}{{- $_ := set $files "sources.yaml" $values.sources -}}{{- end -}}
{{- range $kind := list "formats" "patterns" -}}
{{- if has $kind $.kinds -}}
{{- range $name, $text := index $values $kind -}}{{- $_ := set $files (printf "%s/%s" $kind $name) $text -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $files -}}
{{- end -}}

{{/* The name of the ConfigMap with these files. */}}
{{- define "trellis.logs.filesName" -}}
{{ include "trellis.fullname" . }}-log-files
{{- end -}}

{{/* The key of a file in the ConfigMap; keys cannot contain slashes. */}}
{{- define "trellis.logs.fileKey" -}}
{{- . | replace "/" "." -}}
{{- end -}}

{{/* A list with the volume of these files, as JSON; it is empty if there are none. Takes root and kinds. */}}
{{- define "trellis.logs.fileVolumes" -}}
{{- $items := list -}}
{{- range $path, $_ := include "trellis.logs.filesOf" . | fromJson -}}
{{- $items = append $items (dict "key" (include "trellis.logs.fileKey" $path) "path" $path) -}}
{{- end -}}
{{- if $items -}}
{{- toJson (list (dict "name" "log-files" "configMap" (dict "name" (include "trellis.logs.filesName" .root) "items" $items))) -}}
{{- else -}}
[]
{{- end -}}
{{- end -}}

{{- define "trellis.logs.fileMounts" -}}
{{- if gt (len (include "trellis.logs.filesOf" . | fromJson)) 0 -}}
{{- toJson (list (dict "name" "log-files" "mountPath" "/etc/trellis/logs" "readOnly" true)) -}}
{{- else -}}
[]
{{- end -}}
{{- end -}}

{{/* The paths of these files. Takes root and kinds. */}}
{{- define "trellis.env.logFiles" -}}
{{- $values := .root.Values.logs.files -}}
{{- if and (has "sources" .kinds) $values.sources }}
- name: SERVICE_SOURCES_FILE
  value: /etc/trellis/logs/sources.yaml
{{- end }}
{{- range $kind, $variable := dict "formats" "SERVICE_FORMATS_DIR" "patterns" "SERVICE_PATTERNS_DIR" }}
{{- if and (has $kind $.kinds) (index $values $kind) }}
- name: {{ $variable }}
  value: /etc/trellis/logs/{{ $kind }}
{{- end }}
{{- end }}
{{- end -}}

{{/* An annotation with the files' checksum, so that a change restarts the pods. Takes root and kinds. */}}
{{- define "trellis.logs.fileAnnotations" -}}
{{- $files := include "trellis.logs.filesOf" . -}}
{{- if gt (len (fromJson $files)) 0 -}}
{{- toJson (dict "checksum/log-files" (sha256sum $files | trunc 16)) -}}
{{- else -}}
{}
{{- end -}}
{{- end -}}

{{/* Settings of the log service from the values. */}}
{{- define "trellis.env.logs" -}}
{{- with .Values.logs -}}
- name: SERVICE_GLEAN_INTERVAL
  value: {{ .collect.intervalSeconds | int64 | quote }}
- name: LOGS_WATCH
  value: {{ ternary "1" "0" .collect.watch | quote }}
{{- with .retention.days }}
- name: SERVICE_RETENTION_DAYS
  value: {{ . | toJson | quote }}
{{- end }}
{{- with .retention.gigabytes }}
- name: SERVICE_RETENTION_GB
  value: {{ . | toJson | quote }}
{{- end }}
- name: SERVICE_AUTO_INCIDENT
  value: {{ ternary "1" "0" .incidents.automatic | quote }}
- name: SERVICE_AUTO_INCIDENT_THRESHOLD
  value: {{ .incidents.threshold | int64 | quote }}
- name: SERVICE_AUTO_INCIDENT_WINDOW
  value: {{ .incidents.windowSeconds | int64 | quote }}
{{- if .bundles.endpoint }}
- name: SERVICE_BUNDLE_ENDPOINT
  value: {{ .bundles.endpoint | quote }}
{{- if .bundles.existingSecret }}
{{ include "trellis.fromSecret" (dict "name" "SERVICE_BUNDLE_TOKEN" "secret" .bundles.existingSecret "key" .bundles.tokenKey) }}
{{- end }}
{{- end }}
{{- if .submit.endpoint }}
- name: SERVICE_SUBMIT_ENDPOINT
  value: {{ .submit.endpoint | quote }}
{{- if .submit.existingSecret }}
{{ include "trellis.fromSecret" (dict "name" "SERVICE_SUBMIT_KEY" "secret" .submit.existingSecret "key" .submit.tokenKey) }}
{{- end }}
{{- end }}
{{- if .ssh.existingSecret }}
- name: SERVICE_SSH_KEY_DIRS
  value: /etc/trellis/ssh
{{- end }}
{{- $models := dict "SERVICE_EMBEDDING_MODEL" .models.embedding "SERVICE_ANOMALY_MODEL" .models.anomaly "SERVICE_CYBERSEC_MODEL" .models.security }}
{{- range $name, $folder := $models }}
{{- if $folder }}
- name: {{ $name }}
  value: /models/{{ $folder }}
{{- end }}
{{- end }}
{{- if .models.security }}
- name: SERVICE_CYBERSEC_THRESHOLD
  value: {{ .models.securityThreshold | quote }}
{{- end }}
- name: SERVICE_BLOCK_PRIVATE_UPSTREAMS
  value: {{ ternary "1" "0" .blockPrivateUpstreams | quote }}
- name: SERVICE_MAX_UPLOAD_MB
  value: {{ .maximumUploadMegabytes | int64 | quote }}
{{- end -}}
{{- end -}}

{{- define "trellis.logs.volumes" -}}
{{- $volumes := include "trellis.logs.fileVolumes" (dict "root" . "kinds" (list "sources" "formats" "patterns")) | fromJsonArray -}}
{{- with .Values.logs.models.existingClaim -}}
{{- $volumes = append $volumes (dict "name" "models" "persistentVolumeClaim" (dict "claimName" . "readOnly" true)) -}}
{{- end -}}
{{- with .Values.logs.ssh.existingSecret -}}
{{- $volumes = append $volumes (dict "name" "ssh" "secret" (dict "secretName" . "defaultMode" 256)) -}}
{{- end -}}
{{- with $volumes -}}{{- toYaml . -}}{{- end -}}
{{- end -}}

{{- define "trellis.logs.mounts" -}}
{{- $mounts := include "trellis.logs.fileMounts" (dict "root" . "kinds" (list "sources" "formats" "patterns")) | fromJsonArray -}}
{{- if .Values.logs.models.existingClaim -}}
{{- $mounts = append $mounts (dict "name" "models" "mountPath" "/models" "readOnly" true) -}}
{{- end -}}
{{- if .Values.logs.ssh.existingSecret -}}
{{- $mounts = append $mounts (dict "name" "ssh" "mountPath" "/etc/trellis/ssh" "readOnly" true) -}}
{{- end -}}
{{- with $mounts -}}{{- toYaml . -}}{{- end -}}
{{- end -}}
