import { invalidField } from '@trellis/kit/errors'
import { type Handlers, readUpload } from '@trellis/kit/rpc'
import type {
  ContextFact,
  ContextServiceDefinition,
  ContextWizardColumn,
  ContextWizardField,
} from '@trellis/protos/ts/trellis/logs/v1/context.ts'
import type { ContextBase } from './context.ts'
import { manualSource } from './facts.ts'
import type { FactTable } from './migrations.ts'
import { readUploadedDocs } from './read-upload.ts'
import { type Column, type Field, wizardSteps } from './wizard/steps.ts'

const nonEmpty = (text: string | null | undefined): string | undefined => (text ? text : undefined)

const toFact = ({ created_at: createdAt, ...fact }: FactTable): ContextFact => ({ ...fact, createdAt })

const toColumn = (column: Column): ContextWizardColumn => ({
  name: column.name,
  label: column.label,
  type: column.type,
  required: column.required ?? false,
  help: column.help ?? '',
  options: column.type === 'choice' ? [...column.options] : [],
})

const toField = (field: Field): ContextWizardField => ({
  name: field.name,
  label: field.label,
  type: field.type,
  help: field.help,
  options: field.type === 'choice' ? [...field.options] : [],
  columns: field.type === 'rows' ? field.columns.map(toColumn) : [],
})

const missingFilter = (what: string) =>
  invalidField(
    ['query', 'all'],
    `Set one of ${what}, or all=true for all of them. To remove one, add its id to the path.`,
  )

export const contextRpc = ({
  docs,
  facts,
  wizard,
  knowledge,
}: ContextBase): Handlers<typeof ContextServiceDefinition> => ({
  listContextDocs: async ({ tag }) => ({ docs: await docs.list(nonEmpty(tag)) }),
  createContextDoc: async ({ title, text, tags }, { head }) => {
    const [stored] = await docs.create([{ title, text, tags }])
    if (!stored) throw new TypeError('create returns one document per input.')
    if (!stored.isNew) head.status(200)
    return stored.doc
  },
  uploadContextDocs: async (messages) => {
    const stored = await docs.create(await readUploadedDocs(await readUpload(messages)))
    return { docs: stored.map(({ doc }) => doc) }
  },
  deleteContextDocs: async ({ all }) => {
    if (!all)
      throw invalidField(
        ['query', 'all'],
        'Set all=true to remove all documents. To remove one, add its id to the path.',
      )
    return { deleted: await docs.removeAll() }
  },
  getContextDoc: ({ docId }) => docs.find(docId),
  deleteContextDoc: async ({ docId }) => {
    await docs.remove(docId)
    return {}
  },
  listContextFacts: async ({ category, key, source }) => {
    const rows = await facts.list({ category: nonEmpty(category), key: nonEmpty(key), source: nonEmpty(source) })
    return { facts: rows.map(toFact) }
  },
  putContextFact: async ({ category, key, value, source }, { head }) => {
    const { fact, isNew } = await facts.put({ category, key, value, source: nonEmpty(source) ?? manualSource })
    if (!isNew) head.status(200)
    return toFact(fact)
  },
  deleteContextFacts: async ({ category, source, all }) => {
    const filter = { category: nonEmpty(category), source: nonEmpty(source) }
    if (!all && filter.category === undefined && filter.source === undefined) throw missingFilter('category, source')
    return { deleted: await facts.removeAll(filter) }
  },
  deleteContextFact: async ({ factId }) => {
    await facts.remove(factId)
    return {}
  },
  getContextWizard: async () => {
    const answers = await wizard.answers()
    return {
      steps: wizardSteps.map(({ id, title, description, fields }) => ({
        id,
        title,
        description,
        fields: fields.map(toField),
        answers: answers.get(id) ?? null,
      })),
    }
  },
  answerContextWizard: async ({ step, answers }) => {
    const { nextStep, preview } = await wizard.answer(step, answers)
    return { nextStep, factsPreview: preview }
  },
  applyContextWizard: async () => {
    const { created, updated, removed } = await wizard.apply()
    return { factsCreated: created, factsUpdated: updated, factsRemoved: removed }
  },
  searchContext: async ({ q, limit }, { signal }) => {
    const max = limit ?? 10
    const { chunks, facts: found } = await knowledge.search(q, { chunks: max, facts: max, signal })
    return {
      chunks: chunks.map(({ item: { docId, text, title, headings }, score }) => ({
        docId,
        text,
        score,
        title,
        headings,
      })),
      facts: found.map(({ item: { category, key, value }, score }) => ({ category, key, value, score })),
    }
  },
})
