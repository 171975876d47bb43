import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { serviceError } from '@trellis/kit/errors'
import { createSerialQueue } from '@trellis/kit/lifecycle'
import { type Handlers, type Implementation, implementation } from '@trellis/kit/rpc'
import type { Log } from '@trellis/kit/telemetry'
import { type Branch, BranchesServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { type BranchProcess, startBranchProcess } from './branch-process.ts'
import { nextPort } from './ports.ts'
import { type BranchRecord, openRecords } from './record.ts'

export type LocalBranchesOptions = {
  /** The parent of the branches' folders. */
  directory: string
  /** The first port for branches. */
  basePort?: number
  /** Maximum branches, active or not. */
  limit?: number
  /** Further variables of each branch: logging, limits, the secret of calls. */
  environment?: Record<string, string>
  /** Receives the output of a branch, line by line. */
  onLine?: (slug: string, line: string) => void
  log: Log
  now?: () => Date
}

/** The branches of one machine. */
export type LocalBranches = AsyncDisposable & {
  handlers: Handlers<typeof BranchesServiceDefinition>
  implementations: Implementation[]
}

const slugShape = /^[a-z0-9-]{1,40}$/
const startMilliseconds = 30_000
/** Retries, because another process may take the port between the check and the branch's start. */
const portAttempts = 5

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex')

const newestFirst = (left: BranchRecord, right: BranchRecord): number =>
  left.createdAt < right.createdAt ? 1 : left.createdAt > right.createdAt ? -1 : left.slug < right.slug ? -1 : 1

/** Runs branches as child processes, in place of pods. Branches that were active at the last shutdown are started at once. */
export const createLocalBranches = async (options: LocalBranchesOptions): Promise<LocalBranches> => {
  const { directory, basePort = 8_538, limit = 50, environment = {}, onLine = () => undefined, log } = options
  const { now = () => new Date() } = options
  const records = await openRecords(directory)
  const running = new Map<string, BranchProcess>()
  let isEnding = false

  const note = (slug: string, entryCount: number, lastSeen: string | null) => {
    records
      .change(slug, { entryCount, lastSeen })
      .catch((error: unknown) => log.warn({ err: error, branch: slug }, 'branch: entry count not stored'))
  }
  const start = (record: BranchRecord): BranchProcess => {
    const { slug, port, keyHash, tenantId, retentionDays, anonymize } = record
    const started = startBranchProcess({
      slug,
      environment: {
        ...environment,
        BRANCH_SLUG: slug,
        BRANCH_KEY_SHA256: keyHash,
        BRANCH_TENANT_ID: tenantId ?? '',
        BRANCH_RETENTION_DAYS: String(retentionDays),
        BRANCH_ANONYMIZE: anonymize ? '1' : '0',
        HOST: '127.0.0.1',
        PORT: String(port),
        METRICS_PORT: '0',
        RPC_ADDRESS: '127.0.0.1:0',
        TRELLIS_DATA_DIR: records.folderOf(slug),
        END_WITH_INPUT: '1',
      },
      onEvent: ({ entryCount, lastSeen }) => note(slug, entryCount, lastSeen ?? null),
      onLine: (line) => onLine(slug, line),
      log,
    })
    running.set(slug, started)
    return started
  }
  const stop = async (slug: string) => {
    await running.get(slug)?.stop()
    running.delete(slug)
    await records.written()
  }
  const untilReady = async (process: BranchProcess) => {
    const late = new AbortController()
    try {
      await Promise.race([
        process.ready,
        sleep(startMilliseconds, undefined, { signal: late.signal }).then(() => {
          throw new Error(`It was not ready within ${startMilliseconds / 1_000} s.`)
        }),
      ])
    } finally {
      late.abort()
    }
  }
  const shown = (record: BranchRecord): Branch => {
    const rpcAddress = running.get(record.slug)?.rpcAddress()
    return {
      slug: record.slug,
      label: record.label,
      tenantId: record.tenantId,
      active: record.active,
      ready: rpcAddress !== undefined,
      port: record.port,
      httpAddress: `http://127.0.0.1:${record.port}`,
      rpcAddress: rpcAddress ?? '',
      dataDir: records.folderOf(record.slug),
      createdAt: record.createdAt,
      retentionDays: record.retentionDays,
      anonymize: record.anonymize,
      entryCount: record.entryCount,
      lastSeen: record.lastSeen,
    }
  }

  const serialQueue = createSerialQueue()
  /** Serializes the creation and changes of branches. */
  const serialized = <Result>(work: () => Promise<Result>): Promise<Result> =>
    serialQueue.run(() => {
      if (isEnding) throw serviceError('unavailable', 'The server is shutting down.', { retryAfterSeconds: 5 })
      return work()
    })
  /** Starts a branch, then writes its record, so that a branch that cannot be started does not exist. */
  const graft = async (record: Omit<BranchRecord, 'port'>): Promise<BranchRecord> => {
    const taken = new Set(records.all().map(({ port }) => port))
    for (let attempt = 1; ; attempt++) {
      const made = { ...record, port: await nextPort(basePort, taken) }
      try {
        await untilReady(start(made))
        await records.add(made)
        return made
      } catch (cause) {
        await stop(record.slug)
        if (attempt === portAttempts)
          throw serviceError('unavailable', `Branch "${record.slug}" could not be started.`, {
            cause,
            retryAfterSeconds: 5,
          })
        log.warn({ err: cause, branch: record.slug, port: made.port }, 'branch: did not start, trying the next port')
        taken.add(made.port)
      }
    }
  }

  const handlers: Handlers<typeof BranchesServiceDefinition> = {
    graftBranch: ({ slug, label, tenantId, retentionDays, anonymize }) =>
      serialized(async () => {
        if (!slugShape.test(slug)) throw serviceError('invalid', `"${slug}" cannot be the slug of a branch.`)
        if (records.get(slug)) throw serviceError('conflict', `A branch "${slug}" already exists. Choose another slug.`)
        if (records.all().length >= limit)
          throw serviceError(
            'unavailable',
            `This machine has reached its limit of ${limit} branches. Raise BRANCH_LIMIT.`,
          )
        const key = `branch_${randomBytes(24).toString('base64url')}`
        const record = await graft({
          slug,
          label,
          tenantId: tenantId ?? null,
          retentionDays: retentionDays ?? 30,
          anonymize,
          active: true,
          keyHash: hashOf(key),
          createdAt: now().toISOString(),
          entryCount: null,
          lastSeen: null,
        })
        return { branch: shown(record), apiKey: key }
      }),
    listBranches: async () => ({ branches: records.all().toSorted(newestFirst).map(shown) }),
    setBranchState: ({ slug, active }) =>
      serialized(async () => {
        const known = records.get(slug)
        if (!known) throw serviceError('not_found', `There is no branch "${slug}".`)
        if (known.active !== active) await records.change(slug, { active })
        if (!active) await stop(slug)
        else {
          try {
            await untilReady(running.get(slug) ?? start({ ...known, active }))
          } catch (error) {
            // The supervisor retries, and the list shows it as not ready.
            log.warn({ err: error, branch: slug }, 'branch: not ready yet')
          }
        }
        return shown(records.get(slug) ?? known)
      }),
  }
  for (const record of records.all()) if (record.active) start(record)
  return {
    handlers,
    implementations: [implementation(BranchesServiceDefinition, handlers)],
    [Symbol.asyncDispose]: async () => {
      isEnding = true
      await serialQueue.drain()
      await Promise.all([...running.keys()].map(stop))
    },
  }
}
