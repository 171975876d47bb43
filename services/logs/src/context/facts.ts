import { randomUUID } from 'node:crypto'
import { invalidField, serviceError } from '@trellis/kit/errors'
import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import type { ContextTables, FactTable } from './migrations.ts'
import {
  bumpVersion,
  changeFact,
  countFacts,
  deleteFact,
  deleteFacts,
  type FactFilter,
  findFact,
  insertFact,
  listFacts,
} from './store.ts'

/** In characters, and facts altogether. */
export const factLimits = { facts: 5_000, category: 100, key: 200, value: 4_000, source: 100 }

/** Who writes facts unless told, and who writes those of the wizard. */
export const manualSource = 'manual'
export const wizardSource = 'wizard'

export type NewFact = { category: string; key: string; value: string; source: string }

export type Facts = {
  /** By category and key. */
  list: (filter: FactFilter) => Promise<FactTable[]>
  /** Keeps a fact; of one with this category and key, value and source are replaced, and its id stays. */
  put: (fact: NewFact) => Promise<{ fact: FactTable; isNew: boolean }>
  remove: (id: string) => Promise<void>
  removeAll: (filter: FactFilter) => Promise<number>
}

/** Throws `invalid` for what cannot be kept. */
const checkFact = (given: NewFact): NewFact => {
  const fact = { ...given, category: given.category.trim(), key: given.key.trim(), value: given.value.trim() }
  for (const name of ['category', 'key', 'value', 'source'] as const) {
    const text = fact[name]
    if (text === '' || text.length > factLimits[name])
      throw invalidField(['body', name], `${name} must have 1 to ${factLimits[name]} characters.`)
    if (text.includes('\0')) throw invalidField(['body', name], `${name} must not have a NUL character.`)
  }
  if (fact.source === wizardSource)
    throw invalidField(
      ['body', 'source'],
      `source must not be "${wizardSource}": facts of the wizard come and go with its answers.`,
    )
  return fact
}

/** Throws `too_large` where there are more facts than are allowed. In the transaction that adds some. */
export const checkFactCount = async (db: Kysely<ContextTables>): Promise<void> => {
  if ((await countFacts(db)) > factLimits.facts)
    throw serviceError('too_large', `The context holds at most ${factLimits.facts} facts: remove some first.`)
}

export const createFacts = ({ db, now }: { db: Kysely<ContextTables>; now: () => number }): Facts => ({
  list: (filter) => listFacts(db, filter),
  put: async (given) => {
    const fact = checkFact(given)
    return transact(db, async (transaction) => {
      await bumpVersion(transaction)
      const known = await findFact(transaction, fact.category, fact.key)
      if (known) {
        const changed = { ...known, value: fact.value, source: fact.source }
        await changeFact(transaction, changed)
        return { fact: changed, isNew: false }
      }
      const made = { id: randomUUID(), ...fact, created_at: new Date(now()).toISOString() }
      await insertFact(transaction, made)
      await checkFactCount(transaction)
      return { fact: made, isNew: true }
    })
  },
  remove: (id) =>
    transact(db, async (transaction) => {
      if (!(await deleteFact(transaction, id))) throw serviceError('not_found', `There is no fact "${id}".`)
      await bumpVersion(transaction)
    }),
  removeAll: (filter) =>
    transact(db, async (transaction) => {
      await bumpVersion(transaction)
      return deleteFacts(transaction, filter)
    }),
})
