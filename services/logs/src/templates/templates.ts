import type { StoredEntry } from '../entries/entry.ts'
import { isAllocationFailure } from '../segments/allocate.ts'
import { createMiner, type Miner } from './miner.ts'
import type { TemplateStore } from './store.ts'

/** The templates that a thread knows: its own miner, synchronised with the shared rows. */
export type Templates = {
  /**
   * The ids of the templates of forms, in their order; the same forms get the same ids later, or those of the templates that replaced them.
   * Empty for a form that the miner fails at. Neither that nor a failing store rejects.
   */
  idsOf: (forms: readonly string[]) => Promise<readonly string[]>
  /** Adopts the templates that other threads and replicas have found. */
  catchUp: () => Promise<void>
  /** Deletes all templates, here and in the store, because the texts that they were made from have changed. */
  clear: () => Promise<void>
  /** Deletes templates without entries from the store; all threads drop them at their next synchronisation. `live` are the templates of stored entries. */
  prune: (live: ReadonlySet<string>) => Promise<void>
  /** An entry with the id that its template currently resolves to. */
  present: (entry: StoredEntry) => StoredEntry
} & Pick<Miner, 'resolve' | 'members' | 'formOf'>

export type TemplatesOptions = {
  store: TemplateStore
  /** Maximum number of templates in memory. */
  max?: number
  /** Reports failures to read or write. Entries are stored anyway, and the next batch retries. */
  onProblem: (problem: string) => void
}

const maxInMemory = 20_000
/** Maximum number of new templates per batch. Further entries have none: a flood of distinct lines must not become a flood of rows. */
const maxNewAtOnce = 1_000
/** Interval at which the templates of other replicas are adopted while there are no new ones here. */
const catchUpMilliseconds = 60_000

export const createTemplates = ({ store, max = maxInMemory, onProblem }: TemplatesOptions): Templates => {
  let miner = createMiner(max)
  let version = 0
  let caughtUpAt = Number.NEGATIVE_INFINITY
  let catching: Promise<void> | undefined
  let unsaved: ReturnType<Miner['changes']> = []
  let epoch: number | undefined
  /** Ids of entries that may not be in a segment yet, the oldest first. */
  const issued = new Set<string>()

  const note = (templateId: string) => {
    issued.delete(templateId)
    issued.add(templateId)
    const [oldest] = issued.size > max ? issued : []
    if (oldest !== undefined) issued.delete(oldest)
  }
  /** After a pruning: learns the remaining templates from scratch, and restores those that were issued here meanwhile. */
  const relearn = async () => {
    const before = miner
    unsaved.push(...before.changes())
    const changes = await store.changes(0)
    miner = createMiner(max)
    miner.learn(changes.templates)
    const lost = [...issued].filter((templateId) => miner.formOf(templateId) === undefined)
    const found = lost.map(before.templateOf).filter((template) => template !== undefined)
    miner.learn(found)
    unsaved.push(...found)
    version = changes.version
    epoch = changes.epoch
  }
  const catchUp = async () => {
    const changes = await store.changes(version)
    if (epoch !== undefined && changes.epoch !== epoch) await relearn()
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
      /** A form that the miner fails at gets no template: it would fail again with every delivery of its batch. */
      const orNone = <Found>(search: () => Found): Found | '' => {
        try {
          return search()
        } catch (error) {
          // Memory may be available at the next attempt.
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
        // The template mined for an earlier form may also be that of this one.
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
        await store.prune([...live, ...issued])
        for (const templateId of live) issued.delete(templateId)
        await catchUp()
        await save()
      } catch (error) {
        onProblem(`Templates without entries could not be deleted: ${String(error)}`)
      }
    },
    catchUp: tryCatchUp,
    clear: async () => {
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
