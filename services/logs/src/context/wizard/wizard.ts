import { randomUUID } from 'node:crypto'
import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { checkFactCount, wizardSource } from '../facts.ts'
import type { ContextTables, FactTable } from '../migrations.ts'
import { bumpVersion, changeFact, deleteFact, insertFact, listAnswers, listFacts, saveAnswers } from '../store.ts'
import { type Answers, readAnswers, stepOf } from './answers.ts'
import { factsOf, type WizardFact } from './sentences.ts'
import { wizardSteps } from './steps.ts'

/** What applying would do to a fact; `kept` is one of another source than the wizard, which stays. */
export type Change = 'new' | 'changed' | 'unchanged' | 'kept'
export type Preview = WizardFact & { change: Change }
export type Applied = { created: number; updated: number; removed: number }

/** The wizard of an installation. Its answers are stored as rows, so that any replica can continue it at any time. */
export type Wizard = {
  /** Stored answers by step, as JSON text. */
  answers: () => Promise<ReadonlyMap<string, string>>
  /** Stores the answers to a step. Throws `not_found` and `invalid`. */
  answer: (step: string, json: string) => Promise<{ nextStep: string | null; preview: Preview[] }>
  /** Creates, updates and deletes facts of the wizard to match its answers. */
  apply: () => Promise<Applied>
}

type Plan = { preview: Preview[]; create: WizardFact[]; update: FactTable[]; remove: FactTable[] }

const keyOf = ({ category, key }: { category: string; key: string }) => `${category}\n${key}`

/** Compares the facts derived from the answers with the stored ones. */
export const planFacts = (desired: readonly WizardFact[], known: readonly FactTable[]): Plan => {
  const byKey = new Map(known.map((fact) => [keyOf(fact), fact]))
  const plan: Plan = { preview: [], create: [], update: [], remove: [] }
  for (const fact of desired) {
    const existing = byKey.get(keyOf(fact))
    const change: Change = !existing
      ? 'new'
      : existing.source !== wizardSource
        ? 'kept'
        : existing.value === fact.value
          ? 'unchanged'
          : 'changed'
    plan.preview.push({ ...fact, change })
    if (change === 'new') plan.create.push(fact)
    else if (existing && change === 'changed') plan.update.push({ ...existing, value: fact.value })
  }
  const desiredKeys = new Set(desired.map(keyOf))
  plan.remove = known.filter((fact) => fact.source === wizardSource && !desiredKeys.has(keyOf(fact)))
  return plan
}

/** The facts derived from all steps, in their order. */
const desiredFacts = async (db: Kysely<ContextTables>): Promise<WizardFact[]> => {
  const byStep = new Map((await listAnswers(db)).map(({ step, answers }) => [step, answers]))
  return wizardSteps.flatMap(({ id }) => {
    const answers = byStep.get(id)
    return answers === undefined ? [] : factsOf(id, JSON.parse(answers) as Answers)
  })
}

export const createWizard = ({ db, now }: { db: Kysely<ContextTables>; now: () => number }): Wizard => ({
  answers: async () => new Map((await listAnswers(db)).map(({ step, answers }) => [step, answers])),
  answer: async (id, json) => {
    const step = stepOf(id)
    const answers = JSON.stringify(readAnswers(step, json))
    const next = wizardSteps[wizardSteps.indexOf(step) + 1]
    const preview = await transact(db, async (transaction) => {
      await saveAnswers(transaction, { step: id, answers, changed_at: new Date(now()).toISOString() })
      return planFacts(await desiredFacts(transaction), await listFacts(transaction)).preview
    })
    return { nextStep: next?.id ?? null, preview }
  },
  apply: () =>
    transact(db, async (transaction) => {
      const { create, update, remove } = planFacts(await desiredFacts(transaction), await listFacts(transaction))
      const created_at = new Date(now()).toISOString()
      for (const fact of remove) await deleteFact(transaction, fact.id)
      for (const fact of update) await changeFact(transaction, fact)
      for (const fact of create)
        await insertFact(transaction, { id: randomUUID(), ...fact, source: wizardSource, created_at })
      if (create.length > 0) await checkFactCount(transaction)
      const counts = { created: create.length, updated: update.length, removed: remove.length }
      if (counts.created + counts.updated + counts.removed > 0) await bumpVersion(transaction)
      return counts
    }),
})
