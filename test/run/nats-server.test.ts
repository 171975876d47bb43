import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { provideNatsServer } from './nats-server.ts'

const missing = () => false

/** A machine whose PATH has these programs alone, as shell scripts, with an empty cache. */
const machineWith = async (programs: Record<string, string>) => {
  const directory = await temporaryDirectory()
  const folder = join(directory.path, 'bin')
  await mkdir(folder)
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`)
    await chmod(join(folder, name), 0o755)
  }
  const said: string[] = []
  return {
    environment: { PATH: folder, XDG_CACHE_HOME: join(directory.path, 'cache'), LOG: join(directory.path, 'log') },
    said,
    say: (line: string) => void said.push(line),
    [Symbol.asyncDispose]: directory[Symbol.asyncDispose],
  }
}

const go = 'echo "$@" >> "$LOG"; printf "#!/bin/sh\\n" > "$GOBIN/nats-server"; chmod +x "$GOBIN/nats-server"'
const docker = `case "$1" in
  create) echo container;;
  cp) printf "#!/bin/sh\\n" > "$3/nats-server"; chmod +x "$3/nats-server";;
esac`

test('nats-server is built by Go once, and comes from the cache afterwards', async () => {
  await using machine = await machineWith({ go })
  const first = provideNatsServer(machine.environment, machine.say, missing)
  expect(first).toMatch(/cache\/trellis\/nats-server-[\d.]+\/nats-server$/)
  expect(provideNatsServer(machine.environment, machine.say, missing)).toBe(first)
  const log = await readFile(machine.environment.LOG, 'utf8')
  expect(log).toMatch(/^install github\.com\/nats-io\/nats-server\/v2@v[\d.]+\n$/)
  expect(machine.said).toEqual([expect.stringContaining('brought by Go')])
})

test('nats-server is copied out of its image where Go is missing or fails', async () => {
  for (const programs of [{ docker }, { docker, go: 'exit 1' }]) {
    await using machine = await machineWith(programs)
    expect(provideNatsServer(machine.environment, machine.say, missing)).toMatch(/\/nats-server$/)
    expect(machine.said).toEqual([expect.stringContaining('brought by Docker')])
  }
})

test('a machine that cannot get nats-server is told in one line what to install', async () => {
  await using machine = await machineWith({ docker: 'exit 1' })
  expect(provideNatsServer(machine.environment, machine.say, missing)).toBeUndefined()
  expect(machine.said).toEqual([expect.stringMatching(/tests are skipped without nats-server: install Go/)])
})

test('a machine that has nats-server is left as it is', async () => {
  await using machine = await machineWith({ go })
  expect(provideNatsServer(machine.environment, machine.say, () => true)).toBeUndefined()
  expect(provideNatsServer({ ...machine.environment, NATS_SERVER_BIN: '/x' }, machine.say, missing)).toBeUndefined()
  expect(machine.said).toEqual([])
})
