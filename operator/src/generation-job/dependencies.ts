import type { GpuCapacity } from '../capacity/mod.ts'
import type { GenerationJob } from '../crds/mod.ts'
import type { RunParts } from '../runs/mod.ts'
import type { Store } from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'
import type { BatchJob } from './batch-job.ts'
import type { GenerationMemories } from './memory.ts'

/** The caches of runs. */
export type GenerationStores = { generationJobs: Store<GenerationJob>; batchJobs: Store<BatchJob>; pods: Store<Pod> }

/** Dependencies of the GenerationJob controller. Runs that a Kueue queue admits do not count towards `maxRuns`. */
export type GenerationParts = RunParts & GenerationStores & { gpus: Pick<GpuCapacity, 'offers'> }

/** The dependencies plus the controller's in-memory state. */
export type GenerationDependencies = GenerationParts & { memories: GenerationMemories }
