import { describe, expect, test } from 'vitest'
import { type BatchCondition, batchJobFor, batchStateOf } from './batch-job.ts'
import { gpuRequest, inWords, isOutOfReach, requestsResources } from './gpu-request.ts'
import { generationFor, planRequestOf, subjectOf } from './subject.ts'
import { generationObject, template } from './test-support.ts'

const queue = 'kueue.x-k8s.io/queue-name'
const build = (job = generationObject(), hasGpu = true) =>
  batchJobFor(job, {
    runId: 'run-1',
    gpu: hasGpu ? gpuRequest(job) : undefined,
    backoffLimit: 2,
    template,
    instance: 'home',
  })

describe('the Job of a run', () => {
  test('fails at once if the worker reports that the run is impossible, and never has two working pods', () => {
    expect(build().spec).toMatchObject({
      completions: 1,
      parallelism: 1,
      backoffLimit: 2,
      podReplacementPolicy: 'Failed',
      podFailurePolicy: {
        rules: [
          { action: 'FailJob', onExitCodes: { containerName: 'worker', operator: 'In', values: [10] } },
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        ],
      },
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'worker' }] } },
    })
    expect(build().spec).not.toHaveProperty('suspend')
  })

  test('belongs to its GenerationJob, and its pods are labelled with the run', () => {
    const { metadata, spec } = build()
    expect(metadata).toMatchObject({
      ownerReferences: [{ kind: 'GenerationJob', uid: 'uid-of-song', controller: true }],
    })
    const labels = { 'trellis.dev/run-id': 'run-1', 'app.kubernetes.io/component': 'generation-worker' }
    expect([metadata.labels, spec?.template.metadata.labels]).toMatchObject([labels, labels])
  })

  test('has the requested GPU model, CPU and memory', () => {
    const job = generationObject({ resources: { gpu: 2, class: 'Tesla-T4', cpu: '4', memory: '8Gi' } })
    const pod = build(job).spec?.template.spec
    expect(pod).toMatchObject({
      nodeSelector: { 'nvidia.com/gpu.product': 'Tesla-T4' },
      tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
    })
    const amounts = { cpu: '4', memory: '8Gi', 'nvidia.com/gpu': '2' }
    expect(pod?.containers[0]?.resources).toEqual({ requests: amounts, limits: amounts })
  })

  test('has another name without its GPUs, and retains the other resources', () => {
    const job = generationObject({ resources: { gpu: 2, class: 'Tesla-T4', cpu: '4' } })
    const onCpu = build(job, false)
    expect(onCpu.metadata).not.toMatchObject({ name: (build(job).metadata as { name: string }).name })
    expect(onCpu.spec?.template.spec).not.toHaveProperty('nodeSelector')
    expect(onCpu.spec?.template.spec.containers[0]?.resources?.limits).toEqual({ cpu: '4', memory: '1Gi' })
  })

  test('starts suspended if it is labelled with a queue', () => {
    const job = generationObject({}, { labels: { [queue]: 'music', other: 'no' } })
    const { spec, metadata } = build(job)
    expect(spec?.suspend).toBe(true)
    expect(metadata.labels).toMatchObject({ [queue]: 'music' })
    expect(metadata.labels).not.toHaveProperty('other')
  })
})

test.each<[string, BatchCondition[], boolean, object]>([
  ['runs', [], false, { kind: 'active' }],
  ['is suspended', [], true, { kind: 'suspended' }],
  ['is complete', [{ type: 'Complete', status: 'True' }], false, { kind: 'complete' }],
  ['is about to complete', [{ type: 'SuccessCriteriaMet', status: 'True' }], false, { kind: 'complete' }],
  [
    'failed',
    [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'Too often.' }],
    false,
    { kind: 'failed', isReported: false, message: 'Too often.' },
  ],
  [
    'is about to fail because its worker reported it',
    [{ type: 'FailureTarget', status: 'True', reason: 'PodFailurePolicy', message: 'Code 10.' }],
    false,
    { kind: 'failed', isReported: true, message: 'Code 10.' },
  ],
  ['did not fail', [{ type: 'Failed', status: 'False' }], false, { kind: 'active' }],
])('a Job that %s', (_, conditions, suspend, expected) => {
  const { spec } = build()
  const job = {
    metadata: { name: 'j', uid: 'j', resourceVersion: '1' },
    spec: { ...spec, suspend },
    status: { conditions },
  }
  expect(batchStateOf(job as never)).toEqual(expected)
})

test.each<[string, object | undefined, string | undefined, boolean]>([
  ['nothing', undefined, undefined, false],
  ['a GPU', { gpu: 1 }, 'a GPU', true],
  ['several', { gpu: 2 }, '2 GPUs', true],
  ['a model', { class: 'Tesla-T4' }, 'a GPU of model Tesla-T4', true],
  ['a required one', { gpuRequired: true }, 'a GPU', true],
  ['none', { gpu: 0, gpuRequired: false }, undefined, false],
  ['a CPU', { cpu: '2' }, undefined, true],
])('resources of a run that requests %s', (_, resources, words, requests) => {
  const job = generationObject(resources ? { resources } : {})
  const request = gpuRequest(job)
  expect(request && inWords(request)).toBe(words)
  expect(requestsResources(job)).toBe(requests)
})

test.each([
  ['a node has it, but it is in use', true, '0/2 nodes are available: 2 Insufficient nvidia.com/gpu.', false],
  ['no node has it', false, undefined, true],
  [
    'nodes are unknown, and the scheduler lacks it',
    undefined,
    '0/2 nodes are available: 2 Insufficient nvidia.com/gpu.',
    true,
  ],
  [
    'nodes are unknown, and the scheduler lacks the model',
    undefined,
    "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
    true,
  ],
  [
    'nodes are unknown, and the scheduler lacks something else',
    undefined,
    '0/2 nodes are available: 2 Insufficient memory.',
    false,
  ],
  ['nothing is known', undefined, undefined, false],
])('whether a GPU is out of reach if %s', (_, offered, words, expected) => {
  expect(isOutOfReach(offered, words)).toBe(expected)
})

test('the subject of a service request survives the round trip through the spec', () => {
  const subject = {
    chainId: 'c1',
    nodeId: 'n2',
    inputKey: 'audio/x',
    prompt: 'slower',
    seed: 7,
    durationSeconds: 12.5,
    contextSeconds: 30,
    generator: 'recombine',
  }
  const request = { runId: 'run-1', activeDeadlineSeconds: 90 } as never
  const draft = generationFor(request, subject, { namespace: 'studio', ttlSeconds: 60 })
  expect(draft).toMatchObject({
    metadata: { namespace: 'studio', labels: { 'trellis.dev/run-id': 'run-1' } },
    spec: { activeDeadlineSeconds: 90, ttlSecondsAfterFinished: 60 },
  })
  const job = { ...generationObject(), spec: draft.spec }
  expect(subjectOf(job)).toEqual(subject)
  expect(planRequestOf(job, 'run-1')).toMatchObject({ runId: 'run-1', search: null, generation: subject })
})
