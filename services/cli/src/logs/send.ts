import { setTimeout as sleep } from 'node:timers/promises'
import type { GleanBatchResponseRest } from '@trellis/protos/edge/client.ts'
import { type Client, failureOf } from '../client.ts'
import { type Command, readArguments } from '../command.ts'
import { CommandFailure } from '../failure.ts'
import { batchesOf } from './batches.ts'
import { logServer, serverHelp, serverOptions } from './log-server.ts'
import { mayPass, pauseBefore } from './retries.ts'

const lineCount = (count: number): string => (count === 1 ? '1 line' : `${count} lines`)

type Sent = { accepted: number; refused: string[] }

/** A batch that the server has not stored, for a reason that may pass: the answer, or the failure to get one. */
const attempt = async (client: Client, body: unknown): Promise<GleanBatchResponseRest | string> => {
  try {
    const response = await client.send('/logs/api/glean/batch', { method: 'POST', body })
    if (response.ok) return (await response.json()) as GleanBatchResponseRest
    const failure = await failureOf(response)
    if (!mayPass(response.status)) throw failure
    return failure.message
  } catch (error) {
    if (error instanceof CommandFailure && error.cause !== undefined) return error.message
    throw error
  }
}

export const sendCommand: Command = {
  usage: 'SOURCE [--server URL] [--key-file FILE]',
  purpose: 'sends the lines of standard input to the log service as they arrive',
  help: `For example: backup.sh 2>&1 | trellis logs send backup

Lines are sent after a second, or by the thousand. While the server does not answer, they wait and standard input is not read; a batch that is sent twice
is stored once. Ctrl-C ends it after what was read is sent.

${serverHelp}`,
  run: async (words, { result, note, signal, environment }) => {
    const { values, positionals } = readArguments(words, serverOptions)
    const [source = '', ...others] = positionals
    if (source === '' || others.length > 0)
      throw new CommandFailure('Which source do the lines belong to? trellis logs send SOURCE', 2)
    // The first signal ends the input only: what was read is sent before the command ends.
    const client = await logServer(values, { environment, signal: new AbortController().signal })
    const deliver = async (entries: readonly unknown[]): Promise<Sent> => {
      for (let failures = 1; ; failures++) {
        const answer = await attempt(client, { source_id: source, entries })
        if (typeof answer !== 'string')
          return { accepted: answer.accepted + answer.duplicates, refused: answer.rejected.map(({ reason }) => reason) }
        if (signal.aborted) throw new CommandFailure(`${lineCount(entries.length)} could not be sent. ${answer}`)
        if (failures === 1) note(`${answer} The lines wait, and are sent when it answers.`)
        await sleep(pauseBefore(failures), undefined, { signal }).catch(() => undefined)
      }
    }
    let accepted = 0
    let refused = 0
    // Numbers make equal lines different ones, also those of an earlier call.
    let sequence = Date.now() * 1_000
    for await (const lines of batchesOf(process.stdin, signal)) {
      const sent = await deliver(lines.map((text) => ({ text, sequence: sequence++ })))
      accepted += sent.accepted
      refused += sent.refused.length
      if (sent.refused.length > 0) note(`Refused: ${lineCount(sent.refused.length)}. ${sent.refused[0]}`)
    }
    result(`Stored: ${lineCount(accepted)}${refused === 0 ? '' : `; refused: ${refused}`}.`)
    if (refused > 0) throw new CommandFailure('Not all lines were stored.')
  },
}
