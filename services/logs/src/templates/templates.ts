import type { StoredEntry } from '../entries/entry.ts'
import { createMiner, type Miner } from './miner.ts'
import type { TemplateStore } from './store.ts'

/** The templates that a thread knows: its own miner, kept in step with the rows that all share. */
export type Templates = {
  /** The ids of the templates of forms, in their order; the same array of forms every time has the same ids or those that took their place. */
  idsOf: (forms: readonly string[]) => Promise<readonly string[]>
  /** Takes over what others have found meanwhile. */
  catchUp: () => Promise<void>
  /** Lets go of all templates, here and in the store: what they were made of has been changed. */
  forget: () => Promise<void>
  /** An entry with the template that its own leads to now. */
  present: (entry: StoredEntry) => StoredEntry
} & Pick<Miner, 'resolve' | 'members' | 'formOf'>

export type TemplatesOptions = {
  store: TemplateStore
  /** Templates in memory. */
  most?: number
  /** Told of what cannot be read or written; entries are kept all the same, and it is tried again with the next of them. */
  onProblem: (problem: string) => void
}

const mostInMemory = 20_000
/** New templates of one batch. Entries of further ones have none: a flood of lines that are all different must not become a flood of rows. */
const mostNewAtOnce = 1_000
/** What other replicas have put together is looked for so often while there is nothing new here. */
const catchUpMilliseconds = 60_000

export const createTemplates = ({ store, most = mostInMemory, onProblem }: TemplatesOptions): Templates => {
  let miner = createMiner(most)
  let version = 0
  let caughtUpAt = Number.NEGATIVE_INFINITY
  let catching: Promise<void> | undefined
  let unsaved: ReturnType<Miner['changes']> = []

  const catchUp = async () => {
    const changes = await store.changes(version)
    miner.learn(changes.templates)
    version = changes.version
    caughtUpAt = performance.now()
  }
  const tryCatchUp = () => {
    catching ??= catchUp()
      .catch((error: unknown) => onProblem(`Templates could not be read: ${String(error)}`))
      .finally(() => {
        catching = undefined
      })
    return catching
  }
  const save = async () => {
    const changes = [...unsaved, ...miner.changes()]
    if (changes.length === 0) return
    unsaved = []
    try {
      await store.save([...new Map(changes.map((template) => [template.templateId, template])).values()])
    } catch (error) {
      unsaved = changes
      onProblem(`Templates could not be written: ${String(error)}`)
    }
  }
  return {
    idsOf: async (forms) => {
      const isStale = performance.now() - caughtUpAt > catchUpMilliseconds
      if (isStale || forms.some((form) => form !== '' && miner.find(form) === undefined)) await tryCatchUp()
      let fresh = 0
      const ids = forms.map((form) => {
        const known = form === '' ? '' : miner.find(form)
        if (known !== undefined) return known
        return ++fresh > mostNewAtOnce ? '' : miner.mine(form)
      })
      await save()
      return ids
    },
    catchUp: tryCatchUp,
    forget: async () => {
      await store.clear()
      miner = createMiner(most)
      version = 0
      unsaved = []
    },
    present: (entry) => {
      if (entry.templateId === null) return entry
      const templateId = miner.resolve(entry.templateId)
      return templateId === entry.templateId ? entry : { ...entry, templateId }
    },
    resolve: (templateId) => miner.resolve(templateId),
    members: (templateId) => miner.members(templateId),
    formOf: (templateId) => miner.formOf(templateId),
  }
}
