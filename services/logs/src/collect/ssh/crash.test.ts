import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomFrom, runSeed } from '@trellis/test/support/exploration'
import { modulePath } from '@trellis/test/support/module-path'
import { sshdMissing, startSshd } from '@trellis/test/support/sshd'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { openCollecting } from '../collecting-for-tests.ts'
import { collectInto, readEntry } from '../records/collect-for-tests.ts'
import { createSshConnections } from './connections.ts'
import { createVisitor } from './host-keys-for-tests.ts'
import { createSshCollector } from './ssh-collector.ts'

const line = (number: number) => `2026-03-01T09:15:${String(number % 60).padStart(2, '0')}Z INFO line n${number}\n`
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => line(from + index)).join('')

test.skipIf(sshdMissing !== undefined)(
  'killed at any time while it collects from a remote host, a process neither loses nor duplicates lines',
  async () => {
    await using folder = await temporaryDirectory()
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    const data = join(folder.path, 'data')
    const path = join(folder.path, 'app.log')
    const address = visitor.addressOf(server)
    // The time of each kill and the amount written before it depend on the seed of the run.
    const random = randomFrom(runSeed)
    let written = 0
    const write = async (count: number) => {
      await appendFile(path, lines(written, written + count))
      written += count
    }
    await write(40_000)
    const victim = await modulePath('services/logs/src/collect/ssh/kill-victim.ts')
    for (let round = 0; round < 4; round++) {
      const arguments_ = [victim, data, path, visitor.keys, JSON.stringify(address)]
      const child = spawn(process.execPath, arguments_, { stdio: ['pipe', 'pipe', 'inherit'] })
      const ended = once(child, 'exit')
      await once(child.stdout, 'data')
      // Once after a complete run, otherwise at any time: before anything is stored, between two runs, or during one.
      if (round === 2) await once(child.stdout, 'data')
      else await sleep(random() * 1_500)
      await write(1_000 + Math.floor(random() * 3_000))
      if (round === 1) {
        await rename(path, `${path}.1`)
        await write(500)
      }
      await sleep(random() * 500)
      child.kill('SIGKILL')
      await ended
    }
    await using opened = await openCollecting(data)
    await using connections = createSshConnections({ hostKeys: visitor.hostKeys, keyFolders: [visitor.keys] })
    const { glean } = collectInto(
      createSshCollector({
        connections,
        addressOf: async () => address,
        maxExpandedBytes: 2 ** 26,
        now: () => Date.now() + 60_000,
      }),
      opened,
    )
    expect((await opened.texts()).length).toBeGreaterThan(0)
    await glean(
      readEntry({ id: 'app', transport: 'ssh', glean_type: 'plaintext', ssh_target: 'nas', remote_path: path }),
    )
    const numbers = (await opened.texts()).map((text) => Number(/n(\d+)$/.exec(text)?.[1])).toSorted((a, b) => a - b)
    expect(numbers).toEqual(Array.from({ length: written }, (_, index) => index))
  },
)
