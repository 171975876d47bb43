{{/* Rules that involve several values. Fails with a sentence that names the value to set. */}}
{{- define "trellis.checks" -}}
{{- if not (regexMatch "^[a-z][a-z0-9-]*$" (include "trellis.fullname" .)) }}
{{- fail (printf "The names of Services start with the release's name, so it must start with a letter and contain no dot: choose another than %s, or set fullnameOverride." .Release.Name) }}
{{- end }}
{{- if and .Values.cloud.enabled (not .Values.cloud.existingSecret) }}
{{- fail "cloud.enabled needs cloud.existingSecret: the Secret with the key that signs session tokens." }}
{{- end }}
{{- if and .Values.cloud.licenseUrl (not .Values.cloud.enabled) }}
{{- fail "cloud.licenseUrl needs cloud.enabled: licences are only checked in cloud mode." }}
{{- end }}
{{- if and .Values.s3.endpoint (not .Values.s3.existingSecret) }}
{{- fail "s3.endpoint needs s3.existingSecret: the Secret with the access key." }}
{{- end }}
{{- if and .Values.s3.workers.existingSecret (not .Values.s3.endpoint) }}
{{- fail "s3.workers.existingSecret needs s3.endpoint: without it, files are stored in NATS." }}
{{- end }}
{{- if and .Values.nats.existingSecret (not .Values.nats.url) }}
{{- fail "nats.existingSecret is for servers of your own: set nats.url too. The bundled one takes its token from secrets.existingSecret." }}
{{- end }}
{{- if and .Values.nats.existingSecret (not (or .Values.nats.tokenKey (and .Values.nats.userKey .Values.nats.passwordKey))) }}
{{- fail "nats.existingSecret needs nats.tokenKey, or nats.userKey and nats.passwordKey: the keys to read in it." }}
{{- end }}
{{- if and (not .Values.nats.url) (gt (int .Values.nats.replicas) 1) }}
{{- fail "nats.replicas above 1 needs servers of your own (nats.url): the bundled one is a single server." }}
{{- end }}
{{- if and (or .Values.music.models.stems .Values.music.models.generator) (not .Values.music.models.existingClaim) }}
{{- fail "music.models names a folder: music.models.existingClaim must name the claim of the volume that contains it." }}
{{- end }}
{{- with .Values.logs }}
{{- if and (or .models.embedding .models.anomaly .models.security) (not .models.existingClaim) }}
{{- fail "logs.models names a folder: logs.models.existingClaim must name the claim of the volume that contains it." }}
{{- end }}
{{- range $what := list "bundles" "submit" }}
{{- $receiver := index $.Values.logs $what }}
{{- if and $receiver.existingSecret (not $receiver.endpoint) }}
{{- fail (printf "logs.%s.existingSecret needs logs.%s.endpoint: without it, the token is never sent." $what $what) }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.listings }}
{{- if ne (empty .alerts.smtp.from) (empty .alerts.smtp.existingSecret) }}
{{- fail "listings.alerts.smtp needs both from and existingSecret: a sender, and the Secret with the URL of the mail server." }}
{{- end }}
{{- if and .feedback.existingSecret (not (and .feedback.url .feedback.repository)) }}
{{- fail "listings.feedback.existingSecret needs listings.feedback.url and listings.feedback.repository: the tracker that the token is for." }}
{{- end }}
{{- if and (not .feedback.existingSecret) (or .feedback.url .feedback.repository) }}
{{- fail "listings.feedback needs listings.feedback.existingSecret: the Secret with the token of the tracker." }}
{{- end }}
{{- end }}
{{- if ne (empty .Values.marketplace.notifications.endpoint) (empty .Values.marketplace.notifications.existingSecret) }}
{{- fail "marketplace.notifications needs both endpoint and existingSecret: the registered URL, and the Secret with the verification token." }}
{{- end }}
{{- if not (or .Values.listings.enabled .Values.logs.enabled .Values.music.enabled) }}
{{- fail "One of listings, logs and music must be enabled: an edge alone has nothing to serve." }}
{{- end }}
{{- if and .Values.edge.autoscaling.enabled (gt (int .Values.edge.autoscaling.minReplicas) (int .Values.edge.autoscaling.maxReplicas)) }}
{{- fail "edge.autoscaling.minReplicas must not be above edge.autoscaling.maxReplicas." }}
{{- end }}
{{- if include "trellis.bundledPostgres" . }}
{{- $processes := 0 }}
{{- range $service := list .Values.listings .Values.logs .Values.music }}
{{- if $service.enabled }}{{- $processes = add $processes $service.replicas }}{{- end }}
{{- end }}
{{- $needed := mul $processes .Values.database.connections }}
{{- $admitted := .Values.database.bundled.settings.max_connections | default 100 | int }}
{{- if gt (int $needed) $admitted }}
{{- fail (printf "%d replicas of services with database.connections %d may open %d connections, but the bundled Postgres admits %d: raise database.bundled.settings.max_connections, or lower database.connections." (int $processes) (int .Values.database.connections) (int $needed) $admitted) }}
{{- end }}
{{- end }}
{{- end -}}
