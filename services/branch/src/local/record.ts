import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createSerialQueue } from '@trellis/kit/lifecycle'

/** The stored state of a branch: a file in its folder. */
export type BranchRecord = {
  slug: string
  label: string
  tenantId: string | null
  retentionDays: number
  anonymize: boolean
  active: boolean
  port: number
  /** SHA-256 of the key, in hex: the key itself is returned once and never stored. */
  keyHash: string
  createdAt: string
  entryCount: number | null
  lastSeen: string | null
}

export type Records = {
  folderOf: (slug: string) => string
  get: (slug: string) => BranchRecord | undefined
  all: () => BranchRecord[]
  /** Adds a record, atomically; durable when it resolves. */
  add: (record: BranchRecord) => Promise<void>
  /**
   * Changes fields of the current record, so that concurrent changes to different fields are not lost. Durable when it resolves. Ignores a
   * branch without a record.
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
    // The creation of this folder's branch was not completed.
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

/** Opens the records of branches, each in its own folder below `directory`. */
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
