import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { provideNatsServer } from './nats-server.ts'
import { needsNatsServer } from './needs-nats.ts'

/** A machine whose PATH contains only these programs, as shell scripts, with an empty cache. */
const machineWith = async (programs: Record<string, string>) => {
  const directory = await temporaryDirectory()
  const folder = join(directory.path, 'bin')
  await mkdir(folder)
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`)
    await chmod(join(folder, name), 0o755)
  }
  const printed: string[] = []
  const print = (line: string) => void printed.push(line)
  return {
    options: { print, isNeeded: () => true, isThere: () => false },
    environment: { PATH: folder, XDG_CACHE_HOME: join(directory.path, 'cache'), LOG: join(directory.path, 'log') },
    printed,
    [Symbol.asyncDispose]: directory[Symbol.asyncDispose],
  }
}

const go = 'echo "$@" >> "$LOG"; printf "#!/bin/sh\\n" > "$GOBIN/nats-server"; chmod +x "$GOBIN/nats-server"'
const docker = `case "$1" in
  create) echo container;;
  cp) printf "#!/bin/sh\\n" > "$3/nats-server"; chmod +x "$3/nats-server";;
esac`

test('nats-server is built by Go once and then taken from the cache', async () => {
  await using machine = await machineWith({ go })
  const first = provideNatsServer(machine.environment, machine.options)
  expect(first).toMatch(/cache\/trellis\/nats-server-[\d.]+\/nats-server$/)
  expect(provideNatsServer(machine.environment, machine.options)).toBe(first)
  const log = await readFile(machine.environment.LOG, 'utf8')
  expect(log).toMatch(/^install github\.com\/nats-io\/nats-server\/v2@v[\d.]+\n$/)
  expect(machine.printed).toEqual([expect.stringContaining('brought by Go')])
})

test('a run whose tests need no nats-server fetches none, but uses a cached one', async () => {
  await using machine = await machineWith({ go })
  const unneeded = { ...machine.options, isNeeded: () => false }
  expect(provideNatsServer(machine.environment, unneeded)).toBeUndefined()
  expect(machine.printed).toEqual([])
  const brought = provideNatsServer(machine.environment, machine.options)
  expect(brought).toBeDefined()
  expect(provideNatsServer(machine.environment, unneeded)).toBe(brought)
})

test('nats-server is copied from its image if Go is missing or fails', async () => {
  for (const programs of [{ docker }, { docker, go: 'exit 1' }]) {
    await using machine = await machineWith(programs)
    expect(provideNatsServer(machine.environment, machine.options)).toMatch(/\/nats-server$/)
    expect(machine.printed).toEqual([expect.stringContaining('brought by Docker')])
  }
})

test('a machine that cannot get nats-server prints in one line what to install', async () => {
  await using machine = await machineWith({ docker: 'exit 1' })
  expect(provideNatsServer(machine.environment, machine.options)).toBeUndefined()
  expect(machine.printed).toEqual([expect.stringMatching(/need nats-server, are skipped without it: install Go/)])
})

test('an installed nats-server is used unchanged', async () => {
  await using machine = await machineWith({ go })
  expect(provideNatsServer(machine.environment, { ...machine.options, isThere: () => true })).toBeUndefined()
  expect(provideNatsServer({ ...machine.environment, NATS_SERVER_BIN: '/x' }, machine.options)).toBeUndefined()
  expect(machine.printed).toEqual([])
})

test.each([
  [true, []],
  [true, ['-t', 'a title that no file has in its path']],
  [true, ['--project', 'distributed', 'test/aborts']],
  [true, ['test/aborts/aborts.test.ts']],
  [true, ['--project', 'cluster*']],
  [true, ['--project=embedded', 'test/contract/nats-bus.test.ts']],
  [true, ['operator/test/operator.test.ts']],
  [false, ['--project', 'embedded', 'test/aborts']],
  [false, ['services/logs/src/formats']],
  [false, ['--project', 'unit', '--project', 'audio']],
])('needsNatsServer is %s for the vitest arguments %j', (isNeeded, args) => {
  expect(needsNatsServer(args)).toBe(isNeeded)
})
