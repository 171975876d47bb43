import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminKey } from '../conformance/send.ts'
import { type ObservedTrellis, startObserved } from '../support/holdings.ts'
import { startOutside } from './outside.ts'
import { type Caller, createCaller, type Json, prepare } from './prepare.ts'
import { type RawRequest, rawRequests } from './requests.ts'

export type Aborted = AsyncDisposable & {
  observed: ObservedTrellis
  requests: RawRequest[]
  ports: number[]
  /** Deletes branches that requests have created: each is a process, or threads. */
  tidy: () => Promise<void>
}

/** Settings that lift the limits per caller, because all clients of the matrix count as one caller. */
const withoutLimits = {
  RATE_LIMIT: '0',
  RATE_LIMIT_SEARCHES: '0',
  RATE_LIMIT_GENERATIONS: '0',
  RATE_LIMIT_EXPORTS: '0',
  MAX_UPLOADS_PER_CALLER: '0',
  LISTINGS_USER_SEARCHES: '500',
  MUSIC_USER_GENERATIONS: '1000',
  MUSIC_USER_EXPORTS: '50',
}

/** Inactive branches count too. */
const branchLimit = 60

const tidyBranches = async (call: Caller): Promise<void> => {
  const { branches } = await call.get('/logs/api/orchard/branches')
  const slugs = (branches as Json[])
    .filter(({ slug, state }) => slug !== 'barn' && state !== 'inactive')
    .map(({ slug }) => String(slug))
  for (const slug of slugs) await call.delete(`/logs/api/orchard/branches/${slug}`)
}

/** Starts an installation in the form of the run, with the external servers and the resources that its routes need. */
export const startAborted = async (): Promise<Aborted> => {
  await using stack = new AsyncDisposableStack()
  const folder = async (prefix: string) => {
    const path = await mkdtemp(join(tmpdir(), prefix))
    stack.defer(() => rm(path, { recursive: true, force: true }))
    return path
  }
  const outside = stack.use(await startOutside())
  const logs = await folder('logs-')
  const logFile = join(logs, 'app.log')
  await writeFile(logFile, '2026-03-01T09:15:02Z host app[7]: collected\n')
  const observed = stack.use(
    await startObserved(await folder('obs-'), {
      SERVICE_ORCHARD_ADMIN_KEY: adminKey,
      BRANCH_LIMIT: String(branchLimit),
      SERVICE_LOG_DIRS: logs,
      ...withoutLimits,
      ...outside.environment,
    }),
  )
  const { origin, origins } = observed.trellis
  const fixtures = await prepare(origin, { settings: outside.settings, logFile, withLongAnswers: true })
  const started = stack.move()
  return {
    observed,
    requests: rawRequests(fixtures),
    ports: origins.map((one) => Number(new URL(one).port)),
    tidy: () => tidyBranches(createCaller(origin)),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}
