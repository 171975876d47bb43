import { type CacheOptions, type KubeObject, resource } from '../runtime/mod.ts'
import { label, type PodSpec } from '../workers/mod.ts'

type PodTemplate = {
  metadata: { labels: Record<string, string>; annotations: Record<string, string> }
  spec: PodSpec
}

export type Claim = KubeObject & {
  spec?: {
    accessModes?: readonly string[]
    storageClassName?: string
    resources?: { requests?: { storage?: string } }
  }
  status?: {
    phase?: string
    capacity?: { storage?: string }
    /** The progress of an expansion, absent without one. */
    allocatedResourceStatuses?: { storage?: string }
    conditions?: readonly { type: string; status: string; message?: string }[]
  }
}

export type StatefulSet = KubeObject & {
  spec?: {
    replicas: number
    serviceName: string
    podManagementPolicy: 'Parallel'
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain'; whenScaled: 'Retain' }
    selector: { matchLabels: Record<string, string> }
    template: PodTemplate
    volumeClaimTemplates: readonly {
      metadata: { name: string; labels: Record<string, string> }
      spec: NonNullable<Claim['spec']>
    }[]
  }
  status?: {
    observedGeneration?: number
    readyReplicas?: number
    updateRevision?: string
  }
}

export type Service = KubeObject & {
  spec?: {
    type: 'ClusterIP'
    /** Assigned by the API server. */
    clusterIP?: string
    selector: Record<string, string>
    ports: readonly { name: string; port: number; targetPort: string; protocol: 'TCP'; appProtocol?: string }[]
  }
}

const core = { group: '', version: 'v1', namespaced: true }

export const statefulSets = resource<StatefulSet>({
  group: 'apps',
  version: 'v1',
  plural: 'statefulsets',
  kind: 'StatefulSet',
  namespaced: true,
})
export const services = resource<Service>({ ...core, plural: 'services', kind: 'Service' })
export const claims = resource<Claim>({ ...core, plural: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim' })

/** Selects only what the operator created for the branches of an installation. */
const selector = (instance: string): string =>
  [`${label.managedBy}=trellis-operator`, `${label.component}=branch`, `${label.instance}=${instance}`].join(',')

export type CacheScope = { instance: string; namespace?: string }

/** Cache options of these kinds. */
export const childCache = <T extends KubeObject>({ instance, namespace }: CacheScope): CacheOptions<T> => ({
  selection: { labelSelector: selector(instance), ...(namespace === undefined ? {} : { namespace }) },
})
