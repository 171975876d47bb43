import { setImmediate as nextTurn } from 'node:timers/promises'
import { invalidField, serviceError } from '@trellis/kit/errors'
import { type Handlers, readUpload, type UploadedFile } from '@trellis/kit/rpc'
import type { ByteFrame } from '@trellis/protos/ts/trellis/http/v1/messages.ts'
import type {
  BlockedSeller,
  SellerBlocklistServiceDefinition,
} from '@trellis/protos/ts/trellis/listings/v1/blocklist.ts'
import type { Dependencies } from '../dependencies.ts'
import { requireSession, requireSignedIn } from '../session/access.ts'
import { csvHeader, decodeCsv, maxImport, readCsv, toCsv } from './csv.ts'
import {
  addEntries,
  type BlocklistRow,
  entriesBefore,
  keyOf,
  maxEntries,
  ownerOf,
  removeEntry,
  sharedOwner,
} from './store.ts'

/** Entries per query. */
const pageSize = 5_000

const present = (row: BlocklistRow): BlockedSeller => ({
  id: row.id,
  platform: row.platform,
  platformSellerId: row.platform_seller_id,
  username: row.username,
  reason: row.reason,
  source: row.source,
  createdAt: row.created_at,
})

const full = (max: number) =>
  serviceError(
    'conflict',
    `The blocklist would have more than ${max} entries, which is the maximum. Nothing was added.`,
  )

const readAll = async ({ content }: UploadedFile): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > maxImport.bytes)
      throw serviceError('too_large', `The file is larger than ${maxImport.bytes / 1024 / 1024} MB: split it.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

type Needs = Pick<Dependencies, 'db' | 'config' | 'now'>

/** All entries that apply to a user, latest first, page by page; a seller whom both parts name comes once. */
async function* allEntries({ db }: Needs, userId: string): AsyncGenerator<BlocklistRow[]> {
  const named = new Set<string>()
  for (let before: number | undefined; ; ) {
    const rows = await entriesBefore(db, userId, { before, limit: pageSize })
    const fresh = rows.filter((row) => !named.has(keyOf(row)))
    for (const row of fresh) named.add(keyOf(row))
    yield fresh
    if (rows.length < pageSize) return
    before = rows.at(-1)?.id
    // An embedded database works in this thread, which serves other calls between two pages.
    await nextTurn()
  }
}

const bytesFrame = (text: string): ByteFrame => ({ frame: { $case: 'chunk', value: Buffer.from(text) } })

/** Handlers of the blocklist. `share` publishes a seller that a user has blocked; it never fails. */
export const blocklistRpc = (
  dependencies: Needs,
  share: (userId: string, entry: BlocklistRow, flags: readonly string[]) => Promise<void>,
): Handlers<typeof SellerBlocklistServiceDefinition> => {
  const { db, config, now } = dependencies
  return {
    listBlockedSellers: async (_request, { caller }) => {
      const entries: BlockedSeller[] = []
      for await (const page of allEntries(dependencies, caller.userId)) entries.push(...page.map(present))
      return { entries }
    },
    blockSeller: async ({ platform, platformSellerId, username, reason, flags }, { caller }) => {
      const userId = requireSignedIn(caller, 'add sellers to the blocklist')
      const entry = {
        platform: platform.trim() || config.platform,
        platform_seller_id: platformSellerId.trim(),
        username: username.trim(),
        reason: reason?.trim() || null,
        source: 'manual',
      } as const
      if (entry.platform_seller_id === '') throw invalidField(['body', 'platform_seller_id'], 'must not be blank')
      if (entry.username === '') throw invalidField(['body', 'username'], 'must not be blank')
      const [added] = (await addEntries(db, sharedOwner, [entry], now())) ?? []
      if (added === undefined) throw full(maxEntries.shared)
      await share(userId, added, flags)
      return present(added)
    },
    unblockSeller: async ({ platformSellerId, platform }, { caller }) => {
      requireSignedIn(caller, 'remove sellers from the blocklist')
      await removeEntry(db, platformSellerId.trim(), platform?.trim() || undefined)
      return {}
    },
    async *exportBlocklist(_request, { caller }) {
      const head = { mediaType: 'text/csv; charset=utf-8', filename: 'listings-blocklist.csv' }
      yield {
        frame: {
          $case: 'head',
          value: { ...head, size: undefined, start: undefined, end: undefined, etag: undefined },
        },
      }
      yield bytesFrame(csvHeader)
      for await (const page of allEntries(dependencies, caller.userId))
        if (page.length > 0) yield bytesFrame(toCsv(page))
    },
    importBlocklist: async (messages, { caller }) => {
      requireSession(caller, 'import a blocklist')
      const { parts } = await readUpload(messages)
      for await (const part of parts) {
        if (part.kind !== 'file' || part.name !== 'file') continue
        const { entries, errors } = await readCsv(decodeCsv(await readAll(part)), config.platform)
        const owner = ownerOf(caller)
        const added = entries.length === 0 ? [] : await addEntries(db, owner, entries, now())
        if (added === undefined) throw full(owner === sharedOwner ? maxEntries.shared : maxEntries.guest)
        return { imported: entries.length, errors: [...errors] }
      }
      throw invalidField(['body', 'file'], 'The form has no file: add a CSV file as "file".')
    },
  }
}
