import { setTimeout as sleep } from 'node:timers/promises'
import { createFetchPage, type FetchPage, type Rendering } from './fetch-page.ts'
import { createHostGate } from './host-gate.ts'
import { createMemoryHostStates, type HostStates } from './host-states.ts'
import { createHttpGet } from './http-get.ts'
import { createPageCache } from './page-cache.ts'
import { createGetRobots } from './polite-get.ts'
import { createRobots } from './robots.ts'

export type PolitenessOptions = {
  /** User agent of requests; its first word, without the version, is the name matched in robots.txt. */
  readonly userAgent: string
  readonly gapMilliseconds: number
  /** Configured hosts may have private addresses. */
  readonly mayBePrivate: (hostname: string) => boolean
  /** State of hosts: in memory unless several processes share it. */
  readonly hostStates?: HostStates
  readonly timeoutMilliseconds?: number
  readonly maxBytes?: number
  readonly cacheCharacters?: number
  /** How pages are rendered in a browser, if at all. */
  readonly rendering?: Rendering | undefined
}

const mebibyte = 1024 * 1024
/** How long a page is cached. */
export const cacheMilliseconds = 5 * 60_000

/** Polite fetching with defaults: 20 s and 8 MiB a page, pages cached for 5 minutes in at most 64 million characters. */
export const createPoliteFetch = ({
  userAgent,
  gapMilliseconds,
  mayBePrivate,
  hostStates = createMemoryHostStates(),
  timeoutMilliseconds = 20_000,
  maxBytes = 8 * mebibyte,
  cacheCharacters = 64_000_000,
  rendering,
}: PolitenessOptions): FetchPage => {
  const clock = () => performance.now()
  const get = createHttpGet({ userAgent, timeoutMilliseconds, maxBytes, mayBePrivate })
  const gate = createHostGate({
    gapMilliseconds,
    hostStates,
    clock: () => Date.now(),
    sleep: async (milliseconds, signal) => void (await sleep(milliseconds, undefined, { signal })),
  })
  return createFetchPage({
    get,
    gate,
    robots: createRobots({
      get: createGetRobots({ get, gate }),
      userAgent: userAgent.split(/[\s/]/)[0] ?? userAgent,
      clock,
    }),
    cache: createPageCache({ lifetimeMilliseconds: cacheMilliseconds, maxCharacters: cacheCharacters, clock }),
    rendering,
  })
}
