import type { Kysely } from 'kysely'
import { createDocs, type Docs } from './docs.ts'
import { createFacts, type Facts } from './facts.ts'
import { createKnowledge, type Knowledge, type Similarity } from './knowledge.ts'
import type { ContextTables } from './migrations.ts'
import { createWizard, type Wizard } from './wizard/wizard.ts'

/** What users have documented about their systems. */
export type ContextBase = { docs: Docs; facts: Facts; wizard: Wizard; knowledge: Knowledge }

export type ContextOptions = {
  db: Kysely<ContextTables>
  now: () => number
  /** Enables ranking by meaning. */
  similarity?: Similarity
}

export const createContextBase = ({ db, now, similarity }: ContextOptions): ContextBase => ({
  docs: createDocs({ db, now }),
  facts: createFacts({ db, now }),
  wizard: createWizard({ db, now }),
  knowledge: createKnowledge({ db, ...(similarity && { similarity }) }),
})
