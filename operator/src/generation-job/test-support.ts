import type { GenerationJob, GenerationJobSpec, GenerationJobStatus } from '../crds/mod.ts'
import type { WorkerTemplate } from '../workers/mod.ts'

/** A GenerationJob as the API server returns it, with defaults. */
export const generationObject = (
  spec: Partial<GenerationJobSpec> = {},
  { status = {}, labels = {} }: { status?: Partial<GenerationJobStatus>; labels?: Record<string, string> } = {},
): GenerationJob => ({
  apiVersion: 'trellis.dev/v1alpha1',
  kind: 'GenerationJob',
  metadata: { name: 'song', namespace: 'studio', uid: 'uid-of-song', resourceVersion: '1', generation: 1, labels },
  spec: {
    chainId: 'c1',
    nodeId: 'n1',
    durationSeconds: 10,
    generator: 'auto',
    ttlSecondsAfterFinished: 3_600,
    activeDeadlineSeconds: 3_600,
    backoffLimit: 2,
    ...spec,
  },
  status: { observedGeneration: -1, ...status },
})

export const template: WorkerTemplate = {
  image: 'example.test/trellis-worker:1',
  command: ['node', 'generation.js'],
  resources: { requests: { cpu: '500m' }, limits: { memory: '1Gi' } },
}
