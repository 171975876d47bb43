/** GenerationJobs: each runs in an idle worker of a pool, or in a Job of its own. */
import { type GenerationJob, generationJobs } from '../crds/mod.ts'
import { defineRunKind } from '../runs/mod.ts'
import { fieldsOf, outcomeOf, reflectsProgress, replacementOf } from './status.ts'
import { generationFor, generationNameOf, planRequestOf } from './subject.ts'
import type { Survey } from './survey.ts'
import { createGenerationWorkers } from './workers.ts'

/** The kind GenerationJob. Runs that a Kueue queue admits do not count towards the maximum number of runs. */
export const generationKind = () =>
  defineRunKind<GenerationJob, Survey>({
    workload: 'generation',
    workloadName: 'WORKLOAD_GENERATION',
    plural: 'generations',
    resource: generationJobs,
    name: 'generationjob',
    concurrency: 8,
    nameOf: generationNameOf,
    draftOf: (request, options) =>
      request.generation ? generationFor(request, request.generation, options) : undefined,
    planRequestOf,
    fieldsOf,
    outcomeOf,
    reflectsMore: reflectsProgress,
    replacementOf,
    createWorkers: (parts, steps, { cache }) => createGenerationWorkers({ ...parts, steps }, cache),
  })
