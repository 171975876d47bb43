import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CollectServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/collect.ts'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { SetupServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/setup.ts'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openServiceForTests, type ServiceForTests } from '../service-for-tests.ts'

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let service: ServiceForTests
let secret: string
let logs: string

const open = () =>
  openServiceForTests({
    environment: { SERVICE_LOG_DIRS: logs, LOGS_WATCH: '0' },
    dataDirectory: join(folder.path, 'data'),
    secretFiles: [join(folder.path, 'run', 'api-key')],
  })

beforeAll(async () => {
  folder = await temporaryDirectory()
  logs = join(folder.path, 'logs')
  secret = join(folder.path, 'home', 'id_ed25519')
  for (const name of ['logs', 'home', 'run', 'data']) await mkdir(join(folder.path, name))
  await writeFile(secret, 'PRIVATE of a user\n')
  await writeFile(join(folder.path, 'run', 'api-key'), 'PRIVATE key of the API\n')
  await writeFile(join(logs, 'app.log'), 'a line of the application\n')
  await symlink(secret, join(logs, 'linked.log'))
  await symlink(join(folder.path, 'home'), join(logs, 'home'))
  await symlink(join(logs, 'app.log'), join(folder.path, 'home', 'to-the-log'))
  service = await open()
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await folder?.[Symbol.asyncDispose]()
})

const write = (source: Record<string, unknown>) =>
  service
    .client(SetupServiceDefinition)
    .writeSources({ sources: [source] as never })
    .catch((error: unknown) => error)

/** Collects one source, and returns its stored texts and its last error. */
const glean = async (id: string) => {
  const collect = service.client(CollectServiceDefinition)
  const { taskId } = await collect.gleanSource({ sourceId: id })
  for await (const { event } of service.client(LogsServiceDefinition).watchTask({ taskId }))
    if (event?.$case === 'done') break
  const { entries } = await service.client(LogsServiceDefinition).search({ limit: 1_000 })
  const { sources } = await collect.listConfiguredSources({})
  return {
    texts: entries.filter(({ sourceId }) => sourceId.split(':')[0] === id).map(({ text }) => text),
    lastError: sources.find((source) => source.id === id)?.lastError ?? undefined,
  }
}

describe('a source added through the API', () => {
  test.each([
    ['a file elsewhere', () => secret],
    ['a folder elsewhere', () => join(folder.path, 'home')],
    ['a path out of the folder', () => `${logs}/../home/id_ed25519`],
    ['a path through a folder that does not exist', () => `${logs}/none/../../home/id_ed25519`],
    ['a link to a file elsewhere', () => join(logs, 'linked.log')],
    ['a path through a linked folder', () => join(logs, 'home', 'id_ed25519')],
    ['a pattern that begins elsewhere', () => join(folder.path, '*', 'id_*')],
    ['a pattern through a linked folder', () => join(logs, 'home', '*')],
    ['a file that does not exist', () => join(folder.path, 'home', 'nothing-here')],
    ['the environment of the process', () => '/proc/self/environ'],
    ['a device', () => '/dev/zero'],
    ['a file of the data directory', () => join(folder.path, 'data', 'settings-key')],
    ['the folder above the logs', () => folder.path],
    ['the root', () => '/'],
    ['a folder whose name has the same beginning', () => `${logs}-of-others/app.log`],
  ])('is rejected with the name of the setting: %s', async (_, path) => {
    expect(await write({ id: 'refused', path: path() })).toMatchObject({
      kind: 'invalid',
      detail: [{ loc: ['body', 'sources', 0, 'path'], msg: expect.stringContaining('SERVICE_LOG_DIRS') }],
    })
  })

  test('is rejected with the same error whether the path exists or not, so that this is not disclosed', async () => {
    const answers = await Promise.all(
      [secret, join(folder.path, 'home', 'nothing-here')].map((path) => write({ id: 'probe', path })),
    )
    expect(String(answers[0])).toBe(String(answers[1]))
    const interpreted = await Promise.all(
      [secret, join(folder.path, 'home', 'nothing-here')].map((path) =>
        service.client(SetupServiceDefinition).interpretSource({ text: `read ${path}` }),
      ),
    )
    expect(interpreted).toMatchObject([{ source: null }, { source: null }])
  })

  test('may not name a journal elsewhere or a foreign socket', async () => {
    const journal = { id: 'j', transport: 'local', gleanType: 'journald', path: join(folder.path, 'home') }
    expect(String(await write(journal))).toContain('SERVICE_LOG_DIRS')
    const docker = { id: 'd', transport: 'local', gleanType: 'docker', socket: join(folder.path, 'home', 'agent.sock') }
    expect(await write(docker)).toMatchObject({ detail: [{ loc: ['body', 'sources', 0, 'socket'] }] })
  })

  test('reads logs, also through a link and by a pattern', async () => {
    expect(await write({ id: 'whole', path: logs })).toMatchObject({ written: 1 })
    expect(await glean('whole')).toMatchObject({ texts: ['a line of the application'] })
    expect(await write({ id: 'link', path: join(folder.path, 'home', 'to-the-log') })).toMatchObject({ written: 1 })
    expect(await write({ id: 'pattern', path: join(logs, '*.log') })).toMatchObject({ written: 1 })
    expect((await glean('pattern')).texts).toEqual(['a line of the application'])
  })

  test('does not follow a link that replaced its file later, and has the reason in its last_error', async () => {
    const path = join(logs, 'later.log')
    await writeFile(path, 'a first line\n')
    expect(await write({ id: 'later', path })).toMatchObject({ written: 1 })
    expect(await glean('later')).toEqual({ texts: ['a first line'], lastError: undefined })
    await rm(path)
    await symlink(secret, path)
    const { texts, lastError } = await glean('later')
    expect(texts).toEqual(['a first line'])
    expect(lastError).toContain('SERVICE_LOG_DIRS')
    expect(lastError).not.toContain('id_ed25519')
  })

  test('stays restricted after a restart and after its path was edited by hand', async () => {
    await write({ id: 'edited', path: join(logs, 'app.log') })
    await service[Symbol.asyncDispose]()
    const file = join(folder.path, 'data', 'sources.yaml')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace(/(id: edited\n\s+path: ).*/, `$1${secret}`))
    service = await open()
    expect(await glean('edited')).toEqual({ texts: [], lastError: expect.stringContaining('SERVICE_LOG_DIRS') })
    // Removing the mark makes it a source of the administrator.
    await writeFile(file, (await readFile(file, 'utf8')).replace(/(id_ed25519\n)\s+added_by: api/, '$1'))
    expect(await glean('edited')).toEqual({ texts: ['PRIVATE of a user'], lastError: undefined })
  })
})

describe('a source that the administrator wrote into the file by hand', () => {
  test.each([
    ['the environment of the process', () => '/proc/self/environ'],
    ['the data directory', () => join(folder.path, 'data')],
    ['a link to a file of the data directory', () => join(folder.path, 'home', 'to-key')],
    ['a file that a setting names for a secret', () => join(folder.path, 'run', 'api-key')],
  ])('reads no secret of the installation: %s', async (_, path) => {
    await writeFile(join(folder.path, 'data', 'settings-key.txt'), 'PRIVATE key\n')
    await rm(join(folder.path, 'home', 'to-key'), { force: true })
    await symlink(join(folder.path, 'data', 'settings-key.txt'), join(folder.path, 'home', 'to-key'))
    await writeFile(join(folder.path, 'data', 'sources.yaml'), `sources:\n  - {id: hand, path: ${path()}}\n`)
    expect(await glean('hand')).toEqual({
      texts: [],
      lastError: expect.stringContaining('belongs to the system (/proc, /sys, /dev) or to this installation'),
    })
  })

  test('reads files elsewhere, and the inbox of the data directory', async () => {
    await writeFile(join(folder.path, 'data', 'inbox', 'dropped.log'), 'dropped in\n')
    await writeFile(
      join(folder.path, 'data', 'sources.yaml'),
      `sources:\n  - {id: own, path: ${secret}}\n  - {id: inbox, path: ${join(folder.path, 'data', 'inbox')}}\n`,
    )
    expect((await glean('own')).texts).toEqual(['PRIVATE of a user'])
    expect((await glean('inbox')).texts).toEqual(['dropped in'])
  })
})
