import { invalidField, serviceError } from '@trellis/kit/errors'
import type { Handlers } from '@trellis/kit/rpc'
import type { EntriesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/entries.ts'
import type { Dependencies } from '../dependencies.ts'
import { presentEntry } from '../entries/present.ts'
import { type Severity, severities } from '../entries/severity-code.ts'
import type { Vacuum } from './vacuum.ts'

/** The JSON text `null` means no severity; a missing value is an error of the caller. */
const readSeverity = (json: string | null | undefined): Severity | null => {
  const value: unknown = json ? JSON.parse(json) : undefined
  if (value === null) return null
  const severity = severities.find((known) => typeof value === 'string' && known === value.toUpperCase())
  if (!severity) throw invalidField(['body', 'severity'], `must be one of ${severities.join(', ')} or null`)
  return severity
}

export const entriesRpc = (
  { engine }: Pick<Dependencies, 'engine'>,
  vacuum: Pick<Vacuum, 'begin'>,
): Handlers<typeof EntriesServiceDefinition> => ({
  vacuum: () => vacuum.begin(),
  deleteSource: async ({ sourceId }, { signal }) => {
    if ((await engine.deleteSource(sourceId, signal)) === 0)
      throw serviceError('not_found', `There are no entries of source "${sourceId}".`)
    return {}
  },
  changeEntry: async ({ entryId, severity }, { signal }) => {
    const entry = await engine.setSeverity(entryId, readSeverity(severity), signal)
    if (!entry) throw serviceError('not_found', `There is no entry "${entryId}".`)
    return presentEntry(entry)
  },
})
