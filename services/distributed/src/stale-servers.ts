import { execFile } from 'node:child_process'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const graceMilliseconds = 10_000

const commandOf = async (pid: number): Promise<string> => {
  try {
    return (await run('ps', ['-o', 'args=', '-p', String(pid)])).stdout
  } catch {
    return ''
  }
}

/** The processes that still serve this folder; excludes pids that other programs have reused. */
const stillServing = async (pids: readonly number[], folder: string): Promise<number[]> => {
  const commands = await Promise.all(pids.map(commandOf))
  return pids.filter((_, index) => commands[index]?.includes(folder))
}

const signal = (pids: readonly number[], name: NodeJS.Signals) => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has already exited.
    }
  }
}

/**
 * Records the pids of servers. Servers do not notice that their launcher was killed, so the next launcher ends them by this
 * record, because two servers must not write to one folder.
 */
export const serverNotes = (folder: string) => {
  const path = join(folder, 'processes.json')
  return {
    note: async (pids: readonly number[]): Promise<void> => {
      await writeFile(`${path}.new`, JSON.stringify(pids))
      await rename(`${path}.new`, path)
    },
    /** Ends the servers that an earlier launcher left behind. */
    endStale: async (): Promise<void> => {
      const noted = JSON.parse(await readFile(path, 'utf8').catch(() => '[]')) as number[]
      const untilGone = async (pids: readonly number[], milliseconds: number): Promise<number[]> => {
        let left = await stillServing(pids, folder)
        for (const limit = Date.now() + milliseconds; left.length > 0 && Date.now() < limit; await sleep(50))
          left = await stillServing(left, folder)
        return left
      }
      const stale = await stillServing(noted, folder)
      // SIGINT ends all servers gracefully; after SIGTERM Postgres would wait for its clients.
      signal(stale, 'SIGINT')
      const stuck = await untilGone(stale, graceMilliseconds)
      signal(stuck, 'SIGKILL')
      await untilGone(stuck, graceMilliseconds)
    },
  }
}
