import { createHash } from 'node:crypto'
import type {
  ContainerPort,
  EnvironmentVariable,
  PodSpec,
  Probe,
  Resources,
  Toleration,
  Volume,
  VolumeMount,
} from './pod-spec.ts'
import type { WorkerTemplate } from './templates.ts'

/** Overrides of the template for a kind's pods. */
export type PodOverrides = {
  /** The container's name; `worker` by default. */
  container?: string
  /** Override the template's variables of the same names. */
  env?: readonly EnvironmentVariable[]
  /** Besides `metrics`. */
  ports?: readonly ContainerPort[]
  /** Each request and limit overrides the template's. */
  resources?: Resources
  nodeSelector?: Readonly<Record<string, string>>
  tolerations?: readonly Toleration[]
  volumes?: readonly Volume[]
  volumeMounts?: readonly VolumeMount[]
  /** `Never` by default: a worker is replaced, not restarted. */
  restartPolicy?: PodSpec['restartPolicy']
  /** Group of the volumes' files. */
  fsGroup?: number
  /**
   * Whether the kubelet probes readiness; false by default, since a run learns over the bus that its worker has
   * started.
   */
  isProbed?: boolean
  readinessProbe?: Probe
  livenessProbe?: Probe
  /** Seconds between SIGTERM and SIGKILL; 30 by default. */
  terminationGracePeriodSeconds?: number
}

const metricsPort = 9090

/** Size limit of /tmp, the only writable place; a browser's profile fits. */
const temporarySpace = '512Mi'

/**
 * An idle worker is claimable as soon as it is ready, so it is probed every second until then, for up to an hour; the
 * first probe comes when the fastest workers are ready. Each failed probe is a Warning event. Afterwards the worker
 * stays ready and is probed rarely: a probe during its exit would record such an event for a successful run.
 */
const ready: Probe = { httpGet: { path: '/ready', port: 'metrics' }, timeoutSeconds: 2 }
const startup: Probe = { ...ready, initialDelaySeconds: 1, periodSeconds: 1, failureThreshold: 3_600 }
const readiness: Probe = { ...ready, periodSeconds: 30, failureThreshold: 1 }

const probes = ({ isProbed = false, readinessProbe }: PodOverrides) => {
  if (readinessProbe) return { readinessProbe }
  return isProbed ? { startupProbe: startup, readinessProbe: readiness } : {}
}

const fromField = (name: string, fieldPath: string): EnvironmentVariable => ({
  name,
  valueFrom: { fieldRef: { fieldPath } },
})

/** Environment of every worker: the pod's identity and the address of its metrics. */
const ownVariables: readonly EnvironmentVariable[] = [
  fromField('POD_NAME', 'metadata.name'),
  fromField('POD_UID', 'metadata.uid'),
  fromField('POD_NAMESPACE', 'metadata.namespace'),
  { name: 'HOST', value: '0.0.0.0' },
  { name: 'METRICS_PORT', value: String(metricsPort) },
]

/**
 * Later lists override earlier ones by name; the order is that of the first occurrence, so that values may refer to
 * earlier variables.
 */
const mergeVariables = (...lists: readonly (readonly EnvironmentVariable[])[]): EnvironmentVariable[] => [
  ...new Map(lists.flat().map((variable) => [variable.name, variable])).values(),
]

const mergeResources = (base: Resources = {}, overrides: Resources = {}): Resources | undefined => {
  const requests = { ...base.requests, ...overrides.requests }
  const limits = { ...base.limits, ...overrides.limits }
  const merged = {
    ...(Object.keys(requests).length > 0 ? { requests } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  }
  return Object.keys(merged).length > 0 ? merged : undefined
}

/** The template's scheduling, name resolution and account fields, merged with the overrides. */
const placement = (template: WorkerTemplate, { nodeSelector, tolerations }: PodOverrides) => {
  const selector = { ...template.nodeSelector, ...nodeSelector }
  const tolerated = [...(template.tolerations ?? []), ...(tolerations ?? [])]
  const { affinity, topologySpreadConstraints, priorityClassName, runtimeClassName } = template
  const { hostAliases, dnsConfig, serviceAccountName, imagePullSecrets } = template
  return {
    ...(Object.keys(selector).length > 0 ? { nodeSelector: selector } : {}),
    ...(tolerated.length > 0 ? { tolerations: tolerated } : {}),
    ...(affinity ? { affinity } : {}),
    ...(topologySpreadConstraints ? { topologySpreadConstraints } : {}),
    ...(priorityClassName ? { priorityClassName } : {}),
    ...(runtimeClassName ? { runtimeClassName } : {}),
    ...(hostAliases ? { hostAliases } : {}),
    ...(dnsConfig ? { dnsConfig } : {}),
    ...(serviceAccountName ? { serviceAccountName } : {}),
    ...(imagePullSecrets ? { imagePullSecrets } : {}),
  }
}

/** Volumes plus an empty /tmp, unless one is mounted there. */
const storage = (template: WorkerTemplate, overrides: PodOverrides) => {
  const volumes = [...(template.extraVolumes ?? []), ...(overrides.volumes ?? [])]
  const volumeMounts = [...(template.extraVolumeMounts ?? []), ...(overrides.volumeMounts ?? [])]
  if (volumeMounts.some(({ mountPath }) => mountPath === '/tmp')) return { volumes, volumeMounts }
  return {
    volumes: [{ name: 'tmp', emptyDir: { sizeLimit: temporarySpace } }, ...volumes],
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }, ...volumeMounts],
  }
}

/**
 * Builds the spec of a pod with one container. It satisfies the pod security level "restricted": no root, no
 * privileges, no writes except to volumes, and no API server token, which workers never use.
 */
export const podSpec = (template: WorkerTemplate, overrides: PodOverrides = {}): PodSpec => {
  const { volumes, volumeMounts } = storage(template, overrides)
  const resources = mergeResources(template.resources, overrides.resources)
  return {
    restartPolicy: overrides.restartPolicy ?? 'Never',
    terminationGracePeriodSeconds: overrides.terminationGracePeriodSeconds ?? 30,
    automountServiceAccountToken: false,
    // Otherwise every Service of the namespace becomes environment variables.
    enableServiceLinks: false,
    securityContext: {
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
      ...(overrides.fsGroup === undefined ? {} : { fsGroup: overrides.fsGroup, fsGroupChangePolicy: 'OnRootMismatch' }),
    },
    ...placement(template, overrides),
    containers: [
      {
        name: overrides.container ?? 'worker',
        image: template.image,
        ...(template.imagePullPolicy ? { imagePullPolicy: template.imagePullPolicy } : {}),
        command: template.command,
        env: mergeVariables(ownVariables, template.env ?? [], ownVariables, overrides.env ?? []),
        ...(template.envFrom ? { envFrom: template.envFrom } : {}),
        ports: [{ name: 'metrics', containerPort: metricsPort }, ...(overrides.ports ?? [])],
        ...(resources ? { resources } : {}),
        volumeMounts,
        ...probes(overrides),
        ...(overrides.livenessProbe ? { livenessProbe: overrides.livenessProbe } : {}),
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        // The last log lines are the best available message of a worker that dies without one.
        terminationMessagePolicy: 'FallbackToLogsOnError',
      },
    ],
    volumes,
  }
}

/** Merges labels and annotations; those that the operator relies on override the template's. */
export const podMetadata = (
  template: WorkerTemplate,
  { labels, annotations }: { labels: Readonly<Record<string, string>>; annotations?: Readonly<Record<string, string>> },
): { labels: Record<string, string>; annotations: Record<string, string> } => ({
  labels: { ...template.podLabels, ...labels },
  annotations: { ...template.podAnnotations, ...annotations },
})

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  )
}

/** A hash of ten hexadecimal digits that is independent of the order of fields. */
export const hashOf = (content: object): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(content)))
    .digest('hex')
    .slice(0, 10)
