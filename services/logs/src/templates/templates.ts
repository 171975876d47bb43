import type { StoredEntry } from '../entries/entry.ts'
import { isAllocationFailure } from '../segments/allocate.ts'
import { createMiner, type Miner } from './miner.ts'
import type { TemplateStore } from './store.ts'

/** The templates that a thread knows: its own miner, kept in step with the rows that all share. */
export type Templates = {
  /**
   * The ids of the templates of forms, in their order; the same array of forms every time has the same ids or those that took their place.
   * Empty for a form that the miner fails at. Neither that nor a failing store rejects.
   */
  idsOf: (forms: readonly string[]) => Promise<readonly string[]>
  /** Takes over what others have found meanwhile. */
  catchUp: () => Promise<void>
  /** Lets go of all templates, here and in the store: what they were made of has been changed. */
  forget: () => Promise<void>
  /** Lets go of templates that no entry has, in the store and, with the next look at it, in all threads. `live` are those that entries have. */
  prune: (live: ReadonlySet<string>) => Promise<void>
  /** An entry with the template that its own leads to now. */
  present: (entry: StoredEntry) => StoredEntry
} & Pick<Miner, 'resolve' | 'members' | 'formOf'>

export type TemplatesOptions = {
  store: TemplateStore
  /** Templates in memory. */
  max?: number
  /** Told of what cannot be read or written; entries are kept all the same, and it is tried again with the next of them. */
  onProblem: (problem: string) => void
}

const maxInMemory = 20_000
/** New templates of one batch. Entries of further ones have none: a flood of lines that are all different must not become a flood of rows. */
const maxNewAtOnce = 1_000
/** What other replicas have put together is looked for so often while there is nothing new here. */
const catchUpMilliseconds = 60_000

export const createTemplates = ({ store, max = maxInMemory, onProblem }: TemplatesOptions): Templates => {
  let miner = createMiner(max)
  let version = 0
  let caughtUpAt = Number.NEGATIVE_INFINITY
  let catching: Promise<void> | undefined
  let unsaved: ReturnType<Miner['changes']> = []
  let epoch: number | undefined
  /** Ids that were given to entries which may not lie in a segment yet; the oldest first. */
  const given = new Set<string>()

  const note = (templateId: string) => {
    given.delete(templateId)
    given.add(templateId)
    const [oldest] = given.size > max ? given : []
    if (oldest !== undefined) given.delete(oldest)
  }
  /** Templates have been pruned: begins with those that are left, and puts back those that were given out here meanwhile. */
  const learnAnew = async () => {
    const before = miner
    unsaved.push(...before.changes())
    const changes = await store.changes(0)
    miner = createMiner(max)
    miner.learn(changes.templates)
    const lost = [...given].filter((templateId) => miner.formOf(templateId) === undefined)
    const found = lost.map(before.templateOf).filter((template) => template !== undefined)
    miner.learn(found)
    unsaved.push(...found)
    version = changes.version
    epoch = changes.epoch
  }
  const catchUp = async () => {
    const changes = await store.changes(version)
    if (epoch !== undefined && changes.epoch !== epoch) await learnAnew()
    else {
      miner.learn(changes.templates)
      version = changes.version
      epoch = changes.epoch
    }
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
      let failed: unknown
      /** A form that the miner fails at would fail again with every delivery of its batch. */
      const orNone = <Found>(search: () => Found): Found | '' => {
        try {
          return search()
        } catch (error) {
          // Memory may be there the next time.
          if (isAllocationFailure(error)) throw error
          failed ??= error
          return ''
        }
      }
      const find = () => forms.map((form) => (form === '' ? '' : orNone(() => miner.find(form))))
      const isStale = performance.now() - caughtUpAt > catchUpMilliseconds
      let found = find()
      if (isStale || found.includes(undefined)) {
        await tryCatchUp()
        found = find()
      }
      let fresh = 0
      const ids = forms.map((form, index) => {
        // One that was mined for an earlier form may be that of this one, too.
        const known = found[index] ?? miner.find(form)
        if (known !== undefined) return known
        return ++fresh > maxNewAtOnce ? '' : orNone(() => miner.mine(form))
      })
      if (failed !== undefined) onProblem(`Templates could not be found: ${String(failed)}`)
      for (const templateId of ids) if (templateId !== '') note(templateId)
      await save()
      return ids
    },
    prune: async (live) => {
      try {
        await store.prune([...live, ...given])
        for (const templateId of live) given.delete(templateId)
        await catchUp()
        await save()
      } catch (error) {
        onProblem(`Templates without entries could not be let go of: ${String(error)}`)
      }
    },
    catchUp: tryCatchUp,
    forget: async () => {
      await store.clear()
      miner = createMiner(max)
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
