import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isServiceError } from '@trellis/kit/errors'
import { SshTargetsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/ssh_targets.ts'
import { makeKeyPair, sshdMissing, startSshd } from '@trellis/test/support/sshd'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { describe, expect, test } from 'vitest'
import { fingerprintOfKey } from '../collect/ssh/host-keys.ts'
import { createVisitor } from '../collect/ssh/host-keys-for-tests.ts'
import { openServiceForTests } from '../service-for-tests.ts'

const named = sshdMissing === undefined ? '' : ` [skipped: ${sshdMissing}]`

/** The service with the key folder of a test visitor. */
const open = async (keys: string, dataDirectory?: string) => {
  const service = await openServiceForTests({
    environment: { SERVICE_SSH_KEY_DIRS: keys },
    ...(dataDirectory !== undefined && { dataDirectory }),
  })
  return {
    client: service.client(SshTargetsServiceDefinition),
    directory: service.dataDirectory,
    [Symbol.asyncDispose]: service[Symbol.asyncDispose],
  }
}
const setUp = async () => {
  await using opened = new AsyncDisposableStack()
  const visitor = opened.use(await createVisitor())
  const { client, directory } = opened.use(await open(visitor.keys))
  const stack = opened.move()
  return { visitor, client, directory, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
const nas = (keyPath: string) => ({ label: 'NAS', host: 'NAS.home', user: 'logs', keyPath })
const thrown = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error)

describe('SSH targets', () => {
  test('are created, listed newest first, edited and deleted, with the fields of the contract', async () => {
    await using dependencies = await setUp()
    const created = await dependencies.client.createSshTarget(nas(dependencies.visitor.keyPath))
    expect(created).toEqual({
      id: expect.any(String),
      label: 'NAS',
      host: 'nas.home',
      port: 22,
      user: 'logs',
      keyPath: dependencies.visitor.keyPath,
      lastTested: undefined,
      lastOk: undefined,
      lastError: undefined,
      hostKeyFingerprint: undefined,
      warnings: [],
      createdAt: expect.stringMatching(/^\d{4}-.*T.*Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-.*T.*Z$/),
    })
    const edited = await dependencies.client.updateSshTarget({ id: created.id, port: 2222 })
    expect(edited).toMatchObject({ id: created.id, label: 'NAS', port: 2222, createdAt: created.createdAt })
    expect((await dependencies.client.listSshTargets({})).sshTargets).toEqual([edited])
    await dependencies.client.deleteSshTarget({ id: created.id })
    expect((await dependencies.client.listSshTargets({})).sshTargets).toEqual([])
  })

  test('outlive the service', async () => {
    await using visitor = await createVisitor()
    await using folder = await temporaryDirectory()
    const first = await open(visitor.keys, folder.path)
    const created = await first.client.createSshTarget(nas(visitor.keyPath))
    await first[Symbol.asyncDispose]()
    await using second = await open(visitor.keys, folder.path)
    expect((await second.client.listSshTargets({})).sshTargets).toEqual([created])
  })

  test('that do not exist are not found', async () => {
    await using dependencies = await setUp()
    for (const call of [
      dependencies.client.updateSshTarget({ id: 'x', label: 'a' }),
      dependencies.client.deleteSshTarget({ id: 'x' }),
      dependencies.client.testSshTarget({ id: 'x' }),
    ])
      expect(isServiceError(await thrown(call), 'not_found')).toBe(true)
  })

  test('accept key paths in the key folders only, however the path is written', async () => {
    await using dependencies = await setUp()
    const { keys } = dependencies.visitor
    for (const keyPath of [
      '/etc/shadow',
      `${keys}/../../etc/shadow`,
      'id',
      `${keys}`,
      `${keys}/a\nb`,
      `${keys}/./id`,
    ]) {
      const refusal = await thrown(dependencies.client.createSshTarget(nas(keyPath)))
      expect(isServiceError(refusal, 'invalid'), keyPath).toBe(true)
      expect(String(refusal)).toContain('key_path')
    }
  })

  test('report a missing key path', async () => {
    await using dependencies = await setUp()
    expect(String(await thrown(dependencies.client.createSshTarget(nas(''))))).toContain('key_path is missing')
  })

  test('reject link-local addresses and invalid hosts and users', async () => {
    await using dependencies = await setUp()
    const good = nas(dependencies.visitor.keyPath)
    const bad = [
      { ...good, host: '169.254.169.254' },
      { ...good, host: 'fe80::1' },
      { ...good, host: 'a b' },
      { ...good, host: '-oProxyCommand=x' },
      { ...good, host: 'kim@nas' },
      { ...good, user: '-l' },
      { ...good, user: 'a;b' },
      { ...good, user: 'a\nb' },
      { ...good, label: ' ' },
    ]
    for (const fields of bad)
      expect(
        isServiceError(await thrown(dependencies.client.createSshTarget(fields)), 'invalid'),
        JSON.stringify(fields),
      ).toBe(true)
    for (const host of ['192.168.1.7', '10.0.0.1', '::1', 'fd12::7', 'nas', 'a.b-c.example.org'])
      expect(await dependencies.client.createSshTarget({ ...good, host })).toMatchObject({ host })
  })

  test('have a warning for a key that others can read, or that does not exist', async () => {
    await using dependencies = await setUp()
    const keyPath = await dependencies.visitor.keep('open', makeKeyPair().private, 0o640)
    const { warnings } = await dependencies.client.createSshTarget(nas(keyPath))
    expect(warnings).toEqual([expect.stringContaining('open to its group (mode 640)')])
    const absent = await dependencies.client.createSshTarget(nas(join(dependencies.visitor.keys, 'absent')))
    expect(absent.warnings).toEqual([expect.stringContaining('it does not exist')])
  })

  test('never expose the content of a key file, in no response and no error', async () => {
    await using dependencies = await setUp()
    const secret = 'AAAAB3NzaC1yc2EAAAADAQABAAAB'
    const keyPath = await dependencies.visitor.keep('broken', `-----BEGIN OPENSSH PRIVATE KEY-----\n${secret}\n`)
    const target = await dependencies.client.createSshTarget({ ...nas(keyPath), host: '127.0.0.1', port: 9 })
    const answers = [
      target,
      await dependencies.client.testSshTarget({ id: target.id }),
      await dependencies.client.updateSshTarget({ id: target.id, label: 'b' }),
      await dependencies.client.listSshTargets({}),
    ]
    expect(JSON.stringify(answers)).not.toContain(secret)
    expect(answers[1]).toMatchObject({ ok: false, error: expect.stringContaining('is not a private key') })
  })
})

describe.skipIf(sshdMissing !== undefined)(`a test of an SSH target${named}`, () => {
  test('records last_tested, last_ok and last_error, and the fingerprint of the host', async () => {
    const hostKey = makeKeyPair()
    await using server = await startSshd({ hostKey })
    await using dependencies = await setUp()
    const keyPath = await dependencies.visitor.keep('other', makeKeyPair().private, 0o600)
    const { id } = await dependencies.client.createSshTarget({
      ...nas(keyPath),
      host: '127.0.0.1',
      port: server.port,
      user: server.user,
    })
    const fingerprint = fingerprintOfKey(Buffer.from(hostKey.public.split(' ')[1] ?? '', 'base64'))
    const refused = await dependencies.client.testSshTarget({ id })
    expect(refused).toMatchObject({
      ok: false,
      error: expect.stringContaining('authorized_keys'),
      hostKeyFingerprint: fingerprint,
    })
    expect(refused.target).toMatchObject({ lastOk: false, lastError: refused.error, lastTested: expect.any(String) })

    await server.authorize((await readFile(dependencies.visitor.publicKeyPath, 'utf8')).trim())
    const moved = await dependencies.client.updateSshTarget({ id, keyPath: dependencies.visitor.keyPath })
    expect(moved).toMatchObject({ lastOk: undefined, lastError: undefined, lastTested: undefined })
    const passed = await dependencies.client.testSshTarget({ id })
    expect(passed).toMatchObject({ ok: true, error: undefined, hostKeyFingerprint: fingerprint, warnings: [] })
    expect((await dependencies.client.listSshTargets({})).sshTargets).toMatchObject([
      { lastOk: true, lastError: undefined, hostKeyFingerprint: fingerprint },
    ])
    const { host, port, user } = passed.target ?? {}
    const renamed = await dependencies.client.updateSshTarget({
      id,
      label: 'Attic',
      host,
      port,
      user,
      keyPath: undefined,
    })
    expect(renamed).toMatchObject({ label: 'Attic', lastOk: true, lastTested: passed.target?.lastTested })
  })

  test('of a host with another key fails until that key is accepted by its fingerprint', async () => {
    await using dependencies = await setUp()
    const publicKey = (await readFile(dependencies.visitor.publicKeyPath, 'utf8')).trim()
    const first = await startSshd()
    await first.authorize(publicKey)
    const { keyPath } = dependencies.visitor
    const { id } = await dependencies.client.createSshTarget({
      ...nas(keyPath),
      host: '127.0.0.1',
      port: first.port,
      user: first.user,
    })
    expect(await dependencies.client.testSshTarget({ id })).toMatchObject({ ok: true })
    await first[Symbol.asyncDispose]()
    await using second = await startSshd({ port: first.port })
    await second.authorize(publicKey)
    const refused = await dependencies.client.testSshTarget({ id })
    expect(refused).toMatchObject({ ok: false, error: expect.stringContaining('accept_host_key') })
    const accept = await dependencies.client.testSshTarget({ id, acceptHostKey: refused.hostKeyFingerprint ?? '' })
    expect(accept).toMatchObject({ ok: true, hostKeyFingerprint: refused.hostKeyFingerprint })
    expect(await dependencies.client.testSshTarget({ id })).toMatchObject({ ok: true })
  })

  test('of an unreachable host reports that', async () => {
    await using dependencies = await setUp()
    const target = { ...nas(dependencies.visitor.keyPath), host: '127.0.0.1', port: 9 }
    const { id } = await dependencies.client.createSshTarget(target)
    expect(await dependencies.client.testSshTarget({ id })).toMatchObject({
      ok: false,
      error: expect.stringContaining('nothing listens there'),
      hostKeyFingerprint: undefined,
    })
    await writeFile(dependencies.visitor.keyPath, '')
    expect(await dependencies.client.testSshTarget({ id })).toMatchObject({ ok: false })
  })
})
