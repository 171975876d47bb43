import type { Branch, BranchSpec, BranchStatus } from '../crds/mod.ts'
import type { WorkerTemplate } from '../workers/mod.ts'
import type { BranchSettings } from './children.ts'

/** A Branch as the API server returns it, with defaults. */
export const branchObject = (
  name: string,
  {
    spec = {},
    status = {},
    created = '2026-01-01T00:00:00Z',
  }: { spec?: Partial<BranchSpec>; status?: Partial<BranchStatus>; created?: string } = {},
): Branch => ({
  apiVersion: 'trellis.dev/v1alpha1',
  kind: 'Branch',
  metadata: {
    name,
    namespace: 'farm',
    uid: `uid-of-${name}`,
    resourceVersion: '1',
    generation: 3,
    creationTimestamp: created,
  },
  spec: { state: 'Active', storage: '1Gi', retentionDays: 30, anonymize: false, label: name, ...spec },
  status: { observedGeneration: -1, ...status },
})

export const template: WorkerTemplate = {
  image: 'example.test/trellis-branch:1',
  command: ['node', 'branch.js'],
  env: [{ name: 'NATS_URL', value: 'nats://nats:4222' }],
  resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
}

export const settings: BranchSettings = { instance: 'home', template }
