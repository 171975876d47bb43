import { serviceError } from '@trellis/kit/errors'
import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { type AddedSourcesTables, readAddedSources, saveAddedSources } from './added-sources-store.ts'
import { maxDocumentBytes, readSourcesDocument, type SourcesDocument, withSources } from './sources-document.ts'
import { type ConfiguredSources, checkAppended } from './sources-file.ts'

const addedName = 'added sources'

/** Rows were not written by an administrator, whatever their `added_by` is. */
const asAdded = (document: SourcesDocument): SourcesDocument => ({
  ...document,
  entries: document.entries.map((entry) => ({ ...entry, addedBy: 'api' })),
})

/** Sources of the file come first; an added source with the id of one in the file is skipped and reported. */
const both = (file: SourcesDocument, added: SourcesDocument): SourcesDocument => {
  const ids = new Set(file.entries.map(({ id }) => id))
  return {
    entries: [...file.entries, ...added.entries.filter(({ id }) => !ids.has(id))],
    problems: [
      ...file.problems,
      ...added.problems,
      ...added.entries.flatMap(({ id }) =>
        ids.has(id) ? [`${addedName}: the sources file has "${id}", too, which takes precedence.`] : [],
      ),
    ],
    isReadable: file.isReadable && added.isReadable,
  }
}

/**
 * The sources of replicas: those in a file that is the same for all of them and may be read-only (a ConfigMap), and those that were added
 * through the API, which are stored in a row. Both are read at each call, so that sources added at one replica are known to all at once.
 */
export const createSharedSources = ({
  sourcesFile,
  db,
}: {
  sourcesFile: Pick<ConfiguredSources, 'read'>
  db: Kysely<AddedSourcesTables>
}): ConfiguredSources => {
  const readAdded = async () => asAdded(readSourcesDocument(await readAddedSources(db), addedName))
  return {
    read: async () => both(await sourcesFile.read(), await readAdded()),
    append: async (sources) => {
      const inFile = await sourcesFile.read()
      return transact(db, async (transaction) => {
        const text = await readAddedSources(transaction)
        const added = checkAppended(both(inFile, readSourcesDocument(text, addedName)), sources)
        if (added.length === 0) return added
        const document = withSources(text, sources)
        if (document.length > maxDocumentBytes)
          throw serviceError(
            'conflict',
            `Added sources may take ${maxDocumentBytes} characters in total, which would be exceeded.`,
          )
        await saveAddedSources(transaction, document)
        return added
      })
    },
  }
}
