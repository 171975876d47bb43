import { setTimeout as sleep } from 'node:timers/promises'
import type { BranchesMissingRest, EntryRest } from '@trellis/protos/edge/client.ts'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { failureOf } from '../client.ts'
import { type Command, readArguments } from '../command.ts'
import { CommandFailure } from '../failure.ts'
import { numberWithin } from '../numbers.ts'
import { entryLine } from './entry-line.ts'
import { logServer, serverHelp, serverOptions } from './log-server.ts'
import { mayPass, pauseBefore } from './retries.ts'

const options = {
  ...serverOptions,
  source: { type: 'string' },
  severity: { type: 'string' },
  history: { type: 'string' },
  json: { type: 'boolean' },
} as const

/** Three heartbeats of the server: a stream that is silent for longer is dead. */
const silentMilliseconds = 45_000

/** Aborts when it was not fed for some time. */
const watchdog = (milliseconds: number): Disposable & { signal: AbortSignal; feed: () => void } => {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new CommandFailure('The server is silent.')), milliseconds)
  return { signal: controller.signal, feed: () => timer.refresh(), [Symbol.dispose]: () => clearTimeout(timer) }
}

const maxHistory = 1_000
/** At least half as many entries are recognized when they are shown again. */
const maxRemembered = 20_000
/** Batches of several senders may become visible in another order than they arrived in, but not later than this. */
const disorderMilliseconds = 1_000

/** Remembers printed entries, so that the history of a restarted server prints only new ones. */
const createPrinted = () => {
  let ids = new Set<string>()
  /** Entries that arrived earlier are older than the command. */
  let begin = 0
  let newest = 0
  return {
    begin: (serverTime: string | null) => {
      begin = serverTime === null ? Date.now() : Date.parse(serverTime)
    },
    isNew: ({ entry_id: id, ingest_time: arrival }: EntryRest): boolean =>
      Date.parse(arrival) >= Math.max(begin, newest - disorderMilliseconds) && !ids.has(id),
    add: ({ entry_id: id, ingest_time: arrival }: EntryRest) => {
      if (ids.size >= maxRemembered) ids = new Set([...ids].slice(-maxRemembered / 2))
      ids.add(id)
      newest = Math.max(newest, Date.parse(arrival))
    },
  }
}

const missingNote = (branches: readonly string[]): string => {
  const names = branches.join(', ')
  if (branches.length === 0) return 'All branches are followed again.'
  return branches.length === 1
    ? `Entries of the branch ${names} do not arrive: it is stopped or does not respond.`
    : `Entries of the branches ${names} do not arrive: they are stopped or do not respond.`
}

export const tailCommand: Command = {
  usage: '["QUERY"] [--source ID] [--severity NAME] [--history N] [--json] [--server URL] [--key-file FILE]',
  purpose: 'prints entries as they arrive, until Ctrl-C',
  help: `The query has words, "a phrase", prefix*, -not and OR; without one, all entries are printed.
A lost connection is made again, and entries that arrived meanwhile are printed then.

  --source ID       only this source, or several with commas
  --severity NAME   CRITICAL, ERROR, WARN, or several with commas
  --history N       first prints the newest N entries, 0 to 1,000; default: 0
  --json            prints each entry as a line of JSON
${serverHelp}`,
  run: async (words, { result, note, signal, environment }) => {
    const { values, positionals } = readArguments(words, options)
    const history = numberWithin('history', values.history, { min: 0, max: 1_000, isWhole: true })
    const client = await logServer(values, { environment, signal })
    const query = { q: positionals.join(' ') || undefined, source: values.source, severity: values.severity }
    const printed = createPrinted()
    let lastId: string | undefined
    let isKnown = false
    let failures = 0
    /** The missing branches as they were last noted. */
    let missing = ''
    /** Prints what arrives until the connection ends. Returns the failure if the server refuses. */
    const follow = async (): Promise<CommandFailure | undefined> => {
      using dog = watchdog(silentMilliseconds)
      const isResumed = lastId !== undefined
      const response = await client.send('/logs/api/tail', {
        // A server that was restarted knows no position of before, and shows the newest entries instead.
        query: { ...query, history: isKnown ? maxHistory : history, last_event_id: lastId },
        headers: { accept: 'text/event-stream' },
        signal: dog.signal,
      })
      if (!response.ok || response.body === null) {
        const failure = await failureOf(response)
        if (!mayPass(response.status)) return failure
        if (failures === 0) note(`${failure.message} Trying again.`)
        failures += 1
        return undefined
      }
      if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
        await response.body.cancel()
        return new CommandFailure(`What answers at ${client.origin} is not Trellis.`)
      }
      if (failures > 0) note('Connected again.')
      failures = 0
      const isFirst = !isKnown
      isKnown = true
      if (isFirst) printed.begin(response.headers.get('date'))
      /** Where the stream began. The ids of entries of the history begin with it, those of later entries do not. */
      let position: string | undefined
      let again = 0
      const onId = (id: string) => {
        position ??= id
        // Without a history nothing is lost by going on from there.
        if (isFirst && !history) lastId ??= id
      }
      const events = response.body
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream({ onComment: dog.feed, onId }))
      let isBegun = false
      for await (const { id, event, data } of events) {
        dog.feed()
        // Of what the server no longer keeps for a reader, its history has the newest.
        if ((event === 'reset' || event === 'gap') && isResumed && !isBegun) {
          lastId = undefined
          return undefined
        }
        if (event === 'branches_missing') {
          const { branches } = JSON.parse(data) as BranchesMissingRest
          if (branches.join() !== missing) note(missingNote(branches))
          missing = branches.join()
        } else isBegun = true
        if (event === 'gap' || event === 'reset')
          note('Some entries were missed: more arrived than are kept for a reader.')
        if (event === 'entry') {
          const entry = JSON.parse(data) as EntryRest
          const isAgain = !isFirst && !isResumed && position !== undefined && id?.startsWith(position)
          if (!isAgain || printed.isNew(entry)) {
            result(values.json ? data : entryLine(entry))
            if (isAgain && ++again === maxHistory)
              note(
                `Some entries may have been missed: of what arrived meanwhile, the newest ${maxHistory} are printed.`,
              )
          }
          printed.add(entry)
        }
        lastId = id ?? lastId
      }
      return undefined
    }
    for (;;) {
      let refusal: CommandFailure | undefined
      const isReset = isKnown && lastId === undefined
      const before = failures
      try {
        refusal = await follow()
      } catch (error) {
        signal.throwIfAborted()
        // A server that has never answered is probably named wrongly.
        if (!isKnown) throw error
      }
      if (refusal) throw refusal
      // After a reset, the next connection is made at once.
      if (lastId === undefined && isKnown && !isReset && failures === 0) continue
      if (failures === 0) note('The connection was lost.')
      if (failures <= before) failures += 1
      await sleep(pauseBefore(failures), undefined, { signal })
    }
  },
}
