import { setTimeout as sleep } from 'node:timers/promises'
import type { EntryRest } from '@trellis/protos/edge/client.ts'
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
/** So many entries are recognized when they are shown again. */
const maxRemembered = 5_000

/** What was printed, so that the newest entries of a restarted server can be told from it and from what had arrived before. */
const createPrinted = () => {
  let ids = new Set<string>()
  /** Entries that arrived earlier were printed, or are older than the command. */
  let since = ''
  return {
    begin: (serverTime: string | null) => {
      since = new Date(serverTime ?? Date.now()).toISOString()
    },
    isNew: ({ entry_id: id, ingest_time: arrival }: EntryRest): boolean => arrival >= since && !ids.has(id),
    add: ({ entry_id: id, ingest_time: arrival }: EntryRest) => {
      if (ids.size >= maxRemembered) ids = new Set([...ids].slice(-maxRemembered / 2))
      ids.add(id)
      if (arrival > since) since = arrival
    },
  }
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
        return mayPass(response.status) ? undefined : failure
      }
      if (failures > 0) note('Connected again.')
      failures = 0
      const isFirst = !isKnown
      isKnown = true
      if (isFirst) printed.begin(response.headers.get('date'))
      const text = response.body.pipeThrough(new TextDecoderStream())
      for await (const { id, event, data } of text.pipeThrough(new EventSourceParserStream({ onComment: dog.feed }))) {
        dog.feed()
        if (event === 'reset' && isResumed) {
          lastId = undefined
          return undefined
        }
        if (event === 'gap' || event === 'reset')
          note('Some entries were missed: more arrived than are kept for a reader.')
        if (event === 'entry') {
          const entry = JSON.parse(data) as EntryRest
          if (isFirst || printed.isNew(entry)) result(values.json ? data : entryLine(entry))
          printed.add(entry)
        }
        lastId = id ?? lastId
      }
      return undefined
    }
    for (;;) {
      let refusal: CommandFailure | undefined
      const isReset = isKnown && lastId === undefined
      try {
        refusal = await follow()
      } catch (error) {
        signal.throwIfAborted()
        // A server that has never answered is probably named wrongly.
        if (!isKnown) throw error
      }
      if (refusal) throw refusal
      // After a reset, the next connection is made at once.
      if (lastId === undefined && isKnown && !isReset) continue
      if (failures === 0) note('The connection was lost.')
      failures += 1
      await sleep(pauseBefore(failures), undefined, { signal })
    }
  },
}
