import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lockDataDirectory } from './data-directory.ts'

const holder = `
import { lockDataDirectory } from ${JSON.stringify(new URL('./data-directory.ts', import.meta.url).href)}
await lockDataDirectory(process.argv[1])
process.stdout.write('held')
setInterval(() => {}, 1000)`

test('a second process gets an explanation, and a killed process leaves no stale lock', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-lock-'))
  const child = spawn(process.execPath, ['--input-type=module', '-e', holder, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  await expect(lockDataDirectory(directory)).rejects.toThrow(/is in use by another Trellis.*TRELLIS_DATA_DIR/)
  child.kill('SIGKILL')
  await once(child, 'exit')
  ;(await lockDataDirectory(directory))[Symbol.dispose]()
  await rm(directory, { recursive: true })
})
