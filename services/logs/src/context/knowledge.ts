import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { carriesMeaning } from '../diagnose/keywords.ts'
import { wordsOf } from '../segments/tokens.ts'
import { hybridWeights } from '../semantic/hybrid-rank.ts'
import type { ContextTables, FactTable } from './migrations.ts'
import { countWords, rankTexts, type Scored, type WordCounts } from './rank-texts.ts'
import { chunksOfDocs, listDocHeads, listFacts, readVersion } from './store.ts'

export type KnownChunk = { docId: string; title: string; position: number; headings: string[]; text: string }
export type KnownFact = Pick<FactTable, 'id' | 'category' | 'key' | 'value' | 'source'>

/**
 * How close chunks are in meaning to a question, from 0 to 1 each, in their order; undefined if the model is missing or cannot be used now.
 * Then chunks are ranked by words alone.
 */
export type Similarity = (
  question: string,
  chunks: readonly KnownChunk[],
  signal?: AbortSignal,
) => Promise<readonly number[] | undefined>

export type Knowledge = {
  /** The best chunks and facts for a question, best first. Question words are ignored. */
  search: (question: string, options: SearchOptions) => Promise<Matches>
  /** The context of a diagnosis, about the systems that its question names: as `search`, bounded in total. */
  contextFor: (question: string, signal?: AbortSignal) => Promise<Context>
}
export type SearchOptions = { chunks: number; facts: number; signal?: AbortSignal | undefined }
export type Matches = { chunks: Scored<KnownChunk>[]; facts: Scored<KnownFact>[] }
export type Context = { facts: KnownFact[]; chunks: KnownChunk[] }

/** Maximum context of a diagnosis; characters count chunks and facts together. */
export const contextLimits = { facts: 20, chunks: 5, characters: 8_000 }

/** Names weigh more than descriptions. */
const weights = { title: 1, headings: 2, key: 3, text: 1 }
/** A model takes some milliseconds for a chunk that it has not seen before. */
const maxForMeaning = 200
/** Chunks below this similarity and without any of the words are unrelated. */
const minMeaning = 0.35
const docsAtOnce = 100

type Counted<Item> = { item: Item; words: WordCounts }
type Corpus = { version: number; chunks: ReadonlyMap<string, Counted<KnownChunk>[]>; facts: Counted<KnownFact>[] }

const countChunk = (chunk: KnownChunk): Counted<KnownChunk> => ({
  item: chunk,
  words: countWords([
    { text: chunk.title, weight: weights.title },
    { text: chunk.headings.join(' '), weight: weights.headings },
    { text: chunk.text, weight: weights.text },
  ]),
})

const countFact = ({ id, category, key, value, source }: FactTable): Counted<KnownFact> => ({
  item: { id, category, key, value, source },
  words: countWords([
    { text: category, weight: 1 },
    { text: key, weight: weights.key },
    { text: value, weight: weights.text },
  ]),
})

/** Updates the corpus in memory, reading only chunks of new documents. */
const refreshed = async (db: Kysely<ContextTables>, known: Corpus): Promise<Corpus> => {
  if ((await readVersion(db)) === known.version) return known
  return transact(db, async (transaction) => {
    const version = await readVersion(transaction)
    const heads = await listDocHeads(transaction)
    const titles = new Map(heads.map(({ id, title }) => [id, title]))
    const chunks = new Map(heads.map(({ id }) => [id, known.chunks.get(id) ?? []]))
    const missing = heads.map(({ id }) => id).filter((id) => !known.chunks.has(id))
    for (let start = 0; start < missing.length; start += docsAtOnce)
      for (const row of await chunksOfDocs(transaction, missing.slice(start, start + docsAtOnce))) {
        const { doc_id: docId, position, text } = row
        const headings: string[] = JSON.parse(row.headings)
        chunks.get(docId)?.push(countChunk({ docId, title: titles.get(docId) ?? '', position, headings, text }))
      }
    return { version, chunks, facts: (await listFacts(transaction)).map(countFact) }
  })
}

/** The words of a question that carry meaning; all words if none does. */
const queryWords = (question: string): string[] => {
  const words = wordsOf(question)
  const naming = words.filter((word) => carriesMeaning(word))
  return naming.length > 0 ? naming : words
}

/** The chunks to compare by meaning: all if there are few, else the best by words. */
const poolOf = (all: Counted<KnownChunk>[], byWords: readonly Scored<Counted<KnownChunk>>[]): Counted<KnownChunk>[] =>
  all.length <= maxForMeaning ? all : byWords.slice(0, maxForMeaning).map(({ item }) => item)

/** Combines the scores by words, relative to the best, and by meaning. */
export const blend = (
  byWords: readonly Scored<Counted<KnownChunk>>[],
  all: readonly Counted<KnownChunk>[],
  similarities: readonly number[],
): Scored<Counted<KnownChunk>>[] => {
  const best = byWords[0]?.score ?? 1
  const scores = new Map(byWords.map(({ item, score }) => [item, score / best]))
  return all
    .flatMap((item, index) => {
      const words = scores.get(item) ?? 0
      const meaning = similarities[index] ?? 0
      const isAbout = words > 0 || meaning >= minMeaning
      return isAbout ? [{ item, score: hybridWeights.words * words + hybridWeights.meaning * meaning }] : []
    })
    .toSorted((a, b) => b.score - a.score)
}

const unwrap = <Item>({ item, score }: Scored<Counted<Item>>): Scored<Item> => ({ item: item.item, score })

/**
 * Searches documents and facts. They are held in memory, bounded by `docLimits` and `factLimits`, and updated before each search if their version
 * in the store has changed, whichever replica changed them.
 */
export const createKnowledge = ({
  db,
  similarity,
}: {
  db: Kysely<ContextTables>
  similarity?: Similarity
}): Knowledge => {
  let latest: Corpus = { version: -1, chunks: new Map(), facts: [] }

  const search: Knowledge['search'] = async (question, options) => {
    const corpus = await refreshed(db, latest)
    latest = corpus
    const words = queryWords(question)
    const chunks = [...corpus.chunks.values()].flat()
    const byWords = rankTexts(chunks, words)
    const pool = poolOf(chunks, byWords)
    const similarities = await similarity?.(
      question,
      pool.map(({ item }) => item),
      options.signal,
    )
    const ranked = similarities ? blend(byWords, pool, similarities) : byWords
    return {
      chunks: ranked.slice(0, options.chunks).map(unwrap),
      facts: rankTexts(corpus.facts, words).slice(0, options.facts).map(unwrap),
    }
  }
  return {
    search,
    contextFor: async (question, signal) => {
      const found = await search(question, { ...contextLimits, signal })
      let remaining = contextLimits.characters
      const fits = (length: number) => {
        if (length > remaining) return false
        remaining -= length
        return true
      }
      const facts = found.facts.map(({ item }) => item).filter(({ key, value }) => fits(key.length + value.length))
      const chunks = found.chunks.map(({ item }) => item).filter(({ text }) => fits(text.length))
      return { facts, chunks }
    },
  }
}
