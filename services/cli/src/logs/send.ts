import { randomInt } from 'node:crypto'
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

/** What became of a batch: the answer, why it may be stored later, or that it must be sent in parts. */
type Outcome = GleanBatchResponseRest | { retry: string } | 'too large'

const attempt = async (client: Client, body: unknown): Promise<Outcome> => {
  try {
    const response = await client.send('/logs/api/glean/batch', { method: 'POST', body })
    if (response.status === 413) {
      await response.body?.cancel()
      return 'too large'
    }
    if (mayPass(response.status)) return { retry: (await failureOf(response)).message }
    const answer = await client.answerOf<GleanBatchResponseRest>(response)
    if (!Array.isArray(answer.rejected)) throw new CommandFailure(`What answers at ${client.origin} is not Trellis.`)
    return answer
  } catch (error) {
    if (error instanceof CommandFailure && error.cause !== undefined) return { retry: error.message }
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
        const outcome = await attempt(client, { source_id: source, entries })
        if (outcome === 'too large') {
          // A proxy may accept less than the server does.
          if (entries.length === 1)
            return { accepted: 0, refused: ['413: the line is too long for the server, or for a proxy before it.'] }
          const half = Math.ceil(entries.length / 2)
          const [first, second] = [await deliver(entries.slice(0, half)), await deliver(entries.slice(half))]
          return { accepted: first.accepted + second.accepted, refused: [...first.refused, ...second.refused] }
        }
        if (!('retry' in outcome))
          return {
            accepted: outcome.accepted + outcome.duplicates,
            refused: outcome.rejected.map(({ reason }) => reason),
          }
        if (signal.aborted) throw new CommandFailure(`${lineCount(entries.length)} could not be sent. ${outcome.retry}`)
        if (failures === 1) note(`${outcome.retry} The lines wait, and are sent when it answers.`)
        await sleep(pauseBefore(failures), undefined, { signal }).catch(() => undefined)
      }
    }
    let accepted = 0
    let refused = 0
    // Numbers make equal lines different ones, also those of an earlier call, and nearly always those of a call at the same moment.
    let sequence = Date.now() * 1_000 + randomInt(1_000)
    try {
      for await (const lines of batchesOf(process.stdin, signal)) {
        const sent = await deliver(lines.map((text) => ({ text, sequence: sequence++ })))
        accepted += sent.accepted
        refused += sent.refused.length
        if (sent.refused.length > 0) note(`Refused: ${lineCount(sent.refused.length)}. ${sent.refused[0]}`)
      }
    } catch (error) {
      if (accepted > 0) note(`Stored before: ${lineCount(accepted)}.`)
      throw error
    }
    result(`Stored: ${lineCount(accepted)}${refused === 0 ? '' : `; refused: ${refused}`}.`)
    if (refused > 0) throw new CommandFailure('Not all lines were stored.')
  },
}
