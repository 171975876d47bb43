import { type Search, searches } from '../crds/mod.ts'
import { isLive, type KindWorkers, podStateOf, runPodView, startingQuietly } from '../runs/mod.ts'
import { controllerOf, type Patience, toController, whenChanged } from '../runtime/mod.ts'
import { componentOf, label, type Pod } from '../workers/mod.ts'
import { advance } from './advance.ts'
import { createConcurrencyLimiter } from './concurrency-limiter.ts'
import type { SearchParts } from './dependencies.ts'
import { createOwnPods } from './own-pods.ts'
import { type Survey, survey } from './survey.ts'

const isSearchPod = ({ metadata }: Pod): boolean =>
  metadata.labels?.[label.component] === componentOf('search') && metadata.labels?.[label.runId] !== undefined

/**
 * A pod gets its run when it is created or claimed, and its worker reports the start itself: until then, a pod that
 * proceeds as it should decides nothing.
 */
const podPatience =
  ({ memories, clock }: Pick<SearchParts, 'memories' | 'clock'>): Patience<Pod> =>
  ({ type, object }) => {
    if (type === 'deleted' || !['starting', 'running'].includes(podStateOf(object).kind)) return 0
    const { quietUntil = 0 } = memories.peek(controllerOf(object)?.uid ?? '') ?? {}
    return Math.max(startingQuietly, quietUntil - clock.now())
  }

/** Creates the part of the Search controller that obtains pods. `wake` enqueues the key of a Search. */
export const createSearchWorkers = (parts: SearchParts, wake: (key: string) => void): KindWorkers<Search, Survey> => {
  const { pods, clock, steps, maxRuns } = parts
  const ownPods = createOwnPods({ pods, clock })
  const limiter = createConcurrencyLimiter({ pods, total: maxRuns, clock, isCounted: isSearchPod, wake })
  const dependencies = { ...parts, ownPods, limiter }
  const livePods = ({ metadata: { uid } }: Search) => ownPods.of(uid).filter((pod) => isLive(podStateOf(pod)))
  return {
    watch: (controller) => controller.watch(pods, whenChanged(runPodView, toController(searches)), podPatience(parts)),
    podsOf: ({ metadata }) => pods.by('owner', metadata.uid),
    survey: (search, runId) => survey(search, runId, ownPods.of(search.metadata.uid)),
    advance: (run) => advance(dependencies, run),
    stop: async ({ found: { current }, signal }) => {
      if (current && isLive(current.state)) await steps.stopPod(current.pod, signal)
    },
    haveWorkers: (search) => livePods(search).length > 0,
    stopAll: async (search, _runId, signal) => {
      for (const pod of livePods(search)) await steps.stopPod(pod, signal)
    },
    // The slot of a worker is free once that has ended.
    freeSlot: ({ metadata: { uid } }) => limiter.leave(uid, ownPods.hasLive(uid)),
    onDeleted: ({ metadata: { uid } }) => ownPods.drop(uid),
  }
}
