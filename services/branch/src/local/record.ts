import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createSerialQueue } from '@trellis/kit/lifecycle'

/** What is known of a branch whether it runs or not; a file in its folder. */
export type BranchRecord = {
  slug: string
  label: string
  tenantId: string | null
  retentionDays: number
  anonymize: boolean
  active: boolean
  port: number
  /** SHA-256 of the key, in hex: the key itself is told once and kept nowhere. */
  keyHash: string
  createdAt: string
  entryCount: number | null
  lastSeen: string | null
}

export type Records = {
  folderOf: (slug: string) => string
  get: (slug: string) => BranchRecord | undefined
  all: () => BranchRecord[]
  /** Durable when it resolves, whole or not at all. */
  add: (record: BranchRecord) => Promise<void>
  /**
   * Changes fields of a record as it is then, so that changes that are made at the same time are all kept. Durable when it resolves. A branch
   * without a record is left out.
   */
  change: (slug: string, changes: Partial<Omit<BranchRecord, 'slug'>>) => Promise<void>
  /** Resolves when all changes so far are written. */
  written: () => Promise<unknown>
}

const fileName = 'branch.json'

const read = async (path: string): Promise<BranchRecord | undefined> => {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as BranchRecord
  } catch (error) {
    // A folder whose branch was never finished being made.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

const sync = async (path: string): Promise<void> => {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

const listIn = async (directory: string): Promise<BranchRecord[]> => {
  await mkdir(directory, { recursive: true })
  const folders = await readdir(directory, { withFileTypes: true })
  const found = await Promise.all(
    folders.filter((one) => one.isDirectory()).map(({ name }) => read(join(directory, name, fileName))),
  )
  return found.filter((record) => record !== undefined)
}

/** Branches as folders below one, each with its record. */
export const openRecords = async (directory: string): Promise<Records> => {
  const records = new Map((await listIn(directory)).map((record) => [record.slug, record]))
  const serialQueue = createSerialQueue()
  const folderOf = (slug: string) => join(directory, slug)
  const write = async (record: BranchRecord) => {
    const folder = folderOf(record.slug)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, fileName)
    const file = await open(`${path}.new`, 'w', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(record, null, 2)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(`${path}.new`, path)
    await sync(folder)
    await sync(directory)
    records.set(record.slug, record)
  }
  return {
    folderOf,
    get: (slug) => records.get(slug),
    all: () => [...records.values()],
    add: (record) => serialQueue.run(() => write(record)),
    change: (slug, changes) =>
      serialQueue.run(async () => {
        const record = records.get(slug)
        if (record) await write({ ...record, ...changes })
      }),
    written: serialQueue.drain,
  }
}
