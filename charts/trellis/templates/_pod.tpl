{{/*
The security context of a pod, which conforms to the pod security level "restricted". Takes root, and optionally user: the user that a
bundled server runs as. Ids that are null in the values are omitted, so the cluster chooses them, as OpenShift requires.
*/}}
{{- define "trellis.podSecurity" -}}
{{- $context := deepCopy .root.Values.podSecurityContext -}}
{{- if hasKey . "user" -}}
{{- range $id := list "runAsUser" "runAsGroup" "fsGroup" -}}
{{- if $.user -}}{{- $_ := set $context $id $.user -}}{{- else -}}{{- $_ := unset $context $id -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $fixed := dict "runAsNonRoot" true "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- if hasKey $context "fsGroup" -}}{{- $_ := set $fixed "fsGroupChangePolicy" "OnRootMismatch" -}}{{- end -}}
{{- toYaml (merge $context $fixed) -}}
{{- end -}}

{{- define "trellis.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Scheduling, priority, pull secrets and DNS of a pod. Takes root, component and values. */}}
{{- define "trellis.placement" -}}
{{- with .root.Values.global.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if hasKey .values "topologySpreadConstraints" }}
{{- with .values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- else }}
topologySpreadConstraints:
  {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "trellis.selectorLabels" $ | nindent 8 }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* An init container that waits until the servers named in the environment accept connections. Takes root, env and the resources of the pod's own container. */}}
{{- define "trellis.awaitServers" -}}
- name: await-servers
  image: {{ include "trellis.image" (dict "root" .root "image" dict) }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  command: [node, /app/await-servers.js]
  env:
    {{- regexReplaceAll "\n([ \t]*\n)+" (.env | trim) "\n" | nindent 4 }}
  resources:
    {{- include "trellis.smallResources" .resources | nindent 4 }}
  securityContext:
    {{- include "trellis.containerSecurity" . | nindent 4 }}
{{- end -}}

{{/*
Resources of an init container. It has a limit of CPU if the pod's own container, whose resources it takes, has one: a quota for such limits
demands them of all containers.
*/}}
{{- define "trellis.smallResources" -}}
requests: {cpu: 10m, memory: 48Mi}
limits: {memory: 128Mi{{ with (default dict (default dict .).limits).cpu }}, cpu: {{ . }}{{ end }}}
{{- end -}}

{{/*
A Deployment. Takes root, component, values, entry (its file in the image), env (text), ports, probes (text), and optionally
servers (the part of env that names servers to wait for), serviceAccount, nodeOptions (a list), volumes and mounts (text).
*/}}
{{- define "trellis.deployment" -}}
{{- $values := .values -}}
{{- if and (not .serviceAccount) ($values.serviceAccount).create }}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "trellis.metadata" . | nindent 2 }}
  {{- with $values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
---
{{ end -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "trellis.metadata" . | nindent 2 }}
spec:
  {{- if not (and $values.autoscaling $values.autoscaling.enabled) }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  strategy:
    {{- toYaml ($values.strategy | default (dict "rollingUpdate" (dict "maxSurge" 1 "maxUnavailable" 0))) | nindent 4 }}
  selector:
    matchLabels:
      {{- include "trellis.selectorLabels" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "trellis.labels" . | nindent 8 }}
        {{- with $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- $annotations := merge (dict) (default dict .annotations) (default dict $values.podAnnotations) }}
      {{- with $annotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- if .serviceAccount }}
      serviceAccountName: {{ .serviceAccount }}
      {{- else }}
      {{- if ($values.serviceAccount).create }}
      serviceAccountName: {{ include "trellis.fullname" .root }}-{{ .component }}
      {{- end }}
      automountServiceAccountToken: false
      {{- end }}
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ add $values.preStopSeconds $values.shutdownSeconds 10 }}
      securityContext:
        {{- include "trellis.podSecurity" (dict "root" .root) | nindent 8 }}
      {{- include "trellis.placement" . | nindent 6 }}
      {{- if .servers }}
      initContainers:
        {{- include "trellis.awaitServers" (dict "root" .root "env" .servers "resources" $values.resources) | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ .component }}
          image: {{ include "trellis.image" (dict "root" .root "image" dict) }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          command: {{ concat (list "node") (default list .nodeOptions) (list (printf "/app/%s.js" .entry)) | toJson }}
          env:
            {{- include "trellis.env.common" $values | nindent 12 }}
            {{- regexReplaceAll "\n([ \t]*\n)+" (.env | trim) "\n" | nindent 12 }}
            {{- with $values.extraEnv }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          {{- with $values.extraEnvFrom }}
          envFrom:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          ports:
            {{- range $name, $port := .ports }}
            - {name: {{ $name }}, containerPort: {{ $port }}}
            {{- end }}
            - {name: metrics, containerPort: 9090}
          {{- .probes | trim | nindent 10 }}
          {{- /* Kubernetes before 1.33 rejects a sleep of 0 seconds. */}}
          {{- if $values.preStopSeconds }}
          lifecycle:
            preStop:
              sleep: {seconds: {{ $values.preStopSeconds }}}
          {{- end }}
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          securityContext:
            {{- include "trellis.containerSecurity" . | nindent 12 }}
          terminationMessagePolicy: FallbackToLogsOnError
          volumeMounts:
            - {name: tmp, mountPath: /tmp}
            - {name: data, mountPath: /data}
            {{- if .root.Values.nats.tlsAuthoritySecret }}
            - {name: nats-tls, mountPath: /etc/trellis/nats-tls, readOnly: true}
            {{- end }}
            {{- with include "trellis.rpcTls.mount" . | trim }}
            {{- . | nindent 12 }}
            {{- end }}
            {{- with .mounts }}
            {{- . | trim | nindent 12 }}
            {{- end }}
            {{- with $values.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
      volumes:
        - name: tmp
          emptyDir: {sizeLimit: {{ $values.temporarySize }}}
        - name: data
          emptyDir: {sizeLimit: {{ $values.dataSize }}}
        {{- with .root.Values.nats.tlsAuthoritySecret }}
        - name: nats-tls
          secret: {secretName: {{ . }}}
        {{- end }}
        {{- with include "trellis.rpcTls.volume" . | trim }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- with .volumes }}
        {{- . | trim | nindent 8 }}
        {{- end }}
        {{- with $values.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end -}}

{{/*
Probes of a process that serves gRPC and metrics. It accepts calls once its schema is current and its servers are reachable. The initial
delay covers a usual start, since each failed probe is a Warning event. Kubelets do not support gRPC probes over TLS, so with TLS the
metrics port is probed, which reports ready once calls are accepted.
*/}}
{{- define "trellis.probes.grpc" -}}
{{- $calls := ternary (dict "httpGet" (dict "path" "/ready" "port" "metrics")) (dict "grpc" (dict "port" 9000)) (ne (include "trellis.rpcTls" .) "") -}}
startupProbe:
  {{- toYaml $calls | nindent 2 }}
  initialDelaySeconds: 4
  periodSeconds: 2
  failureThreshold: 150
readinessProbe:
  {{- toYaml $calls | nindent 2 }}
  periodSeconds: 5
  timeoutSeconds: 3
livenessProbe:
  httpGet: {path: /health, port: metrics}
  periodSeconds: 20
  timeoutSeconds: 10
  failureThreshold: 6
{{- end -}}

{{/* A PodDisruptionBudget, for components with several replicas. Takes root, component, values. */}}
{{- define "trellis.disruptionBudget" -}}
{{- $several := or (gt (int .values.replicas) 1) (and .values.autoscaling .values.autoscaling.enabled) -}}
{{- if and $several .values.disruptionBudget.enabled }}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "trellis.metadata" . | nindent 2 }}
spec:
  maxUnavailable: {{ .values.disruptionBudget.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "trellis.selectorLabels" . | nindent 6 }}
{{- end }}
{{- end -}}
