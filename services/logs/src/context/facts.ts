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

/** Lengths in characters, and the total number of facts. */
export const factLimits = { facts: 5_000, category: 100, key: 200, value: 4_000, source: 100 }

/** The source of facts unless they name one, and the source of facts of the wizard. */
export const manualSource = 'manual'
export const wizardSource = 'wizard'

export type NewFact = { category: string; key: string; value: string; source: string }

export type Facts = {
  /** By category and key. */
  list: (filter: FactFilter) => Promise<FactTable[]>
  /** Inserts a fact, or replaces value and source of the one with this category and key, whose id stays. */
  put: (fact: NewFact) => Promise<{ fact: FactTable; isNew: boolean }>
  remove: (id: string) => Promise<void>
  removeAll: (filter: FactFilter) => Promise<number>
}

/** Trims a fact. Throws `invalid` for an invalid one. */
const checkFact = (input: NewFact): NewFact => {
  const fact = { ...input, category: input.category.trim(), key: input.key.trim(), value: input.value.trim() }
  for (const name of ['category', 'key', 'value', 'source'] as const) {
    const text = fact[name]
    if (text === '' || text.length > factLimits[name])
      throw invalidField(['body', name], `${name} must have 1 to ${factLimits[name]} characters.`)
    if (text.includes('\0')) throw invalidField(['body', name], `${name} must not have a NUL character.`)
  }
  if (fact.source === wizardSource)
    throw invalidField(
      ['body', 'source'],
      `source must not be "${wizardSource}": it is reserved for the facts of the wizard.`,
    )
  return fact
}

/** Throws `too_large` if there are more facts than allowed. Runs in the transaction that adds some. */
export const checkFactCount = async (db: Kysely<ContextTables>): Promise<void> => {
  if ((await countFacts(db)) > factLimits.facts)
    throw serviceError('too_large', `The context holds at most ${factLimits.facts} facts: remove some first.`)
}

export const createFacts = ({ db, now }: { db: Kysely<ContextTables>; now: () => number }): Facts => ({
  list: (filter) => listFacts(db, filter),
  put: async (input) => {
    const fact = checkFact(input)
    return transact(db, async (transaction) => {
      await bumpVersion(transaction)
      const known = await findFact(transaction, fact.category, fact.key)
      if (known) {
        const changed = { ...known, value: fact.value, source: fact.source }
        await changeFact(transaction, changed)
        return { fact: changed, isNew: false }
      }
      const created = { id: randomUUID(), ...fact, created_at: new Date(now()).toISOString() }
      await insertFact(transaction, created)
      await checkFactCount(transaction)
      return { fact: created, isNew: true }
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
