import type { ByteFrame } from '@trellis/protos/ts/trellis/http/v1/messages.ts'
import { type CorrectionRow, correctionsAfter, type Db } from './store.ts'

const rowsPerChunk = 200

/** A correction as a line of the export. */
const lineOf = (row: CorrectionRow): string =>
  `${JSON.stringify({
    input: row.input_text,
    output: row.original_output,
    correction: row.corrected_output,
    rating: row.rating,
    correction_type: row.correction_type,
    product: row.product,
    item_id: row.item_id,
    context: JSON.parse(row.context_json),
    created_at: row.created_at,
  })}\n`

const filename = (product: string, now: Date): string =>
  `corrections_${product}_${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.jsonl`

export type ExportOptions = {
  readonly product: string
  readonly optedInOnly: boolean
  readonly now: Date
  readonly signal: AbortSignal
}

/** Streams corrections as newline-delimited JSON, oldest first; only a page of them is in memory. */
export async function* exportCorrections(
  db: Db,
  { product, optedInOnly, now, signal }: ExportOptions,
): AsyncGenerator<ByteFrame> {
  // Read first, so that a failure of the database is a response with a status.
  let rows = await correctionsAfter(db, 0, { optedInOnly, limit: rowsPerChunk })
  const head = { mediaType: 'application/x-ndjson', filename: filename(product, now) }
  yield { frame: { $case: 'head', value: head } }
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    signal.throwIfAborted()
    yield { frame: { $case: 'chunk', value: Buffer.from(rows.map(lineOf).join('')) } }
    if (rows.length < rowsPerChunk) return
    rows = await correctionsAfter(db, last.id, { optedInOnly, limit: rowsPerChunk })
  }
}
