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

/** What a kind asks of its pods beyond the template. */
export type PodOverrides = {
  /** The container's name; `worker` unless told. */
  container?: string
  /** Wins over the template's variables of the same names. */
  env?: readonly EnvironmentVariable[]
  /** Beside `metrics`. */
  ports?: readonly ContainerPort[]
  /** Each request and limit wins over the template's. */
  resources?: Resources
  nodeSelector?: Readonly<Record<string, string>>
  tolerations?: readonly Toleration[]
  volumes?: readonly Volume[]
  volumeMounts?: readonly VolumeMount[]
  /** `Never` unless told: a worker is replaced, not started again. */
  restartPolicy?: PodSpec['restartPolicy']
  /** Group of the volumes' files. */
  fsGroup?: number
  /** Whether the kubelet asks the worker if it is ready; not unless told: a run learns over the bus that its worker has begun. */
  isProbed?: boolean
  readinessProbe?: Probe
  livenessProbe?: Probe
  /** Seconds between being told to end and being ended; 30 unless told. */
  terminationGracePeriodSeconds?: number
}

const metricsPort = 9090

/** What a worker may leave in /tmp, the only place where it can write; a browser's profile fits. */
const temporarySpace = '512Mi'

/**
 * A waiting worker is claimed as soon as it is ready, so it is asked often until it is, for an hour if need be; first when the
 * fastest are. Each time that it is not is an event of type Warning. From then on it stays ready, and is asked rarely: a probe
 * that meets it while it ends would be such an event of a run that went well.
 */
const startup: Probe = {
  httpGet: { path: '/ready', port: 'metrics' },
  initialDelaySeconds: 1,
  periodSeconds: 1,
  timeoutSeconds: 2,
  failureThreshold: 3_600,
}
const readiness: Probe = { ...startup, initialDelaySeconds: 0, periodSeconds: 30, failureThreshold: 1 }

const probes = ({ isProbed = false, readinessProbe }: PodOverrides) => {
  if (readinessProbe) return { readinessProbe }
  return isProbed ? { startupProbe: startup, readinessProbe: readiness } : {}
}

const fromField = (name: string, fieldPath: string): EnvironmentVariable => ({
  name,
  valueFrom: { fieldRef: { fieldPath } },
})

/** Who the pod is and where it serves its metrics: what every worker finds in its environment. */
const ownVariables: readonly EnvironmentVariable[] = [
  fromField('POD_NAME', 'metadata.name'),
  fromField('POD_UID', 'metadata.uid'),
  fromField('POD_NAMESPACE', 'metadata.namespace'),
  { name: 'HOST', value: '0.0.0.0' },
  { name: 'METRICS_PORT', value: String(metricsPort) },
]

/** Later lists win, by name; the order is that of the first mention, so that values may refer to earlier ones. */
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

/** The parts of a template that go into the pod as they are. */
const placement = (template: WorkerTemplate, { nodeSelector, tolerations }: PodOverrides) => {
  const selector = { ...template.nodeSelector, ...nodeSelector }
  const tolerated = [...(template.tolerations ?? []), ...(tolerations ?? [])]
  const { affinity, topologySpreadConstraints, priorityClassName, runtimeClassName } = template
  const { serviceAccountName, imagePullSecrets } = template
  return {
    ...(Object.keys(selector).length > 0 ? { nodeSelector: selector } : {}),
    ...(tolerated.length > 0 ? { tolerations: tolerated } : {}),
    ...(affinity ? { affinity } : {}),
    ...(topologySpreadConstraints ? { topologySpreadConstraints } : {}),
    ...(priorityClassName ? { priorityClassName } : {}),
    ...(runtimeClassName ? { runtimeClassName } : {}),
    ...(serviceAccountName ? { serviceAccountName } : {}),
    ...(imagePullSecrets ? { imagePullSecrets } : {}),
  }
}

/** Volumes with an empty /tmp among them, unless one is mounted there. */
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
 * The spec of a pod with one container. It is let in where the pod security level "restricted" is enforced: no root, no
 * privileges, no writing but to volumes, and no token of the API server, which workers never speak to.
 */
export const podSpec = (template: WorkerTemplate, overrides: PodOverrides = {}): PodSpec => {
  const { volumes, volumeMounts } = storage(template, overrides)
  const resources = mergeResources(template.resources, overrides.resources)
  return {
    restartPolicy: overrides.restartPolicy ?? 'Never',
    terminationGracePeriodSeconds: overrides.terminationGracePeriodSeconds ?? 30,
    automountServiceAccountToken: false,
    // Otherwise every Service of the namespace becomes variables of the environment.
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
        // The last lines of a worker that dies without a word are the best there is to show.
        terminationMessagePolicy: 'FallbackToLogsOnError',
      },
    ],
    volumes,
  }
}

/** The labels and annotations of a pod, the template's below those that the operator relies on. */
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

/** Ten hexadecimal digits that change when anything in it does, but not with the order of its fields. */
export const hashOf = (content: object): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(content)))
    .digest('hex')
    .slice(0, 10)
