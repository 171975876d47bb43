import { serviceError } from '@trellis/kit/errors'
import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { type AddedSourcesTables, readAddedSources, saveAddedSources } from './added-sources-store.ts'
import { maxDocumentBytes, readSourcesDocument, type SourcesDocument, withSources } from './sources-document.ts'
import { type ConfiguredSources, checkAppended } from './sources-file.ts'

const addedName = 'added sources'

/** Whatever a row says: nobody wrote it into a file of the host. */
const asAdded = (document: SourcesDocument): SourcesDocument => ({
  ...document,
  entries: document.entries.map((entry) => ({ ...entry, addedBy: 'api' })),
})

/** What a file tells comes first; one that is added and has the id of one in the file is left out and named. */
const both = (given: SourcesDocument, added: SourcesDocument): SourcesDocument => {
  const ids = new Set(given.entries.map(({ id }) => id))
  return {
    entries: [...given.entries, ...added.entries.filter(({ id }) => !ids.has(id))],
    problems: [
      ...given.problems,
      ...added.problems,
      ...added.entries.flatMap(({ id }) =>
        ids.has(id) ? [`${addedName}: "${id}" is told by the sources file, too, and that counts.`] : [],
      ),
    ],
    isReadable: given.isReadable && added.isReadable,
  }
}

/**
 * The sources of replicas: those of a file that each of them is given alike and may not be able to write (a ConfigMap), and those that were
 * added through the API, which are a row. Read at each call, so that what was added at one is known to all at once.
 */
export const createSharedSources = ({
  given,
  db,
}: {
  given: Pick<ConfiguredSources, 'read'>
  db: Kysely<AddedSourcesTables>
}): ConfiguredSources => {
  const readAdded = async () => asAdded(readSourcesDocument(await readAddedSources(db), addedName))
  return {
    read: async () => both(await given.read(), await readAdded()),
    append: async (sources) => {
      const inFile = await given.read()
      return transact(db, async (transaction) => {
        const text = await readAddedSources(transaction)
        const added = checkAppended(both(inFile, readSourcesDocument(text, addedName)), sources)
        if (added.length === 0) return added
        const document = withSources(text, sources)
        if (document.length > maxDocumentBytes)
          throw serviceError(
            'conflict',
            `All sources that are added may take ${maxDocumentBytes} characters; there is no room.`,
          )
        await saveAddedSources(transaction, document)
        return added
      })
    },
  }
}
