{{/* The Secret with the certificate for calls between pods, or nothing if they are not encrypted. Takes root. */}}
{{- define "trellis.rpcTls" -}}
{{- $tls := .root.Values.rpc.tls -}}
{{- if $tls.existingSecret -}}{{ $tls.existingSecret }}{{- else if $tls.issuerRef.name -}}{{ include "trellis.fullname" .root }}-rpc-tls{{- end -}}
{{- end -}}

{{/* The name in every certificate, which clients verify instead of the host: services and branches have many host names. Takes root. */}}
{{- define "trellis.rpcTls.name" -}}
{{- include "trellis.fullname" .root }}.{{ .root.Release.Namespace }}.svc
{{- end -}}

{{- define "trellis.rpcTls.env" -}}
{{- if include "trellis.rpcTls" . }}
{{- range $variable, $file := dict "RPC_TLS_CERT_FILE" "tls.crt" "RPC_TLS_KEY_FILE" "tls.key" "RPC_TLS_CA_FILE" "ca.crt" }}
- name: {{ $variable }}
  value: /etc/trellis/rpc-tls/{{ $file }}
{{- end }}
- name: RPC_TLS_SERVER_NAME
  value: {{ include "trellis.rpcTls.name" . }}
{{- end }}
{{- end -}}

{{- define "trellis.rpcTls.mount" -}}
{{- if and (include "trellis.rpcTls" .) (ne .component "demo-marketplace") }}
- {name: rpc-tls, mountPath: /etc/trellis/rpc-tls, readOnly: true}
{{- end }}
{{- end -}}

{{- define "trellis.rpcTls.volume" -}}
{{- if and (include "trellis.rpcTls" .) (ne .component "demo-marketplace") }}
- name: rpc-tls
  secret: {secretName: {{ include "trellis.rpcTls" . }}}
{{- end }}
{{- end -}}
