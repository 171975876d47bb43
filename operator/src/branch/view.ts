import { isIPv6 } from 'node:net'
import type { Branch as BranchMessage } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import type { Branch } from '../crds/mod.ts'
import { type BranchSettings, hasCertificate, rpcServicePort } from './children.ts'
import { type BranchStores, childKey, podOf } from './dependencies.ts'
import { namesOf } from './names.ts'
import { podConditionOf } from './pod-condition.ts'
import { slugOf } from './slug.ts'

/** A Branch as services see it. Without a port (0) it has no addresses. */
export const viewOf = (
  branch: Branch,
  stores: BranchStores,
  settings: Pick<BranchSettings, 'template'>,
): BranchMessage => {
  const { spec, status, metadata } = branch
  const names = namesOf(branch)
  const pod = podOf(stores, branch, stores.statefulSets.get(childKey(branch, names.statefulSet)))
  const host = `${names.service}.${metadata.namespace}.svc`
  const { port = 0 } = status
  // Use the IP, because the cluster's DNS caches negative responses for names queried before the Service existed.
  const ip = stores.services.get(childKey(branch, names.service))?.spec?.clusterIP
  const httpHost = ip === undefined ? host : isIPv6(ip) ? `[${ip}]` : ip
  return {
    slug: slugOf(branch),
    label: spec.label ?? slugOf(branch),
    tenantId: spec.tenantId,
    active: spec.state === 'Active',
    ready: spec.state === 'Active' && podConditionOf(pod).kind === 'ready',
    port,
    httpAddress: port === 0 ? '' : `${hasCertificate(settings) ? 'https' : 'http'}://${httpHost}:${port}`,
    rpcAddress: port === 0 ? '' : `${host}:${rpcServicePort(port)}`,
    dataDir: `volume claim ${names.claim}`,
    createdAt: metadata.creationTimestamp ?? '',
    retentionDays: spec.retentionDays,
    anonymize: spec.anonymize,
    entryCount: status.entryCount,
    lastSeen: status.lastSeen,
  }
}
