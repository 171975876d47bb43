{{/* A variable from a Secret. Takes name, secret, key, optional. */}}
{{- define "trellis.fromSecret" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
      {{- if .optional }}
      optional: true
      {{- end }}
{{- end -}}

{{/* Authentication and encryption of calls between processes. */}}
{{- define "trellis.env.rpc" -}}
{{ include "trellis.fromSecret" (dict "name" "RPC_SECRET" "secret" (include "trellis.secretName" .) "key" "rpc-secret") }}
{{- include "trellis.rpcTls.env" (dict "root" .) }}
{{- end -}}

{{/* The NATS servers and the credentials of a role. Takes root and role. */}}
{{- define "trellis.env.nats" -}}
{{- $nats := .root.Values.nats -}}
{{- $credentials := index $nats.roles .role | default $nats -}}
- name: NATS_URL
  value: {{ $nats.url | default (printf "nats://%s:4222" (include "trellis.host" (dict "root" .root "component" "nats"))) | quote }}
{{- if include "trellis.natsAccounts" .root }}
- name: NATS_USER
  value: {{ .role }}
{{ include "trellis.fromSecret" (dict "name" "NATS_PASSWORD" "secret" (include "trellis.secretName" .root) "key" (printf "nats-%s" .role)) }}
{{- else if include "trellis.bundledNats" .root }}
{{ include "trellis.fromSecret" (dict "name" "NATS_TOKEN" "secret" (include "trellis.secretName" .root) "key" "nats-token") }}
{{- else if $credentials.existingSecret }}
{{- range $name, $key := dict "NATS_TOKEN" $credentials.tokenKey "NATS_USER" $credentials.userKey "NATS_PASSWORD" $credentials.passwordKey }}
{{- if $key }}
{{ include "trellis.fromSecret" (dict "name" $name "secret" $credentials.existingSecret "key" $key) }}
{{- end }}
{{- end }}
{{- end }}
- name: NATS_PREFIX
  value: {{ $nats.prefix | quote }}
- name: NATS_REPLICAS
  value: {{ $nats.replicas | quote }}
{{- with $nats.streamMegabytes }}
- name: NATS_STREAM_MB
  value: {{ . | int64 | quote }}
{{- end }}
{{- if $nats.tlsAuthoritySecret }}
- name: NATS_TLS_CA_FILE
  value: /etc/trellis/nats-tls/ca.crt
{{- end }}
{{- end -}}

{{/* The object storage for files, if they are not stored in NATS. Takes root, and ofWorkers for the access key of workers. */}}
{{- define "trellis.env.files" -}}
{{- $ofWorkers := .ofWorkers -}}
{{- with .root.Values.s3 -}}
{{- if .endpoint }}
- name: S3_ENDPOINT
  value: {{ .endpoint | quote }}
- name: S3_REGION
  value: {{ .region | quote }}
- name: S3_BUCKET
  value: {{ .bucket | quote }}
- name: S3_PREFIX
  value: {{ .prefix | quote }}
- name: S3_PATH_STYLE
  value: {{ ternary "1" "0" .pathStyle | quote }}
- name: S3_CHECKSUMS
  value: {{ ternary "1" "0" .checksums | quote }}
{{ include "trellis.env.s3Keys" (dict "from" (ternary .workers . (and (not (empty $ofWorkers)) (not (empty .workers.existingSecret)))) "prefix" "") }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The access key of the workers that a service starts, if they have one of their own. */}}
{{- define "trellis.env.workerFiles" -}}
{{- with .Values.s3 -}}
{{- if and .endpoint .workers.existingSecret }}
{{ include "trellis.env.s3Keys" (dict "from" .workers "prefix" "WORKER_") }}
{{- end }}
{{- end }}
{{- end -}}

{{/* An access key. Takes from, the values with its Secret, and prefix, that of the variables. */}}
{{- define "trellis.env.s3Keys" -}}
{{ include "trellis.fromSecret" (dict "name" (printf "%sS3_ACCESS_KEY_ID" .prefix) "secret" .from.existingSecret "key" .from.accessKeyIdKey) }}
{{ include "trellis.fromSecret" (dict "name" (printf "%sS3_SECRET_ACCESS_KEY" .prefix) "secret" .from.existingSecret "key" .from.secretAccessKeyKey) }}
{{- end -}}

{{/* The Postgres database. */}}
{{- define "trellis.env.database" -}}
{{- if include "trellis.bundledPostgres" . -}}
{{ include "trellis.fromSecret" (dict "name" "POSTGRES_PASSWORD" "secret" (include "trellis.secretName" .) "key" "postgres-password") }}
- name: DATABASE_URL
  value: {{ printf "postgresql://trellis:$(POSTGRES_PASSWORD)@%s-postgres:5432/trellis" (include "trellis.fullname" .) }}
{{- else -}}
{{ include "trellis.fromSecret" (dict "name" "DATABASE_URL" "secret" .Values.database.existingSecret "key" .Values.database.urlKey) }}
{{- end }}
- name: DATABASE_CONNECTIONS
  value: {{ .Values.database.connections | quote }}
{{- end -}}

{{/* Separate databases of the log service for incidents and context. */}}
{{- define "trellis.env.stores" -}}
{{- if .Values.logs.stores.existingSecret }}
{{- range $name := list "SERVICE_INCIDENTS_DB" "SERVICE_CONTEXT_DB" }}
{{ include "trellis.fromSecret" (dict "name" $name "secret" $.Values.logs.stores.existingSecret "key" $name "optional" true) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The marketplace, for the service and for its workers. */}}
{{- define "trellis.env.marketplace" -}}
{{- $marketplace := .Values.marketplace -}}
{{- if include "trellis.demo" . -}}
- name: MARKETPLACE_DEMO_URL
  value: http://{{ include "trellis.host" (dict "root" . "component" "demo-marketplace") }}:8080
{{- else }}
{{- range $name, $value := dict "MARKETPLACE_BASE_URL" $marketplace.baseUrl "MARKETPLACE_API_URL" $marketplace.apiUrl }}
{{- if $value }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $value := dict "MARKETPLACE_PLATFORM" $marketplace.platform "MARKETPLACE_ENV" $marketplace.environment "MARKETPLACE_SITE_ID" $marketplace.siteId "MARKETPLACE_PROFILE_URL" $marketplace.profileUrl "MARKETPLACE_CURRENCY" $marketplace.currency "MARKETPLACE_USER_AGENT" $marketplace.userAgent "MARKETPLACE_AFFILIATE_CAMPAIGN_ID" $marketplace.affiliateCampaign }}
{{- if $value }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
- name: MARKETPLACE_REQUEST_GAP_MS
  value: {{ $marketplace.requestGapMilliseconds | quote }}
{{- if $marketplace.existingSecret }}
{{- range $name := list "MARKETPLACE_APP_ID" "MARKETPLACE_CERT_ID" "MARKETPLACE_SANDBOX_APP_ID" "MARKETPLACE_SANDBOX_CERT_ID" }}
{{ include "trellis.fromSecret" (dict "name" $name "secret" $marketplace.existingSecret "key" $name "optional" true) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Settings of the listings service that its workers do not need. */}}
{{- define "trellis.env.listings" -}}
{{- $listings := .Values.listings -}}
{{- $notifications := .Values.marketplace.notifications -}}
- name: MARKETPLACE_PHOTO_GAP_MS
  value: {{ .Values.marketplace.photoGapMilliseconds | quote }}
- name: LISTINGS_PHOTO_WAIT_SECONDS
  value: {{ $listings.photoWaitSeconds | quote }}
- name: LISTINGS_USER_SEARCHES
  value: {{ $listings.searchesPerUser | quote }}
- name: LISTINGS_MONITORS_AT_ONCE
  value: {{ $listings.monitorsAtOnce | quote }}
- name: LISTINGS_RETENTION_DAYS
  value: {{ $listings.retention.days | quote }}
- name: LISTINGS_GUEST_RETENTION_DAYS
  value: {{ $listings.retention.guestDays | quote }}
- name: LISTINGS_USER_LISTINGS
  value: {{ $listings.retention.listingsPerUser | int | quote }}
{{- if kindIs "bool" $listings.alerts.privateAddresses }}
- name: LISTINGS_ALERT_PRIVATE_ADDRESSES
  value: {{ ternary "1" "0" $listings.alerts.privateAddresses | quote }}
{{- end }}
{{- with $listings.alerts.smtp }}
{{- if .existingSecret }}
- name: SMTP_FROM
  value: {{ .from | quote }}
{{ include "trellis.fromSecret" (dict "name" "SMTP_URL" "secret" .existingSecret "key" .urlKey) }}
{{- end }}
{{- end }}
{{- with $listings.feedback }}
{{- if .existingSecret }}
- name: ISSUE_TRACKER_URL
  value: {{ .url | quote }}
- name: ISSUE_TRACKER_REPO
  value: {{ .repository | quote }}
- name: ISSUE_TRACKER_KIND
  value: {{ .kind | quote }}
{{ include "trellis.fromSecret" (dict "name" "ISSUE_TRACKER_API_TOKEN" "secret" .existingSecret "key" .tokenKey) }}
{{- end }}
{{- end }}
{{- with $listings.community }}
{{- if .existingSecret }}
{{ include "trellis.fromSecret" (dict "name" "COMMUNITY_DB_URL" "secret" .existingSecret "key" .urlKey) }}
{{- end }}
{{- end }}
{{- if $notifications.existingSecret }}
- name: MARKETPLACE_NOTIFICATION_ENDPOINT
  value: {{ $notifications.endpoint | quote }}
- name: MARKETPLACE_WEBHOOK_VERIFY_SIGNATURES
  value: {{ ternary "1" "0" $notifications.verifySignatures | quote }}
{{ include "trellis.fromSecret" (dict "name" "MARKETPLACE_NOTIFICATION_TOKEN" "secret" $notifications.existingSecret "key" $notifications.tokenKey) }}
{{- end }}
{{- if .Values.cloud.enabled }}
- name: CLOUD_MODE
  value: "1"
{{- end }}
{{- if $listings.demoMode }}
- name: DEMO_MODE
  value: "1"
{{- end }}
{{- end -}}

{{/* Keys that callers of the log service need: from keys.existingSecret, or else the generated API key. */}}
{{- define "trellis.env.keys" -}}
{{- if .Values.keys.existingSecret }}
{{- range $name := list "SERVICE_API_KEY" "SERVICE_ORCHARD_ADMIN_KEY" "SERVICE_BRANCH_KEY" }}
{{ include "trellis.fromSecret" (dict "name" $name "secret" $.Values.keys.existingSecret "key" $name "optional" (or (ne $name "SERVICE_API_KEY") $.Values.keys.optional)) }}
{{- end }}
{{- else }}
{{ include "trellis.fromSecret" (dict "name" "SERVICE_API_KEY" "secret" (include "trellis.secretName" .) "key" "api-key" "optional" (and .Values.keys.optional (ne .Values.secrets.existingSecret ""))) }}
{{- end }}
{{- end -}}

{{/* The encryption key of secret settings of the log service. Without it in an existing Secret, no secret settings can be stored. */}}
{{- define "trellis.env.settings" -}}
{{ include "trellis.fromSecret" (dict "name" "SERVICE_SETTINGS_KEY" "secret" (include "trellis.secretName" .) "key" "settings-key" "optional" true) }}
{{- end -}}

{{/* A chat-completions server. */}}
{{- define "trellis.env.llm" -}}
{{- if .Values.llm.baseUrl }}
- name: LLM_BASE_URL
  value: {{ .Values.llm.baseUrl | quote }}
- name: LLM_MODEL
  value: {{ .Values.llm.model | quote }}
{{- if .Values.llm.existingSecret }}
{{ include "trellis.fromSecret" (dict "name" "LLM_API_KEY" "secret" .Values.llm.existingSecret "key" .Values.llm.apiKeyKey) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Cloud mode: callers are identified by session tokens. */}}
{{- define "trellis.env.cloud" -}}
{{- if .Values.cloud.enabled }}
- name: CLOUD_MODE
  value: "1"
{{ include "trellis.fromSecret" (dict "name" "GATEWAY_JWT_SECRET" "secret" .Values.cloud.existingSecret "key" .Values.cloud.jwtSecretKey) }}
{{- if .Values.cloud.licenseUrl }}
- name: LICENSE_URL
  value: {{ .Values.cloud.licenseUrl | quote }}
{{ include "trellis.fromSecret" (dict "name" "LICENSE_TOKEN" "secret" .Values.cloud.existingSecret "key" .Values.cloud.licenseTokenKey) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Settings of every server process. Takes the values of the component. */}}
{{- define "trellis.env.common" -}}
- name: HOST
  value: 0.0.0.0
- name: METRICS_PORT
  value: "9090"
- name: LOG_FORMAT
  value: json
- name: LOG_LEVEL
  value: {{ .logLevel | quote }}
- name: SHUTDOWN_SECONDS
  value: {{ .shutdownSeconds | quote }}
{{- end -}}
