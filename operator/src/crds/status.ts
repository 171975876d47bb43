import { choice, defaulted, integer, listBy, object, required, text, time } from './schema.ts'

/** Why a run is as it is, in one word; a condition's message says the rest. */
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
  'GPUFallback',
  'Cancelled',
  'UserNotAllowed',
] as const
export type RunReason = (typeof runReasons)[number]

/** The type field, the limits and the key are those of every Kubernetes condition, so that `kubectl wait` and kstatus understand them. */
const condition = object('A condition says one thing about the object, and since when it is so.', {
  type: required(
    text(
      'type is what the condition speaks of: Ready, Reconciling, Stalled; of a run also Complete, Failed or GPUFallback.',
      { minLength: 1, maxLength: 316, pattern: '^([a-z0-9.-]+/)?[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$' },
    ),
  ),
  status: required(choice('status is whether it is so: True, False or Unknown.', ['True', 'False', 'Unknown'])),
  observedGeneration: integer(
    'observedGeneration is the generation of the object that the condition speaks of; below metadata.generation it is out of date.',
    { minimum: 0, format: 'int64' },
  ),
  lastTransitionTime: required(time('lastTransitionTime is when status last changed.')),
  reason: required(
    text('reason is why, as one word for programs, such as Claimed, Unschedulable or DeadlineExceeded.', {
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    }),
  ),
  message: required(text('message is why, as a sentence for a person.', { maxLength: 32768 })),
})

/**
 * The status of an object that the operator has not looked at: no generation was observed. It is the default of every
 * status, so that nobody takes an empty status for a good one.
 */
export const notObserved = { observedGeneration: -1 }

/** What every status has. */
export const commonStatus = {
  observedGeneration: defaulted(
    -1,
    integer(
      'observedGeneration is the generation of the object that this status speaks of; -1 until the operator has seen it.',
      { minimum: -1, format: 'int64' },
    ),
  ),
  conditions: listBy(
    'type',
    'conditions are what is so about the object: Ready, Reconciling and Stalled, and for a run Complete or Failed. Wait for one with "kubectl wait --for=condition=Ready".',
    condition,
    { maxItems: 16 },
  ),
}

/** What a Search and a GenerationJob tell alike. */
export const runStatus = {
  phase: choice(
    'phase is where the run stands in one word: Pending, Running, Complete or Failed. The conditions say more.',
    ['Pending', 'Running', 'Complete', 'Failed'],
  ),
  podName: text('podName is the pod that serves the run, or served it last; its logs stay until the run is removed.', {
    maxLength: 253,
  }),
  startTime: time('startTime is when the operator took the run on; activeDeadlineSeconds counts from here.'),
  completionTime: time('completionTime is when the run ended, well or not; ttlSecondsAfterFinished counts from here.'),
}
