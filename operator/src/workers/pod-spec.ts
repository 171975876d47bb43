/** The parts of `core/v1` that the operator writes. Fields merely passed through from a template are left untyped. */

export type EnvironmentVariable = { name: string; value?: string; valueFrom?: object }

export type Quantities = Readonly<Record<string, string | number>>

export type Resources = { requests?: Quantities; limits?: Quantities }

export type Volume = { name: string } & Readonly<Record<string, unknown>>

export type VolumeMount = { name: string; mountPath: string; readOnly?: boolean } & Readonly<Record<string, unknown>>

export type Toleration = Readonly<Record<string, unknown>>

export type ContainerPort = { name: string; containerPort: number; protocol?: 'TCP' | 'UDP' }

export type Probe = {
  httpGet: { path: string; port: string | number }
  initialDelaySeconds?: number
  periodSeconds?: number
  timeoutSeconds?: number
  failureThreshold?: number
}

export type Container = {
  name: string
  image: string
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  command: readonly string[]
  env: readonly EnvironmentVariable[]
  envFrom?: readonly object[]
  ports: readonly ContainerPort[]
  resources?: Resources
  volumeMounts: readonly VolumeMount[]
  readinessProbe?: Probe
  livenessProbe?: Probe
  startupProbe?: Probe
  securityContext: object
  terminationMessagePolicy: 'File' | 'FallbackToLogsOnError'
}

export type PodSpec = {
  containers: readonly Container[]
  volumes: readonly Volume[]
  restartPolicy: 'Always' | 'OnFailure' | 'Never'
  terminationGracePeriodSeconds: number
  automountServiceAccountToken: boolean
  enableServiceLinks: boolean
  securityContext: object
  serviceAccountName?: string
  imagePullSecrets?: readonly { name: string }[]
  nodeSelector?: Readonly<Record<string, string>>
  tolerations?: readonly Toleration[]
  affinity?: object
  topologySpreadConstraints?: readonly object[]
  priorityClassName?: string
  runtimeClassName?: string
  hostAliases?: readonly object[]
  dnsConfig?: object
  /** Set by the scheduler. */
  nodeName?: string
  /** Gates that block scheduling of the pod. */
  schedulingGates?: readonly { name: string }[]
}
