import type { GenerationSubject, PlanRequest, RunRequest } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { GenerationJob, GenerationJobSpec, GenerationJobSpecInput } from '../crds/mod.ts'
import { type Draft, deterministicName } from '../runtime/mod.ts'
import { label } from '../workers/mod.ts'

/** The subject of a GenerationJob as services represent it. */
export const subjectOf = ({ spec }: GenerationJob): GenerationSubject => ({
  chainId: spec.chainId,
  nodeId: spec.nodeId,
  inputKey: spec.input?.key ?? null,
  prompt: spec.prompt ?? null,
  seed: spec.seed ?? null,
  durationSeconds: spec.durationSeconds,
  contextSeconds: spec.contextSeconds ?? null,
  generator: spec.generator,
})

/** The plan request to the music service for a GenerationJob that it did not request. */
export const planRequestOf = (job: GenerationJob, runId: string): PlanRequest => ({
  runId,
  user: '',
  activeDeadlineSeconds: job.spec.activeDeadlineSeconds,
  search: null,
  generation: subjectOf(job),
})

/**
 * The name of the GenerationJob for a run that a service requests; deterministic, so repeated requests create it once.
 */
export const generationNameOf = (runId: string): string => deterministicName(['generation', runId])

const generators: readonly GenerationJobSpec['generator'][] = ['auto', 'recombine', 'onnx', 'mock']

const specOf = (
  { activeDeadlineSeconds }: RunRequest,
  subject: GenerationSubject,
  ttlSecondsAfterFinished: number,
): GenerationJobSpecInput => {
  // Services of another version may send an unknown generator.
  const generator = generators.find((known) => known === subject.generator)
  return {
    chainId: subject.chainId,
    nodeId: subject.nodeId,
    durationSeconds: subject.durationSeconds,
    ...(subject.inputKey ? { input: { key: subject.inputKey } } : {}),
    ...(subject.prompt ? { prompt: subject.prompt } : {}),
    ...(typeof subject.seed === 'number' ? { seed: subject.seed } : {}),
    ...(typeof subject.contextSeconds === 'number' ? { contextSeconds: subject.contextSeconds } : {}),
    ...(generator ? { generator } : {}),
    ...(activeDeadlineSeconds > 0 ? { activeDeadlineSeconds } : {}),
    ttlSecondsAfterFinished,
  }
}

/** Builds the GenerationJob for a run that a service requests. */
export const generationFor = (
  request: RunRequest,
  subject: GenerationSubject,
  { namespace, ttlSeconds }: { namespace: string; ttlSeconds: number },
): Draft<GenerationJob> => ({
  metadata: { name: generationNameOf(request.runId), namespace, labels: { [label.runId]: request.runId } },
  // The API server fills in the defaults.
  spec: specOf(request, subject, ttlSeconds) as GenerationJobSpec,
})
