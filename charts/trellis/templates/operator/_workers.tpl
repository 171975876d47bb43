{{/* Templates of the pods that the operator creates, as JSON by kind. */}}
{{- define "trellis.workers" -}}
{{- $templates := dict -}}
{{- range $kind, $entry := dict "search" "search-worker" "generation" "generation-worker" "branch" "branch" -}}
{{- $values := index $.Values.workers $kind -}}
{{- $env := include "trellis.worker.env" (dict "root" $ "kind" $kind) | fromYamlArray -}}
{{- $template := dict
  "image" (include "trellis.image" (dict "root" $ "image" $values.image))
  "imagePullPolicy" ($values.image.pullPolicy | default $.Values.image.pullPolicy)
  "command" (list "node" (printf "/app/%s.js" $entry))
  "env" (concat $env $values.extraEnv)
  "resources" $values.resources -}}
{{- with $.Values.global.imagePullSecrets -}}{{- $_ := set $template "imagePullSecrets" . -}}{{- end -}}
{{- range $field := list "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" "priorityClassName" "runtimeClassName" "podLabels" "podAnnotations" "serviceAccountName" -}}
{{- with index $values $field -}}{{- $_ := set $template $field . -}}{{- end -}}
{{- end -}}
{{- range $field := list "hostAliases" "dnsConfig" -}}
{{- with index $.Values $field -}}{{- $_ := set $template $field . -}}{{- end -}}
{{- end -}}
{{- /* The group of a Branch's volume. If it is null in the values, the cluster chooses one. */}}
{{- if eq $kind "branch" -}}{{- $_ := set $template "podSecurityContext" (pick $.Values.podSecurityContext "fsGroup") -}}{{- end -}}
{{- if and $.Values.priorityClasses.enabled (ne $kind "branch") (not $values.priorityClassName) -}}
{{- $_ := set $template "priorityClassName" (include "trellis.priorityClass" (dict "root" $ "name" "runs")) -}}
{{- $_ := set $template "poolPriorityClassName" (include "trellis.priorityClass" (dict "root" $ "name" "pools")) -}}
{{- end -}}
{{- $volumes := $values.extraVolumes -}}
{{- $mounts := $values.extraVolumeMounts -}}
{{- if and (eq $kind "branch") $.Values.logs.enabled -}}
{{- $files := dict "root" $ "kinds" (list "formats" "patterns") -}}
{{- $volumes = concat $volumes (include "trellis.logs.fileVolumes" $files | fromJsonArray) -}}
{{- $mounts = concat $mounts (include "trellis.logs.fileMounts" $files | fromJsonArray) -}}
{{- with merge (dict) (include "trellis.logs.fileAnnotations" $files | fromJson) $values.podAnnotations -}}{{- $_ := set $template "podAnnotations" . -}}{{- end -}}
{{- end -}}
{{- /* The service names the folder to the worker, where it must be the same. */}}
{{- if and (eq $kind "generation") $.Values.music.models.generator -}}
{{- $volumes = concat $volumes (include "trellis.music.volumes" $ | fromYamlArray) -}}
{{- $mounts = concat $mounts (include "trellis.music.mounts" $ | fromYamlArray) -}}
{{- end -}}
{{- with $.Values.nats.tlsAuthoritySecret -}}
{{- $volumes = append $volumes (dict "name" "nats-tls" "secret" (dict "secretName" .)) -}}
{{- $mounts = append $mounts (dict "name" "nats-tls" "mountPath" "/etc/trellis/nats-tls" "readOnly" true) -}}
{{- end -}}
{{- if and (eq $kind "branch") (include "trellis.rpcTls" (dict "root" $)) -}}
{{- $volumes = append $volumes (dict "name" "rpc-tls" "secret" (dict "secretName" (include "trellis.rpcTls" (dict "root" $)))) -}}
{{- $mounts = append $mounts (dict "name" "rpc-tls" "mountPath" "/etc/trellis/rpc-tls" "readOnly" true) -}}
{{- end -}}
{{- with $volumes -}}{{- $_ := set $template "extraVolumes" . -}}{{- end -}}
{{- with $mounts -}}{{- $_ := set $template "extraVolumeMounts" . -}}{{- end -}}
{{- with $values.extraEnvFrom -}}{{- $_ := set $template "envFrom" . -}}{{- end -}}
{{- $_ := set $templates $kind $template -}}
{{- end -}}
{{- toPrettyJson $templates -}}
{{- end -}}

{{/* Environment of a worker. Takes root and kind. */}}
{{- define "trellis.worker.env" -}}
- name: LOG_FORMAT
  value: json
- name: LOG_LEVEL
  value: {{ (index .root.Values.workers .kind).logLevel | quote }}
{{ include "trellis.env.nats" (dict "root" .root "role" .kind) }}
{{- if eq .kind "search" }}
{{ include "trellis.env.marketplace" .root }}
{{- /* For workers only: a service with this variable would expect a browser in its own image. */}}
{{- with .root.Values.marketplace.render }}
- name: MARKETPLACE_RENDER
  value: {{ . | quote }}
{{- end }}
{{- else if eq .kind "generation" }}
{{ include "trellis.env.files" (dict "root" .root "ofWorkers" true) }}
{{- if .root.Values.music.models.generator }}
- name: MUSIC_MODEL_DEVICE
  value: {{ .root.Values.music.models.device }}
{{- end }}
{{- /* The NATS account of generation workers imports the API of the file store under this prefix. */}}
{{- if and (include "trellis.natsAccounts" .root) (not .root.Values.s3.endpoint) }}
- name: NATS_FILES_API
  value: {{ printf "%s.js" .root.Values.nats.prefix | quote }}
{{- end }}
{{- else }}
{{ include "trellis.env.rpc" .root }}
{{- if .root.Values.logs.enabled }}
{{- include "trellis.env.logFiles" (dict "root" .root "kinds" (list "formats" "patterns")) }}
{{- end }}
{{- end }}
{{- end -}}
