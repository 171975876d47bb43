import type { LogsSearchResponseRest } from '@trellis/protos/edge/client.ts'
import { type Command, readArguments } from '../command.ts'
import { numberWithin } from '../numbers.ts'
import { entryLine } from './entry-line.ts'
import { logServer, serverHelp, serverOptions } from './log-server.ts'
import { momentHelp, momentOf } from './moments.ts'

const options = {
  ...serverOptions,
  since: { type: 'string' },
  until: { type: 'string' },
  source: { type: 'string' },
  severity: { type: 'string' },
  order: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
} as const

const defaultLimit = 50

export const searchCommand: Command = {
  usage:
    '["QUERY"] [--since TIME] [--until TIME] [--source ID] [--severity NAME] [--order relevance|time] [--limit N] [--json] [--server URL] [--key-file FILE]',
  purpose: 'searches the logs and prints what it finds, a line for each entry',
  help: `The query has words, "a phrase", prefix*, -not and OR; without one, all entries are found.

${momentHelp}
  --source ID       only this source, or several with commas
  --severity NAME   CRITICAL, ERROR, WARN, or several with commas
  --order ORDER     relevance, or time: the newest first; default: relevance
  --limit N         entries to print, 1 to 1,000; default: ${defaultLimit}
  --json            prints the whole answer as JSON
${serverHelp}`,
  run: async (words, { result, note, ...surroundings }) => {
    const { values, positionals } = readArguments(words, options)
    const limit = numberWithin('limit', values.limit, { min: 1, max: 1_000, isWhole: true }) ?? defaultLimit
    const now = Date.now()
    const query = {
      q: positionals.join(' '),
      since: momentOf('since', values.since, now),
      until: momentOf('until', values.until, now),
      source: values.source,
      severity: values.severity,
      order: values.order,
      limit,
    }
    const client = await logServer(values, surroundings)
    const answer = await client.call<LogsSearchResponseRest>('/logs/api/search', { query })
    if (values.json) return result(JSON.stringify(answer, null, 2))
    for (const entry of answer.entries) result(entryLine(entry))
    const { entries, total, total_is_exact: isExact } = answer
    const found = `${isExact ? '' : 'At least '}${total} found`
    // Without entries, the total is inexact only if a branch is missing.
    if (total === 0 && !isExact)
      return note('Nothing was found, but a branch was not searched: it is stopped or does not respond.')
    note(total === 0 ? 'Nothing was found.' : `${found}${entries.length < total ? `, ${entries.length} printed` : ''}.`)
  },
}
