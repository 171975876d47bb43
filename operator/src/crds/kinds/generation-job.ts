import { defineKind, type SpecInputOf, type SpecOf, type StatusInputOf, type StatusOf } from '../kind.ts'
import {
  choice,
  defaulted,
  type Field,
  flag,
  immutable,
  integer,
  number,
  object,
  type Presence,
  quantity,
  required,
  text,
} from '../schema.ts'
import { commonStatus, notObserved, runStatus } from '../status.ts'

const fixed = <Read, Write, P extends Presence>(field: Field<Read, Write, P>) =>
  immutable('a GenerationJob makes one continuation; create another GenerationJob instead', field)

const id = { minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9_-]+$' }
const key = { minLength: 1, maxLength: 1024 }

const resources = object(
  'resources are the compute resources of the worker. If left out, it runs on the CPU with the defaults of the installation.',
  {
    gpu: integer(
      'gpu is how many GPUs to use, 0 to 8. If left out: one if class or gpuRequired is set, otherwise none.',
      {
        minimum: 0,
        maximum: 8,
      },
    ),
    gpuRequired: flag(
      'gpuRequired is whether to wait for a GPU without limit. Otherwise the job falls back to the CPU after 60 seconds, with the condition GPUFallback.',
    ),
    class: text('class is the GPU model, as in the node label nvidia.com/gpu.product.', {
      minLength: 1,
      maxLength: 63,
      pattern: '^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$',
    }),
    cpu: quantity('cpu', 'cpu is how many CPUs the worker may use, such as 2 or 500m.'),
    memory: quantity('memory', 'memory is how much memory the worker may use, such as 4Gi.'),
  },
  [
    {
      rule: '!has(self.gpuRequired) || !self.gpuRequired || !has(self.gpu) || self.gpu > 0',
      message: 'gpu must not be 0 if gpuRequired is true',
      fieldPath: '.gpu',
      reason: 'FieldValueForbidden',
    },
    {
      rule: '!has(self.class) || !has(self.gpu) || self.gpu > 0',
      message: 'gpu must not be 0 if class names a GPU',
      fieldPath: '.gpu',
      reason: 'FieldValueForbidden',
    },
  ],
)

export const generationJob = defineKind({
  kind: 'GenerationJob',
  plural: 'generationjobs',
  shortName: 'gen',
  description:
    'GenerationJob generates one continuation of a piece of music: the audio of one node of a chain. It runs as a Job with one pod, so that Kueue can queue it.',
  spec: object('spec is what to generate, and how. Only the two time limits can be changed later.', {
    chainId: required(fixed(text('chainId is the id of the chain that the node belongs to.', id))),
    nodeId: required(
      fixed(text('nodeId is the id of the node whose audio is generated; the music service has created the node.', id)),
    ),
    input: fixed(
      object(
        'input is the audio to continue. If left out, it is the path of the node: the audio before it in the chain.',
        {
          key: required(
            text(
              'key is the name of an object in the file store: the samples of a ready node of the same chain, or a file under music/inputs/.',
              key,
            ),
          ),
        },
      ),
    ),
    prompt: fixed(
      text(
        'prompt is what the continuation should sound like, in words; the generator reports how it used the prompt.',
        {
          maxLength: 2000,
        },
      ),
    ),
    seed: fixed(
      integer(
        'seed is the random seed, 0 to 9007199254740991: the same seed and parameters yield the same audio. If left out, a random one is used.',
        { minimum: 0, maximum: Number.MAX_SAFE_INTEGER, format: 'int64' },
      ),
    ),
    durationSeconds: fixed(
      defaulted(
        10,
        number('durationSeconds is how many seconds to generate, 1 to 60, to the nearest sample.', {
          minimum: 1,
          maximum: 60,
        }),
      ),
    ),
    contextSeconds: fixed(
      number(
        'contextSeconds is how many seconds before the node the generator uses as context, 0 to 1200. If left out, as many as suit the generator.',
        { minimum: 0, maximum: 1200 },
      ),
    ),
    generator: fixed(
      defaulted(
        'auto',
        choice(
          'generator is the generator to use: recombine (from the piece itself), onnx (a model), mock (for tests) or auto (the best one available).',
          ['auto', 'recombine', 'onnx', 'mock'],
        ),
      ),
    ),
    resources: fixed(resources),
    ttlSecondsAfterFinished: defaulted(
      3600,
      integer(
        'ttlSecondsAfterFinished is how many seconds the GenerationJob and its pods are retained after it has ended, successfully or not; the audio stays. 0 removes them at once.',
        { minimum: 0, maximum: 31_536_000 },
      ),
    ),
    activeDeadlineSeconds: defaulted(
      3600,
      integer(
        'activeDeadlineSeconds is the number of seconds from startTime after which the GenerationJob is stopped and fails with DeadlineExceeded.',
        { minimum: 1, maximum: 86_400 },
      ),
    ),
    backoffLimit: fixed(
      defaulted(
        2,
        integer(
          'backoffLimit is how many times a failed worker is replaced, 0 to 10, before the GenerationJob fails.',
          {
            minimum: 0,
            maximum: 10,
          },
        ),
      ),
    ),
  }),
  status: defaulted(
    notObserved,
    object('status is the observed state of the GenerationJob; the operator writes it.', {
      ...commonStatus,
      ...runStatus,
      progress: number('progress is the generated fraction of the audio, 0 to 1.', { minimum: 0, maximum: 1 }),
      attempts: integer('attempts is how many pods were started for the GenerationJob.', { minimum: 0 }),
      output: object('output is the generated audio.', {
        key: required(text('key is the name of the object in the file store of the installation.', key)),
        seconds: required(number('seconds is the duration of the audio.', { minimum: 0 })),
      }),
      seam: object('seam is how well the continuation joins the audio before it.', {
        distancePercentile: number(
          'distancePercentile is how unusual the seam is among all points of the preceding audio: 50 is ordinary, 100 unlike anything in it.',
          { minimum: 0, maximum: 100 },
        ),
        loudnessStepLu: number(
          'loudnessStepLu is the difference in loudness between the 3 seconds on both sides of the seam, in loudness units (LU).',
        ),
        beatErrorMs: number(
          'beatErrorMs is how many milliseconds the beat deviates from the continued beat before the seam.',
        ),
      }),
    }),
  ),
  columns: [
    { name: 'Phase', type: 'string', path: '.status.phase', description: 'Pending, Running, Complete or Failed.' },
    { name: 'Progress', type: 'number', path: '.status.progress', description: 'Generated fraction, 0 to 1.' },
    { name: 'Attempts', type: 'integer', path: '.status.attempts', description: 'Pods that were started.' },
    { name: 'Chain', type: 'string', path: '.spec.chainId', description: 'The chain of the node.', wide: true },
    { name: 'Node', type: 'string', path: '.spec.nodeId', description: 'The node that is generated.', wide: true },
    {
      name: 'Generator',
      type: 'string',
      path: '.spec.generator',
      description: 'The generator of the audio.',
      wide: true,
    },
    { name: 'Pod', type: 'string', path: '.status.podName', description: 'The pod that runs it.', wide: true },
  ],
  selectable: ['.spec.chainId', '.spec.nodeId', '.status.phase'],
})

export type GenerationJobSpec = SpecOf<typeof generationJob>
export type GenerationJobSpecInput = SpecInputOf<typeof generationJob>
export type GenerationJobStatus = StatusOf<typeof generationJob>
export type GenerationJobStatusInput = StatusInputOf<typeof generationJob>
