import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createMemoryBus } from '@trellis/kit/bus'
import { SshTargetsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/ssh_targets.ts'
import { openSeverable } from '@trellis/test/support/severable'
import { sshdMissing, startSshd } from '@trellis/test/support/sshd'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { describe, expect, test } from 'vitest'
import { openService } from '../service-for-tests.ts'
import { createVisitor } from './host-keys-for-tests.ts'

const named = sshdMissing === undefined ? '' : ` [skipped: ${sshdMissing}]`

/** A service with a sources file for the hosts, and a key that they accept. */
const setUp = async () => {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await temporaryDirectory())
  const visitor = opened.use(await createVisitor())
  const bus = opened.use(createMemoryBus())
  const logs = join(folder.path, 'remote')
  await mkdir(logs)
  const service = opened.use(
    await openService({
      directory: folder.path,
      bus,
      environment: { SERVICE_SSH_KEY_DIRS: visitor.keys, LOGS_WATCH: '0', SERVICE_GLEAN_INTERVAL: '86400' },
    }),
  )
  const targets = service.client(SshTargetsServiceDefinition)
  const publicKey = (await readFile(visitor.publicKeyPath, 'utf8')).trim()
  const createTarget = ({ port, user }: { port: number; user: string }) =>
    targets.createSshTarget({ label: 'host', host: '127.0.0.1', port, user, keyPath: visitor.keyPath })
  const stack = opened.move()
  return {
    ...service,
    targets,
    publicKey,
    keyPath: visitor.keyPath,
    createTarget,
    log: (name: string) => join(logs, name),
    writeSources: (...sources: Record<string, unknown>[]) =>
      writeFile(join(folder.path, 'sources.yaml'), JSON.stringify({ sources })),
    configured: async () => (await service.collect.listConfiguredSources({})).sources,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** A server that accepts connections and sends nothing. */
const openSilentServer = async () => {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    // Read, so that the end of the connection is noticed.
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    socket.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connections: () => connections,
    cut,
    [Symbol.asyncDispose]: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const plaintext = { transport: 'ssh', glean_type: 'plaintext' }

describe.skipIf(sshdMissing !== undefined)(`sources of remote hosts${named}`, () => {
  test('of a host with a changed key are rejected with a sentence, and collected after its key is accepted', async () => {
    await using service = await setUp()
    const first = await startSshd()
    await using way = await openSeverable(`127.0.0.1:${first.port}`)
    await first.authorize(service.publicKey)
    const { id } = await service.createTarget({ ...first, port: Number(way.address.split(':')[1]) })
    await service.writeSources({ ...plaintext, id: 'nas', ssh_target: id, remote_path: service.log('app.log') })
    await writeFile(service.log('app.log'), 'one\ntwo\n')
    expect(await service.finished(await service.collect.gleanSource({ sourceId: 'nas' }))).toMatchObject({
      status: 'done',
    })

    await appendFile(service.log('app.log'), 'three\n')
    way.cut()
    await first[Symbol.asyncDispose]()
    await using second = await startSshd({ port: first.port })
    way.mend()
    await second.authorize(service.publicKey)
    const refused = await service.finished(await service.collect.gleanSource({ sourceId: 'nas' }))
    expect(refused).toMatchObject({ status: 'failed', counts: { lines: 0, entries: 0 } })
    expect(refused.error).toMatch(/127\.0\.0\.1 presents the key SHA256:\S+, but SHA256:\S+ is stored for it: /)
    expect((await service.configured())[0]?.lastError).toMatch(/is stored for it/)
    expect(second.log()).not.toContain('publickey')
    expect(await service.texts()).toEqual(['one', 'two'])

    const tested = await service.targets.testSshTarget({ id })
    expect(tested).toMatchObject({ ok: false, target: { lastOk: false } })
    await service.targets.testSshTarget({ id, acceptHostKey: tested.hostKeyFingerprint ?? '' })
    expect(await service.finished(await service.collect.gleanSource({ sourceId: 'nas' }))).toMatchObject({
      status: 'done',
    })
    expect(await service.texts()).toEqual(['one', 'two', 'three'])
    expect((await service.configured())[0]?.lastError).toBeUndefined()
    way.cut()
  })

  test('of several hosts are collected concurrently: a host that does not respond does not delay the others', async () => {
    await using one = await startSshd()
    await using two = await startSshd()
    await using service = await setUp()
    for (const host of [one, two]) await host.authorize(service.publicKey)
    await using silent = await openSilentServer()
    const target = async (host: { port: number; user: string }) => (await service.createTarget(host)).id
    await writeFile(service.log('one.log'), 'from one\n')
    await writeFile(service.log('two.log'), 'from two\n')
    const source = async (id: string, host: { port: number; user: string }) => ({
      ...plaintext,
      id,
      ssh_target: await target(host),
      remote_path: service.log(`${id}.log`),
    })
    await service.writeSources(
      await source('silent', { port: silent.port, user: one.user }),
      await source('one', one),
      await source('two', two),
    )
    const begun = await service.collect.gleanAll({})
    await expect.poll(async () => (await service.texts()).toSorted()).toEqual(['from one', 'from two'])
    expect((await service.logs.getTask({ taskId: begun.taskId })).status).toBe('running')
    silent.cut()
    const task = await service.finished(begun)
    expect(task).toMatchObject({ status: 'done', counts: { entries: 2 } })
    expect(task.error).toMatch(/^silent: 127\.0\.0\.1 port \d+ cannot be reached: /)
  })

  test('of hosts that do not respond delay neither local sources nor each other for long', async () => {
    await using service = await setUp()
    await using silent = await openSilentServer()
    const sources: Record<string, unknown>[] = []
    for (let host = 0; host < 8; host++) {
      const { id } = await service.createTarget({ port: silent.port, user: `kim${host}` })
      for (const file of ['a', 'b'])
        sources.push({ ...plaintext, id: `${file}${host}`, ssh_target: id, remote_path: service.log(`${file}.log`) })
    }
    await writeFile(service.log('local.log'), 'from here\n')
    await service.writeSources(...sources, { id: 'local', path: service.log('local.log') })
    const begun = await service.collect.gleanAll({})
    await expect.poll(() => service.texts()).toEqual(['from here'])
    expect((await service.configured()).map(({ lastError }) => lastError)).toEqual(Array(17).fill(undefined))
    const task = await service.finished(begun)
    expect(task.error).toContain('6 more sources could not be collected.')
    const failures = (await service.configured()).map(({ lastError }) => lastError)
    expect(failures).toEqual([...Array(16).fill('127.0.0.1 did not finish the SSH handshake in time.'), undefined])
    expect(silent.connections()).toBe(8)
  })

  test("that name a target but no host have the target's host in listings and in the ids of their units", async () => {
    await using host = await startSshd()
    await using service = await setUp()
    await host.authorize(service.publicKey)
    const { id } = await service.createTarget(host)
    await writeFile(service.log('app.log'), 'one\n')
    await service.writeSources(
      { ...plaintext, id: 'nas', ssh_target: id, remote_path: service.log('*.log') },
      { ...plaintext, id: 'own', ssh_target: id, remote_path: service.log('*.log'), host: 'attic' },
      { ...plaintext, id: 'lost', ssh_target: 'no-such-target', remote_path: '/var/log/x', enabled: false },
    )
    expect((await service.configured()).map(({ id: source, host: shown }) => [source, shown])).toEqual([
      ['nas', '127.0.0.1'],
      ['own', 'attic'],
      ['lost', 'no-such-target'],
    ])
    await service.finished(await service.collect.gleanAll({}))
    const { entries } = await service.logs.search({ order: 'time' })
    expect(entries.map(({ sourceId }) => sourceId).toSorted()).toEqual(['nas:127.0.0.1:app.log', 'own:attic:app.log'])
    await service.targets.updateSshTarget({ id, host: 'localhost' })
    expect((await service.configured())[0]?.host).toBe('localhost')
  })
})
