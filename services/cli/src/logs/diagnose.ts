import type { DiagnosisRest } from '@trellis/protos/edge/client.ts'
import { type Command, readArguments } from '../command.ts'
import { CommandFailure } from '../failure.ts'
import { entryLine, harmless } from './entry-line.ts'
import { logServer, serverHelp, serverOptions } from './log-server.ts'
import { momentHelp, momentOf } from './moments.ts'

const options = {
  ...serverOptions,
  since: { type: 'string' },
  until: { type: 'string' },
  source: { type: 'string' },
  json: { type: 'boolean' },
} as const

const maxPrinted = 20

/** A diagnosis as text: the summary, then the entries that support it. */
const textOf = ({ summary, entries }: DiagnosisRest): string => {
  const shown = entries.slice(0, maxPrinted)
  const rest = entries.length - shown.length
  return [
    harmless(summary?.text ?? ''),
    ...(shown.length === 0 ? [] : ['', ...shown.map(entryLine)]),
    ...(rest === 0 ? [] : [`${rest} more: --json prints all.`]),
  ].join('\n')
}

export const diagnoseCommand: Command = {
  usage: '"SYMPTOM" [--since TIME] [--until TIME] [--source ID] [--json] [--server URL] [--key-file FILE]',
  purpose: 'explains a symptom by the logs of its time, with the entries that support it',
  help: `The symptom may name its time: "checkout failed this morning".

${momentHelp}
  --source ID       only this source
  --json            prints the whole answer as JSON
${serverHelp}`,
  run: async (words, { result, progress, ...surroundings }) => {
    const { values, positionals } = readArguments(words, options)
    const symptom = positionals.join(' ').trim()
    if (symptom === '') throw new CommandFailure('What went wrong? trellis logs diagnose "connection refused"', 2)
    const now = Date.now()
    const body = {
      query: symptom,
      source_filter: values.source,
      since: momentOf('since', values.since, now),
      until: momentOf('until', values.until, now),
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    }
    const client = await logServer(values, surroundings)
    progress('Reading logs')
    const diagnosis = await client.call<DiagnosisRest>('/logs/api/diagnose', { method: 'POST', body })
    result(values.json ? JSON.stringify(diagnosis, null, 2) : textOf(diagnosis))
  },
}
