import { createHash, randomUUID } from 'node:crypto'
import { invalidField, serviceError } from '@trellis/kit/errors'
import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { chunksOf } from './chunks.ts'
import type { ContextTables, DocTable } from './migrations.ts'
import {
  bumpVersion,
  deleteDocs,
  docTotals,
  findDoc,
  findDocByDigest,
  insertChunks,
  insertDoc,
  listDocs,
} from './store.ts'

/** Texts are counted in characters (UTF-16 units). Searching loads all of them into memory. */
export const docLimits = {
  docs: 1_000,
  characters: 524_288,
  allCharacters: 8_388_608,
  titleCharacters: 300,
  tags: 50,
  tagCharacters: 100,
}

export type Doc = {
  id: string
  title: string
  text: string
  tags: string[]
  chunkCount: number
  createdAt: string
}
export type NewDoc = { title: string; text: string; tags: readonly string[] }

export type Docs = {
  /** Newest first. */
  list: (tag?: string) => Promise<Doc[]>
  find: (id: string) => Promise<Doc>
  /** Stores all of them or none. A document with the title and text of an existing one returns that one. Throws `invalid` and `too_large`. */
  create: (docs: readonly NewDoc[]) => Promise<{ doc: Doc; isNew: boolean }[]>
  remove: (id: string) => Promise<void>
  removeAll: () => Promise<number>
}

const unknownDoc = (id: string) => serviceError('not_found', `There is no document "${id}".`)

const fromRow = ({ id, title, text, tags, chunk_count, created_at }: DocTable): Doc => ({
  id,
  title,
  text,
  tags: JSON.parse(tags),
  chunkCount: chunk_count,
  createdAt: created_at,
})

/** Trims the title and tags. Throws for an invalid document. */
export const checkDoc = ({ title: rawTitle, text, tags: rawTags }: NewDoc): NewDoc => {
  const title = rawTitle.trim()
  const tags = [...new Set(rawTags.map((tag) => tag.trim()).filter((tag) => tag !== ''))]
  if (title === '' || title.length > docLimits.titleCharacters)
    throw invalidField(['body', 'title'], `title must have 1 to ${docLimits.titleCharacters} characters.`)
  if (text.trim() === '') throw invalidField(['body', 'text'], `"${title}" has no text.`)
  if (text.length > docLimits.characters)
    throw serviceError(
      'too_large',
      `"${title}" has ${text.length} characters, and ${docLimits.characters} are allowed: split it.`,
    )
  if (tags.length > docLimits.tags || tags.some((tag) => tag.length > docLimits.tagCharacters))
    throw invalidField(
      ['body', 'tags'],
      `tags must be at most ${docLimits.tags}, of at most ${docLimits.tagCharacters} characters each.`,
    )
  if ([title, text, ...tags].some((part) => part.includes('\0')))
    throw invalidField(['body'], 'A document must not have NUL characters: they indicate that it is not text.')
  return { title, text, tags }
}

const toRow = ({ title, text, tags }: NewDoc, chunks: number, now: number): DocTable => ({
  id: randomUUID(),
  title,
  text,
  tags: JSON.stringify(tags),
  digest: createHash('sha256').update(title).update('\0').update(text).digest('hex'),
  characters: text.length,
  chunk_count: chunks,
  created_at: new Date(now).toISOString(),
})

export const createDocs = ({ db, now }: { db: Kysely<ContextTables>; now: () => number }): Docs => ({
  list: async (tag) => {
    const docs = (await listDocs(db)).map(fromRow)
    return tag === undefined ? docs : docs.filter(({ tags }) => tags.includes(tag))
  },
  find: async (id) => {
    const row = await findDoc(db, id)
    if (!row) throw unknownDoc(id)
    return fromRow(row)
  },
  create: async (newDocs) => {
    const prepared = newDocs.map(checkDoc).map((doc) => {
      const chunks = chunksOf(doc.text)
      return { row: toRow(doc, chunks.length, now()), chunks }
    })
    return transact(db, async (transaction) => {
      const stored: { doc: Doc; isNew: boolean }[] = []
      for (const { row, chunks } of prepared) {
        const known = await findDocByDigest(transaction, row.digest)
        stored.push({ doc: fromRow(known ?? row), isNew: !known })
        if (known) continue
        await insertDoc(transaction, row)
        const rows = chunks.map(({ headings, text }, position) => ({
          doc_id: row.id,
          position,
          headings: JSON.stringify(headings),
          text,
        }))
        await insertChunks(transaction, rows)
      }
      const { docs, characters } = await docTotals(transaction)
      const isTooMuch = docs > docLimits.docs || characters > docLimits.allCharacters
      if (isTooMuch && stored.some(({ isNew }) => isNew))
        throw serviceError(
          'too_large',
          `The context holds at most ${docLimits.docs} documents with ${docLimits.allCharacters} characters together: remove some first.`,
        )
      if (stored.some(({ isNew }) => isNew)) await bumpVersion(transaction)
      return stored
    })
  },
  remove: (id) =>
    transact(db, async (transaction) => {
      if ((await deleteDocs(transaction, id)) === 0) throw unknownDoc(id)
      await bumpVersion(transaction)
    }),
  removeAll: () =>
    transact(db, async (transaction) => {
      const removed = await deleteDocs(transaction, 'all')
      if (removed > 0) await bumpVersion(transaction)
      return removed
    }),
})
