import { isServiceError, serviceError } from '@trellis/kit/errors'
import type { Handlers } from '@trellis/kit/rpc'
import type {
  GeneratorStatus,
  GpuMode,
  GpuSession,
  MusicServiceDefinition,
} from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { CapacityResponse } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { requireOwner } from '../chains/access.ts'
import type { Dependencies } from '../dependencies.ts'
import type { ModelStatus } from '../models/installed-model.ts'
import type { LeaseRow } from '../store/tables.ts'
import { estimatedWait, expectedSeconds } from './estimate.ts'
import { endLease, latestRunSeconds, renewLease, takeLease } from './store.ts'

type GpuHandlers = Pick<
  Handlers<typeof MusicServiceDefinition>,
  'getGpu' | 'createGpuSession' | 'renewGpuSession' | 'deleteGpuSession'
>

/** The longest continuation, in seconds. */
const longest = 60

const generatorsWith = (model: ModelStatus): GeneratorStatus[] => [
  { name: 'recombine', available: true, reason: null, maxSeconds: longest, sampleRate: null },
  model.available
    ? { name: 'onnx', available: true, reason: null, maxSeconds: model.maxSeconds, sampleRate: model.sampleRate }
    : { name: 'onnx', available: false, reason: model.reason, maxSeconds: longest, sampleRate: null },
  { name: 'mock', available: true, reason: null, maxSeconds: longest, sampleRate: null },
]

const modes: Partial<Record<string, GpuMode>> = { kubernetes: 'GPU_MODE_KUBERNETES', local: 'GPU_MODE_LOCAL' }

/** Capacity for generations; empty, with the reason, if the workloads service is unavailable. */
const capacityOf = async ({ workloads, now }: Dependencies): Promise<CapacityResponse> => {
  try {
    return await workloads.capacity({ workload: 'WORKLOAD_GENERATION' })
  } catch (error) {
    if (!isServiceError(error, 'unavailable')) throw error
    const reasons = ['The workloads service that runs generations is unavailable.']
    return CapacityResponse.fromPartial({ mode: 'none', observedAt: now().toISOString(), reasons })
  }
}

const expired = (id: string) =>
  serviceError('not_found', `You have no session ${JSON.stringify(id)}, or it has expired.`)

const sessionOf = ({ id, expires_at }: LeaseRow): GpuSession => ({
  sessionId: id,
  status: 'leased',
  expiresAt: new Date(expires_at).toISOString(),
})

/** Handlers of generation capacity, and of leases on it. */
export const gpuRpc = (dependencies: Dependencies): GpuHandlers => ({
  async getGpu() {
    const [capacity, took, model] = await Promise.all([
      capacityOf(dependencies),
      latestRunSeconds(dependencies.db),
      dependencies.installedModel.status(),
    ])
    return {
      mode: modes[capacity.mode] ?? 'GPU_MODE_NONE',
      observedAt: capacity.observedAt,
      classes: capacity.classes.map(({ product, memoryMib, total, free, usedByUs }) => ({
        product,
        memoryMib,
        total,
        free,
        usedByUs,
      })),
      queueDepth: capacity.queued,
      running: capacity.running,
      estimatedWaitSeconds: estimatedWait(capacity, expectedSeconds(took)),
      generators: generatorsWith(model),
      reasons: capacity.reasons,
    }
  },

  async createGpuSession(_request, { caller }) {
    const userId = requireOwner(caller)
    const { total, running } = await capacityOf(dependencies)
    if (total <= 0) throw serviceError('conflict', 'There is nothing to lease: no generation can run at present.')
    const lease = await takeLease(dependencies.db, { userId, slots: total - running, now: dependencies.now() })
    if (!lease) throw serviceError('conflict', 'All slots are taken: try again later.')
    return sessionOf(lease)
  },

  async renewGpuSession({ sessionId }, { caller }) {
    const lease = await renewLease(dependencies.db, { id: sessionId, userId: caller.userId, now: dependencies.now() })
    if (!lease) throw expired(sessionId)
    return sessionOf(lease)
  },

  async deleteGpuSession({ sessionId }, { caller }) {
    if (!(await endLease(dependencies.db, { id: sessionId, userId: caller.userId, now: dependencies.now() })))
      throw expired(sessionId)
    return {}
  },
})
