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

/** What every Branch is made from. */
export type BranchSettings = {
  /** Name of the installation. */
  instance: string
  template: WorkerTemplate
  /** Of the volumes; the cluster's default unless told. */
  storageClass?: string
}

const branchLabel = 'trellis.dev/branch'

/** Where the Secret has the key for senders. */
export const keyName = 'api-key'

/** Tells a pod template apart from the one before where the Secret is another. */
const keyAnnotation = 'trellis.dev/key-version'
/** What was applied, in short: finds what was asked for once and is not any more. */
const appliedAnnotation = 'trellis.dev/applied'

/**
 * The branch listens on the same ports in every pod; the port that people see is the Service's. So a change of it restarts
 * nothing, and it may be a number that the pod uses for something else.
 */
const httpPort = firstPort
const rpcPort = 9_000
const dataDirectory = '/data'
/** The group of the volume's files, whoever the image runs as, where the template has no security context. */
const fileGroup = 65_532

const fileGroupOf = ({ podSecurityContext }: WorkerTemplate): { fsGroup?: number } =>
  podSecurityContext ?? { fsGroup: fileGroup }

/** Whether its pods have a certificate, with which they take batches over HTTPS. */
export const hasCertificate = ({ template }: Pick<BranchSettings, 'template'>): boolean =>
  template.env?.some(({ name }) => name === 'RPC_TLS_CERT_FILE') ?? false

/** Slugs may begin and end with a hyphen, values of labels may not. */
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

/** An object as it is applied: what kind it is, and a mark of all that was asked for. */
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

/** The Secret that holds a key for senders. */
export const secretFor = (branch: Branch, key: string, settings: BranchSettings) => ({
  metadata: metadataOf(branch, namesOf(branch).secret, settings),
  type: 'Opaque',
  data: { [keyName]: Buffer.from(key).toString('base64') },
})

/** The port of the Service under which a Branch is searched: one beside its own. */
export const rpcServicePort = (port: number): number => (port === rpcPort ? rpcPort + 1 : rpcPort)

/** The Service that gives a Branch its address. It has an IP of its own, so that a pod that moves is found at once. */
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

const environmentOf = (branch: Branch, settings: BranchSettings): EnvironmentVariable[] => {
  const { tenantId, retentionDays, anonymize } = branch.spec
  return [
    { name: 'BRANCH_SLUG', value: slugOf(branch) },
    { name: 'BRANCH_KEY', valueFrom: { secretKeyRef: { name: namesOf(branch).secret, key: keyName } } },
    ...(tenantId === undefined ? [] : [{ name: 'BRANCH_TENANT_ID', value: tenantId }]),
    { name: 'BRANCH_RETENTION_DAYS', value: String(retentionDays) },
    { name: 'BRANCH_ANONYMIZE', value: anonymize ? '1' : '0' },
    ...(hasCertificate(settings) ? [{ name: 'BRANCH_TLS', value: '1' }] : []),
    { name: 'PORT', value: String(httpPort) },
    { name: 'RPC_ADDRESS', value: `0.0.0.0:${rpcPort}` },
    { name: 'TRELLIS_DATA_DIR', value: dataDirectory },
  ]
}

/** A claim's template is fixed once it is made: what it says then is what it goes on to say, and the claim itself is what grows. */
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

/** What tells one version of a Secret from another without telling the key. */
export const keyVersionOf = ({ metadata }: Secret): string =>
  hashOf({ uid: metadata.uid, version: metadata.resourceVersion })

/**
 * The StatefulSet of a Branch: one pod on a volume that outlives it, or none while the Branch is inactive. `live` is the one
 * that is there; `keyVersion` is the Secret's, so that a new key restarts the pod.
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
      // In order, a pod that never becomes ready would not be replaced by one of a mended template.
      podManagementPolicy: 'Parallel',
      // Whether the volume goes with the Branch is decided when the Branch goes, by its finalizer.
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
