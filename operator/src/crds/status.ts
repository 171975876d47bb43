import { choice, defaulted, integer, listBy, object, required, text, time } from './schema.ts'

/** Reasons in the conditions of a run; the condition's message has the details. */
export const runReasons = [
  'Claimed',
  'Starting',
  'Running',
  'Finished',
  'Suspended',
  'DeadlineExceeded',
  'OOMKilled',
  'Evicted',
  'ImagePull',
  'Unschedulable',
  'WorkerLost',
  'NoReport',
  'MarketplaceRefused',
  'NodeNotFound',
  'QuotaExceeded',
  'GPUFallback',
  'Cancelled',
  'UserNotAllowed',
] as const
export type RunReason = (typeof runReasons)[number]

/**
 * The type field, the limits and the key match those of standard Kubernetes conditions, so that `kubectl wait` and
 * kstatus support them.
 */
const condition = object('A condition states one aspect of the object, and since when it holds.', {
  type: required(
    text(
      'type is the aspect that the condition describes: Ready, Reconciling, Stalled; of a run also Complete, Failed or GPUFallback.',
      { minLength: 1, maxLength: 316, pattern: '^([a-z0-9.-]+/)?[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$' },
    ),
  ),
  status: required(
    choice('status is whether the condition holds: True, False or Unknown.', ['True', 'False', 'Unknown']),
  ),
  observedGeneration: integer(
    'observedGeneration is the generation of the object that the condition describes; below metadata.generation it is out of date.',
    { minimum: 0, format: 'int64' },
  ),
  lastTransitionTime: required(time('lastTransitionTime is when status last changed.')),
  reason: required(
    text('reason is the machine-readable reason in one word, such as Claimed, Unschedulable or DeadlineExceeded.', {
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    }),
  ),
  message: required(text('message is the human-readable explanation.', { maxLength: 32768 })),
})

/**
 * The status of an object that the operator has not reconciled yet: no generation was observed. It is the default of
 * every status, so that tools do not take an empty status for a ready one.
 */
export const notObserved = { observedGeneration: -1 }

/** Fields of every status. */
export const commonStatus = {
  observedGeneration: defaulted(
    -1,
    integer(
      'observedGeneration is the generation of the object that this status describes; -1 until the operator has reconciled it.',
      { minimum: -1, format: 'int64' },
    ),
  ),
  conditions: listBy(
    'type',
    'conditions are the conditions of the object: Ready, Reconciling and Stalled, and for a run Complete or Failed. Wait for one with "kubectl wait --for=condition=Ready".',
    condition,
    { maxItems: 16 },
  ),
}

/** Status fields shared by Search and GenerationJob. */
export const runStatus = {
  phase: choice(
    'phase is the state of the run in one word: Pending, Running, Complete or Failed. The conditions have the details.',
    ['Pending', 'Running', 'Complete', 'Failed'],
  ),
  podName: text('podName is the pod that runs it, or last did; its logs are available until the run is removed.', {
    maxLength: 253,
  }),
  startTime: time('startTime is when the operator accepted the run; activeDeadlineSeconds counts from here.'),
  completionTime: time(
    'completionTime is when the run ended, successfully or not; ttlSecondsAfterFinished counts from here.',
  ),
}
