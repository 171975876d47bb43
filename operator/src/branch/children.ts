import { type Branch, branches } from '../crds/mod.ts'
import { apiVersionOf, deterministicName, type KubeObject, ownerReference, type Resource } from '../runtime/mod.ts'
import type { Secret } from '../secrets/secret-kind.ts'
import {
  commonLabels,
  type EnvironmentVariable,
  hashOf,
  podMetadata,
  podSpec,
  type WorkerTemplate,
} from '../workers/mod.ts'
import { type Service, type StatefulSet, services, statefulSets } from './child-kinds.ts'
import { namesOf, volumeName } from './names.ts'
import { firstPort } from './port.ts'
import { slugOf } from './slug.ts'

/** Settings shared by all Branches. */
export type BranchSettings = {
  /** Name of the installation. */
  instance: string
  template: WorkerTemplate
  /** Storage class of the volumes; the cluster's default if unset. */
  storageClass?: string
}

const branchLabel = 'trellis.dev/branch'

/** Key in the Secret that holds the senders' API key. */
export const keyName = 'api-key'

/** Pod annotation that changes with the Secret, so that a new key restarts the pod. */
const keyAnnotation = 'trellis.dev/key-version'
/** Hash of the applied object, which reveals fields that were applied once and no longer are. */
const appliedAnnotation = 'trellis.dev/applied'

/**
 * The branch listens on fixed ports in every pod; the configurable port is the Service's. So changing it restarts
 * nothing, and it may be a number that the pod uses for something else.
 */
const httpPort = firstPort
const rpcPort = 9_000
const dataDirectory = '/data'
/** Group of the volume's files, independent of the image's user, unless the template has a security context. */
const fileGroup = 65_532

const fileGroupOf = ({ podSecurityContext }: WorkerTemplate): { fsGroup?: number } =>
  podSecurityContext ?? { fsGroup: fileGroup }

/** Whether its pods have a certificate and accept batches over HTTPS. */
export const hasCertificate = ({ template }: Pick<BranchSettings, 'template'>): boolean =>
  template.env?.some(({ name }) => name === 'RPC_TLS_CERT_FILE') ?? false

/** Slugs may start and end with a hyphen, label values may not. */
const slugLabel = (slug: string): string => (/^[a-z0-9](.*[a-z0-9])?$/.test(slug) ? slug : deterministicName([slug]))

const selectorOf = (branch: Branch, { instance }: BranchSettings): Record<string, string> => ({
  ...commonLabels({ instance, component: 'branch' }),
  [branchLabel]: slugLabel(slugOf(branch)),
})

type ChildMetadata = Pick<KubeObject['metadata'], 'name' | 'namespace' | 'labels' | 'ownerReferences'>

const metadataOf = (branch: Branch, name: string, settings: BranchSettings): ChildMetadata => ({
  name,
  ...(branch.metadata.namespace === undefined ? {} : { namespace: branch.metadata.namespace }),
  labels: selectorOf(branch, settings),
  ownerReferences: [ownerReference(branches, branch)],
})

/** An object to apply, with its kind and a hash of its content. */
export type Applied<T extends KubeObject & { spec?: unknown }> = {
  apiVersion: string
  kind: string
  metadata: ChildMetadata & { annotations: Readonly<Record<string, string>> }
  spec: NonNullable<T['spec']>
}

const applied = <T extends KubeObject & { spec?: unknown }>(
  kind: Resource<T>,
  desired: { metadata: ChildMetadata; spec: NonNullable<T['spec']> },
): Applied<T> => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { ...desired.metadata, annotations: { [appliedAnnotation]: hashOf(desired) } },
  spec: desired.spec,
})

/** Builds the Secret with the senders' API key. */
export const secretFor = (branch: Branch, key: string, settings: BranchSettings) => ({
  metadata: metadataOf(branch, namesOf(branch).secret, settings),
  type: 'Opaque',
  data: { [keyName]: Buffer.from(key).toString('base64') },
})

/** The Service's RPC port for queries: 9000, or the next one if the Branch itself uses 9000. */
export const rpcServicePort = (port: number): number => (port === rpcPort ? rpcPort + 1 : rpcPort)

/**
 * Builds the Service that provides the Branch's address. It has a cluster IP, so that a rescheduled pod is reachable at
 * once.
 */
export const serviceFor = (branch: Branch, port: number, settings: BranchSettings): Applied<Service> =>
  applied(services, {
    metadata: metadataOf(branch, namesOf(branch).service, settings),
    spec: {
      type: 'ClusterIP',
      selector: selectorOf(branch, settings),
      ports: [
        { name: 'http', port, targetPort: 'http', protocol: 'TCP' },
        { name: 'rpc', port: rpcServicePort(port), targetPort: 'rpc', protocol: 'TCP' },
      ],
    },
  })

/** A value without references: the kubelet would replace `$(BRANCH_KEY)` by the key, which would end in entries. */
const literal = (text: string): string => text.replaceAll('$', '$$$$')

const environmentOf = (branch: Branch, settings: BranchSettings): EnvironmentVariable[] => {
  const { tenantId, retentionDays, anonymize } = branch.spec
  return [
    { name: 'BRANCH_SLUG', value: slugOf(branch) },
    { name: 'BRANCH_KEY', valueFrom: { secretKeyRef: { name: namesOf(branch).secret, key: keyName } } },
    ...(tenantId === undefined ? [] : [{ name: 'BRANCH_TENANT_ID', value: literal(tenantId) }]),
    { name: 'BRANCH_RETENTION_DAYS', value: String(retentionDays) },
    { name: 'BRANCH_ANONYMIZE', value: anonymize ? '1' : '0' },
    ...(hasCertificate(settings) ? [{ name: 'BRANCH_TLS', value: '1' }] : []),
    { name: 'PORT', value: String(httpPort) },
    { name: 'RPC_ADDRESS', value: `0.0.0.0:${rpcPort}` },
    { name: 'TRELLIS_DATA_DIR', value: dataDirectory },
  ]
}

/** A claim template is immutable once created: it retains its first values, and the claim itself grows. */
const claimTemplate = (branch: Branch, settings: BranchSettings, live: StatefulSet | undefined) => {
  const made = live?.spec?.volumeClaimTemplates[0]?.spec
  const storage = made?.resources?.requests?.storage ?? String(branch.spec.storage)
  const storageClass = made ? made.storageClassName : settings.storageClass
  return {
    metadata: { name: volumeName, labels: selectorOf(branch, settings) },
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
      resources: { requests: { storage } },
    },
  }
}

/** Identifies a version of a Secret without revealing the key. */
export const keyVersionOf = ({ metadata }: Secret): string =>
  hashOf({ uid: metadata.uid, version: metadata.resourceVersion })

/**
 * Builds the StatefulSet of a Branch: one pod on a volume that outlives it, or none while the Branch is inactive.
 * `live` is the existing StatefulSet; `keyVersion` is the Secret's, so that a new key restarts the pod.
 */
export const statefulSetFor = (
  branch: Branch,
  { keyVersion, live }: { keyVersion: string; live: StatefulSet | undefined },
  settings: BranchSettings,
): Applied<StatefulSet> => {
  const { template } = settings
  const labels = selectorOf(branch, settings)
  const names = namesOf(branch)
  return applied(statefulSets, {
    metadata: metadataOf(branch, names.statefulSet, settings),
    spec: {
      replicas: branch.spec.state === 'Active' ? 1 : 0,
      serviceName: names.service,
      // With OrderedReady, a pod that never becomes ready would not be replaced after its template is fixed.
      podManagementPolicy: 'Parallel',
      // The finalizer decides whether the volume is deleted with the Branch.
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      selector: { matchLabels: labels },
      template: {
        metadata: podMetadata(template, { labels, annotations: { [keyAnnotation]: keyVersion } }),
        spec: podSpec(template, {
          container: 'branch',
          env: environmentOf(branch, settings),
          ports: [
            { name: 'http', containerPort: httpPort, protocol: 'TCP' },
            { name: 'rpc', containerPort: rpcPort, protocol: 'TCP' },
          ],
          restartPolicy: 'Always',
          ...fileGroupOf(template),
          isProbed: true,
          volumeMounts: [{ name: volumeName, mountPath: dataDirectory }],
        }),
      },
      volumeClaimTemplates: [claimTemplate(branch, settings, live)],
    },
  })
}
