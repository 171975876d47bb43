import { setTimeout as sleep } from 'node:timers/promises'
import { createEgress } from '@trellis/kit/egress'
import { serviceError } from '@trellis/kit/errors'
import { usesDemo } from '../config.ts'
import type { Dependencies } from '../dependencies.ts'
import { createBusHostStates } from '../marketplace/scraper/bus-host-states.ts'
import { createHostGate } from '../marketplace/scraper/host-gate.ts'
import { createMemoryHostStates } from '../marketplace/scraper/host-states.ts'
import { createHttpGet } from '../marketplace/scraper/http-get.ts'
import { createPageCache } from '../marketplace/scraper/page-cache.ts'
import { createGetRobots } from '../marketplace/scraper/polite-get.ts'
import { createRobots } from '../marketplace/scraper/robots.ts'
import { createFetchPhoto, type FetchPhoto, maxPhotoBytes, type Photo } from './fetch-photo.ts'

/** Photos by their URL: cached, or fetched from the marketplace. */
export type PhotoSource = AsyncDisposable & { readonly get: FetchPhoto }

type SourceDependencies = Pick<Dependencies, 'config' | 'bus' | 'demoUrl'>

const lifetimeMilliseconds = 3_600_000
const maxCachedBytes = 64 * 1024 * 1024
/** Maximum photos being fetched at a time; more get 503. Each may wait for its slot with the host. */
const maxFetching = 100
const robotsLimits = { timeoutMilliseconds: 10_000, maxBytes: 1024 * 1024 } as const

const createFetch = ({ config, bus }: SourceDependencies, mayBePrivate: (hostname: string) => boolean) => {
  const { userAgent } = config
  const isDemo = usesDemo(config)
  const egress = createEgress({ blockPrivate: false, maxResponseBytes: 2 * maxPhotoBytes })
  const gate = createHostGate({
    gapMilliseconds: isDemo ? 0 : config.photoGapMilliseconds,
    // The demo is ours, and each replica has its own.
    hostStates: isDemo ? createMemoryHostStates() : createBusHostStates(async () => bus),
    clock: () => Date.now(),
    sleep: async (milliseconds, signal) => void (await sleep(milliseconds, undefined, { signal })),
  })
  const robots = createRobots({
    get: createGetRobots({ get: createHttpGet({ ...robotsLimits, userAgent, mayBePrivate }), gate }),
    userAgent: userAgent.split(/[\s/]/)[0] ?? userAgent,
    clock: () => performance.now(),
  })
  const fetch = createFetchPhoto({ egress, gate, robots, userAgent, mayBePrivate })
  return { fetch, close: () => egress[Symbol.asyncDispose]() }
}

/** The photos of the configured marketplace. Equal requests share one fetch; recent photos are held in memory, 64 MiB of them for an hour. */
export const createPhotoSource = (dependencies: SourceDependencies): PhotoSource => {
  const { config, demoUrl } = dependencies
  const configured = new Set([config.baseUrl, config.demoUrl].flatMap((url) => (url ? [new URL(url).hostname] : [])))
  const mayBePrivate = (hostname: string) => configured.has(hostname)
  const { fetch, close } = createFetch(dependencies, mayBePrivate)
  const cache = createPageCache<Photo>({
    lifetimeMilliseconds,
    maxCharacters: maxCachedBytes,
    clock: () => performance.now(),
  })
  let fetching = 0

  const fetchNow: FetchPhoto = async (address, signal) => {
    if (fetching >= maxFetching)
      throw serviceError('unavailable', 'Too many photos are being fetched already. Try again shortly.', {
        retryAfterSeconds: 5,
      })
    fetching += 1
    try {
      return await fetch(address, signal)
    } finally {
      fetching -= 1
    }
  }

  /** The demo listens elsewhere after each start, and serves the same photo under the same path. */
  const current = async (address: string): Promise<string> => {
    if (!usesDemo(config)) return address
    const { pathname } = new URL(address)
    const demo = new URL(pathname, await demoUrl())
    configured.add(demo.hostname)
    return demo.href
  }

  return {
    get: async (address, signal) => {
      const url = await current(address)
      return cache.get(url, () => fetchNow(url, signal))
    },
    [Symbol.asyncDispose]: close,
  }
}
