import { serviceError } from '@trellis/kit/errors'
import { basePathOf, type Caller, type Handlers } from '@trellis/kit/rpc'
import type { MusicServiceDefinition } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { stemFile } from '../audio/files-layout.ts'
import { requireNode } from '../chains/access.ts'
import { stemsMessage } from '../chains/messages.ts'
import { type Deliveries, formatWord } from '../delivery/export.ts'
import { sendFile } from '../delivery/send.ts'
import { wavContent } from '../delivery/wav-content.ts'
import type { Dependencies } from '../dependencies.ts'
import { stemNames } from '../stems/stem-names.ts'
import type { StemsRow } from '../store/tables.ts'
import type { Separations } from './separations.ts'
import { findStems } from './store.ts'

type StemHandlers = Pick<
  Handlers<typeof MusicServiceDefinition>,
  'createStems' | 'getStems' | 'deleteStems' | 'getStemAudio'
>

/** Throws 402 below the paid tier. The user of a local installation has all features. */
const requirePaid = ({ tier }: Caller): void => {
  if (tier === 'free')
    throw serviceError('payment_required', 'Stems need the paid tier or a higher one; yours is free.')
}

const notReady: Record<StemsRow['status'] | 'none', string> = {
  none: 'The node has not been separated: POST to its stems first.',
  generating: 'The stems are still being made: wait until they are ready.',
  error: 'The stems could not be made: POST to them to try again.',
  ready: 'The files of the stems are missing: delete the stems and make them again.',
}

/** The folder of finished stems. Throws 409 if there is none. */
const requireFolder = (stems: StemsRow | undefined): { folder: string; runId: string } => {
  if (stems?.status === 'ready' && stems.folder) return { folder: stems.folder, runId: stems.run_id }
  throw serviceError('conflict', notReady[stems?.status ?? 'none'])
}

/** Handlers of the stems of nodes. */
export const stemsRpc = (
  dependencies: Dependencies,
  separations: Separations,
  deliveries: Deliveries,
): StemHandlers => ({
  async createStems(request, call) {
    const { caller } = call
    const { chain, node } = await requireNode(dependencies, caller, request)
    requirePaid(caller)
    return stemsMessage(await separations.request({ chain, node, caller }), basePathOf(call))
  },

  async getStems(request, call) {
    const { caller } = call
    const { node } = await requireNode(dependencies, caller, request)
    requirePaid(caller)
    return stemsMessage(await findStems(dependencies.db, node.id), basePathOf(call))
  },

  async deleteStems(request, { caller }) {
    const { node } = await requireNode(dependencies, caller, request)
    await separations.remove(node)
    return {}
  },

  async *getStemAudio(request, { caller, signal }) {
    const { chain, node } = await requireNode(dependencies, caller, request)
    requirePaid(caller)
    const name = stemNames.find((known) => known === request.name)
    if (!name) throw serviceError('not_found', `There is no stem ${JSON.stringify(request.name)}.`)
    const { folder, runId } = requireFolder(await findStems(dependencies.db, node.id))
    const key = stemFile(folder, name)
    const format = formatWord(request.format)
    const stored = { chain, frames: node.frames, key, etag: `"${runId}-${name}"` }
    const written = { ownerId: node.id, chain, nodes: [node], source: { name, key }, crossfadeMs: 0, normalize: false }
    yield* sendFile({
      open: async () =>
        format === 'wav' ? wavContent(dependencies, stored) : deliveries.audio({ ...written, format }, signal),
      range: request.range,
      checkDeletion: async () => {
        await requireNode(dependencies, caller, request)
        requireFolder(await findStems(dependencies.db, node.id))
      },
    })
  },
})
