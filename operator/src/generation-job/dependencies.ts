import type { GpuCapacity } from '../capacity/mod.ts'
import type { GenerationJob } from '../crds/mod.ts'
import type { RunParts } from '../runs/mod.ts'
import type { Store } from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'
import type { BatchJob } from './batch-job.ts'
import type { GenerationMemories } from './memory.ts'

/** What is seen of runs. */
export type GenerationStores = { generationJobs: Store<GenerationJob>; batchJobs: Store<BatchJob>; pods: Store<Pod> }

/** What the controller of GenerationJobs stands on. Those that a queue of Kueue admits are beside `maxRuns`. */
export type GenerationParts = RunParts & GenerationStores & { gpus: Pick<GpuCapacity, 'offers'> }

/** And what it keeps while it runs. */
export type GenerationDependencies = GenerationParts & { memories: GenerationMemories }
