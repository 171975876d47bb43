import { invalidField } from '@trellis/kit/errors'
import { createPaging } from '@trellis/kit/paging'
import type { Handlers } from '@trellis/kit/rpc'
import {
  type AddCorrectionRequest,
  CorrectionRating,
  type CorrectionsServiceDefinition,
} from '@trellis/protos/ts/trellis/listings/v1/corrections.ts'
import type { Dependencies } from '../dependencies.ts'
import { requireSession, requireSignedIn } from '../session/access.ts'
import { exportCorrections } from './export.ts'
import { type CorrectionRow, insertCorrection, listCorrections } from './store.ts'

/** The name of the service in stored corrections. */
const product = 'listings'

const limits = { page: 1_000, defaultPage: 200, contextCharacters: 8_192 }

/** JSON text of the context; throws 422 for anything but an object of acceptable size. */
const contextOf = (text: string): string => {
  const value: unknown = text === '' ? {} : JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidField(['body', 'context'], 'must be a JSON object')
  const json = JSON.stringify(value)
  if (json.length > limits.contextCharacters)
    throw invalidField(['body', 'context'], `must have at most ${limits.contextCharacters} characters as JSON`)
  return json
}

const notBlank = (request: AddCorrectionRequest): void => {
  const required = [
    ['correction_type', request.correctionType],
    ['input_text', request.inputText],
    ['original_output', request.originalOutput],
  ] as const
  for (const [name, value] of required) if (value.trim() === '') throw invalidField(['body', name], 'must not be blank')
  if (request.rating !== CorrectionRating.UP && request.correctedOutput.trim() === '')
    throw invalidField(
      ['body', 'corrected_output'],
      'must not be blank with the rating "down": state what the output should have been',
    )
}

const messageOf = (row: CorrectionRow) => ({
  id: row.id,
  itemId: row.item_id,
  product: row.product,
  correctionType: row.correction_type,
  inputText: row.input_text,
  originalOutput: row.original_output,
  correctedOutput: row.corrected_output,
  rating: row.rating,
  context: row.context_json,
  optedIn: row.opted_in === 1,
  createdAt: row.created_at,
})

const paging = createPaging('corrections', { id: 'integer' })

export const correctionsRpc = ({
  db,
  now,
}: Pick<Dependencies, 'db' | 'now'>): Handlers<typeof CorrectionsServiceDefinition> => ({
  addCorrection: async (request, { caller }) => {
    const userId = requireSession(caller, 'send corrections')
    notBlank(request)
    const id = await insertCorrection(db, {
      user_id: userId,
      by_guest: caller.kind === 'guest' ? 1 : 0,
      item_id: request.itemId,
      product,
      correction_type: request.correctionType,
      input_text: request.inputText,
      original_output: request.originalOutput,
      corrected_output: request.correctedOutput,
      rating: request.rating === CorrectionRating.UP ? 'up' : 'down',
      context_json: contextOf(request.context),
      opted_in: request.optedIn ? 1 : 0,
      created_at: now().toISOString(),
    })
    return { id, saved: true }
  },
  listCorrections: async ({ optedInOnly, limit, cursor }, { caller }) => {
    requireSignedIn(caller, 'read corrections')
    const size = Math.min(Math.max(1, limit ?? limits.defaultPage), limits.page)
    const rows = await listCorrections(db, { optedInOnly, limit: size + 1, before: paging.read(cursor)?.id })
    const { page, nextCursor } = paging.toPage(rows, size, ({ id }) => ({ id }))
    return { corrections: page.map(messageOf), nextCursor }
  },
  exportCorrections: async function* ({ optedInOnly }, { caller, signal }) {
    requireSignedIn(caller, 'export corrections')
    yield* exportCorrections(db, { product, optedInOnly: optedInOnly ?? true, now: now(), signal })
  },
})
