import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openSeverable } from '@trellis/test/support/severable'
import { makeKeyPair, sshdMissing, startSshd } from '@trellis/test/support/sshd'
import { describe, expect, test } from 'vitest'
import { CommandFailed, outputOf } from '../command.ts'
import { openSshConnection, type SshOptions } from './connection.ts'
import { createSshConnections } from './connections.ts'
import type { SshAddress } from './handshake.ts'
import { fingerprintOfKey } from './host-keys.ts'
import { createVisitor, type Visitor } from './host-keys-for-tests.ts'
import { SshFailure } from './ssh-failure.ts'
import { openSshServer } from './ssh-server-for-tests.ts'

const named = sshdMissing === undefined ? '' : ` [skipped: ${sshdMissing}]`
const never = new AbortController().signal
const open = (
  visitor: Visitor,
  address: SshAddress,
  more: Partial<SshOptions> & { acceptHostKey?: string; signal?: AbortSignal } = {},
) =>
  openSshConnection(
    address,
    { hostKeys: visitor.hostKeys, keyFolders: [visitor.keys], ...more },
    { signal: more.signal ?? never, acceptHostKey: more.acceptHostKey },
  )
const publicKeyOf = (line: string) => Buffer.from(line.split(' ')[1] ?? '', 'base64')

describe.skipIf(sshdMissing !== undefined)(`a connection by SSH${named}`, () => {
  test('authenticates with its key, and never offers a password', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    await using connection = await open(visitor, visitor.addressOf(server))
    expect(String(await outputOf(connection.run, ['echo', 'hello'], { signal: never, maxBytes: 100 }))).toBe('hello\n')
    expect(server.log()).toContain('Accepted publickey')
    expect(server.log()).not.toContain('password')
    expect(server.log()).not.toContain('keyboard-interactive')
  })

  test('to a host that accepts and closes it at once fails with that reason', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    await using way = await openSeverable(`127.0.0.1:${server.port}`)
    way.cut()
    const address = { ...visitor.addressOf(server), port: Number(way.address.split(':')[1]) }
    // The socket may be closed before the library has it.
    for (let round = 0; round < 5; round++)
      await expect(open(visitor, address)).rejects.toThrow(/cannot be reached: it closed the connection\.$/)
  })

  test('with a key that the host does not accept fails with a sentence, also without a password', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor()
    await expect(open(visitor, visitor.addressOf(server))).rejects.toThrow('authorized_keys')
    expect(server.log()).not.toContain('password')
  })

  test('passes arguments to programs unchanged, whatever characters they have', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    await using connection = await open(visitor, visitor.addressOf(server))
    const words = ["it's; echo injected", '$(id)', '`id`', '-n', 'a\nb', '', '*', '\\', '"', "'", 'ü & | > <']
    const output = await outputOf(connection.run, ['printf', '<%s>', ...words], { signal: never, maxBytes: 1000 })
    expect(String(output)).toBe(words.map((word) => `<${word}>`).join(''))
  })

  test('reports the exit code and error output of a program that failed, and one that does not exist', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    await using connection = await open(visitor, visitor.addressOf(server))
    const limits = { signal: never, maxBytes: 1000 }
    await expect(outputOf(connection.run, ['ls', '/not/there'], limits)).rejects.toThrow(/ended with \d: .*not\/there/)
    await expect(outputOf(connection.run, ['no-such-program'], limits)).rejects.toThrow(CommandFailed)
    await expect(outputOf(connection.run, ['seq', '100000'], limits)).rejects.toThrow(
      'has more than 1000 bytes of output',
    )
  })

  test('ends a program on the remote host when its signal aborts', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    await using connection = await open(visitor, visitor.addressOf(server))
    const controller = new AbortController()
    const running = await connection.run(['sh', '-c', 'echo $$; exec sleep 1000'], controller.signal)
    let pid = ''
    for await (const line of running.output) {
      pid = String(line).trim()
      controller.abort()
    }
    expect(await running.ended).toMatchObject({ code: null })
    const alive = () => outputOf(connection.run, ['kill', '-0', pid], { signal: never, maxBytes: 10 })
    await expect
      .poll(() =>
        alive()
          .then(() => 'alive')
          .catch(() => 'gone'),
      )
      .toBe('gone')
  })

  test('stores the key of a new host, and rejects a changed one with a sentence on how to accept it', async () => {
    await using first = await startSshd()
    await using visitor = await createVisitor(first)
    const address = visitor.addressOf(first)
    const known = await open(visitor, address)
    await known[Symbol.asyncDispose]()
    await first[Symbol.asyncDispose]()
    const changed = makeKeyPair()
    await using second = await startSshd({ hostKey: changed, port: address.port })
    const pair = makeKeyPair()
    await second.authorize(pair.public)
    const keyPath = await visitor.keep('id_second', pair.private)
    const fingerprint = fingerprintOfKey(publicKeyOf(changed.public))
    const refusal = await open(visitor, { ...address, keyPath }).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(SshFailure)
    expect(refusal).toMatchObject({ reason: 'host-key', fingerprint })
    expect(String(refusal)).toContain(`{"accept_host_key": "${fingerprint}"}`)
    expect(second.log()).not.toContain('publickey')
    await expect(open(visitor, { ...address, keyPath }, { acceptHostKey: 'SHA256:other' })).rejects.toThrow(fingerprint)
    await using accepted = await open(visitor, { ...address, keyPath }, { acceptHostKey: fingerprint })
    expect(accepted.fingerprint).toBe(fingerprint)
    await using again = await open(visitor, { ...address, keyPath })
    expect(again.isOpen).toBe(true)
  })

  test('trusts known_hosts more than the keys that it has stored', async () => {
    const hostKey = makeKeyPair()
    await using server = await startSshd({ hostKey })
    await using visitor = await createVisitor(server)
    const knownHost = `[127.0.0.1]:${server.port}`
    await writeFile(visitor.knownHosts, `${knownHost} ${makeKeyPair().public}\n`)
    await expect(open(visitor, visitor.addressOf(server))).rejects.toThrow('known_hosts has another')
    await writeFile(visitor.knownHosts, `@revoked ${knownHost} ${hostKey.public}\n`)
    await expect(open(visitor, visitor.addressOf(server))).rejects.toThrow('revoked')
    await writeFile(visitor.knownHosts, `${knownHost} ${hostKey.public}\n`)
    await using connection = await open(visitor, visitor.addressOf(server))
    expect(connection.isOpen).toBe(true)
  })

  test('has a warning for a key that others can read', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    const pair = makeKeyPair()
    await server.authorize(pair.public)
    const keyPath = await visitor.keep('open_key', pair.private, 0o644)
    await using connection = await open(visitor, { ...visitor.addressOf(server), keyPath })
    expect(connection.warnings).toEqual([expect.stringContaining('open to its group and to all users (mode 644)')])
    await using quiet = await open(visitor, visitor.addressOf(server))
    expect(quiet.warnings).toEqual([])
  })

  test('releases its channels: many commands run one after the other and concurrently', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    await using connection = await open(visitor, visitor.addressOf(server))
    const one = (index: number) => outputOf(connection.run, ['echo', `${index}`], { signal: never, maxBytes: 100 })
    const outputs = await Promise.all(Array.from({ length: 40 }, (_, index) => one(index)))
    expect(outputs.map(Number)).toEqual(Array.from({ length: 40 }, (_, index) => index))
  })

  test('that is cut fails pending and later operations', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    await using way = await openSeverable(`127.0.0.1:${server.port}`)
    const address = { ...visitor.addressOf(server), port: Number(way.address.split(':')[1]) }
    await using connection = await open(visitor, address)
    const running = await connection.run(['sh', '-c', 'echo one; exec sleep 1000'], never)
    const read = async () => {
      for await (const _ of running.output) way.cut()
      await running.ended
    }
    await expect(read()).rejects.toThrow('was lost')
    expect(connection.isOpen).toBe(false)
    await expect(connection.run(['echo'], never)).rejects.toThrow('was lost')
    await expect(connection.openFiles(never)).rejects.toThrow('was lost')
  })

  test('detects by missing keepalives that the host no longer responds', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    await using way = await openSeverable(`127.0.0.1:${server.port}`)
    const address = { ...visitor.addressOf(server), port: Number(way.address.split(':')[1]) }
    const limits = { keepaliveMilliseconds: 50, keepalivesMissed: 2 }
    await using connection = await open(visitor, address, { limits })
    way.mute()
    await expect(outputOf(connection.run, ['echo'], { signal: never, maxBytes: 10 })).rejects.toThrow('was lost')
  })

  test('to a host that opens no channels waits for them only until its caller stops', async () => {
    await using server = await openSshServer(() => undefined)
    await using visitor = await createVisitor()
    await using connection = await open(visitor, { ...visitor.addressOf({ ...server, user: 'kim' }) })
    const stopping = new AbortController()
    const requested = Promise.withResolvers<void>()
    const opening = [
      connection.run(['true'], stopping.signal),
      connection.openFiles(stopping.signal),
      connection.dialSocket('/var/run/docker.sock', stopping.signal),
    ]
    setImmediate(requested.resolve)
    await requested.promise
    stopping.abort(new Error('The service is ending.'))
    for (const each of opening) await expect(each).rejects.toThrow('The service is ending.')
    expect(connection.isOpen).toBe(true)
  })

  test('that has not responded in time is not used again', async () => {
    await using server = await openSshServer(() => undefined)
    await using visitor = await createVisitor()
    const address = visitor.addressOf({ ...server, user: 'kim' })
    await using connections = createSshConnections({
      hostKeys: visitor.hostKeys,
      keyFolders: [visitor.keys],
      limits: { answerMilliseconds: 50 },
    })
    using first = await connections.borrow(address, never)
    await expect(first.connection.openFiles(never)).rejects.toMatchObject({ reason: 'timeout' })
    expect(first.connection.isOpen).toBe(false)
    using second = await connections.borrow(address, never)
    await expect(second.connection.openFiles(never)).rejects.toMatchObject({ reason: 'timeout' })
  })

  test('is shared by all users of a host, replaced after it broke, and refused after the end', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    await using way = await openSeverable(`127.0.0.1:${server.port}`)
    const address = { ...visitor.addressOf(server), port: Number(way.address.split(':')[1]) }
    const connections = createSshConnections({ hostKeys: visitor.hostKeys, keyFolders: [visitor.keys] })
    const [one, two] = await Promise.all([connections.borrow(address, never), connections.borrow(address, never)])
    expect(one.connection).toBe(two.connection)
    way.cut()
    await expect(one.connection.run(['echo'], never)).rejects.toThrow('was lost')
    await expect(connections.borrow(address, never)).rejects.toThrow(SshFailure)
    way.mend()
    const three = await connections.borrow(address, never)
    expect(three.connection.isOpen).toBe(true)
    await connections[Symbol.asyncDispose]()
    expect(three.connection.isOpen).toBe(false)
    await expect(connections.borrow(address, never)).rejects.toThrow('ending')
  })

  test('is closed after it has been idle for a while', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    await using connections = createSshConnections({
      hostKeys: visitor.hostKeys,
      keyFolders: [visitor.keys],
      idleMilliseconds: 0,
    })
    const borrowed = await connections.borrow(visitor.addressOf(server), never)
    borrowed[Symbol.dispose]()
    await expect.poll(() => borrowed.connection.isOpen).toBe(false)
  })

  test('fails with a reason if nothing listens, nothing responds, or the address is not allowed', async () => {
    await using visitor = await createVisitor()
    const address = { host: '127.0.0.1', port: 9, user: 'kim', keyPath: visitor.keyPath }
    await expect(open(visitor, address)).rejects.toThrow('nothing listens there')
    await expect(open(visitor, { ...address, host: '169.254.169.254' })).rejects.toThrow('Link-local')
    await expect(open(visitor, { ...address, host: 'no-such-host.invalid' })).rejects.toThrow(SshFailure)
    await using server = await startSshd()
    await using way = await openSeverable(`127.0.0.1:${server.port}`)
    way.deafen()
    const silent = { ...address, port: Number(way.address.split(':')[1]) }
    await expect(open(visitor, silent, { limits: { handshakeMilliseconds: 50 } })).rejects.toThrow('in time')
    const controller = new AbortController()
    controller.abort(new Error('no more'))
    await expect(open(visitor, address, { signal: controller.signal })).rejects.toThrow('no more')
  })
})

describe('the key of an SSH connection', () => {
  test('is read only from the key folders, whatever its path or its links', async () => {
    await using visitor = await createVisitor()
    const outside = join(visitor.keys, '..', 'outside')
    await writeFile(outside, makeKeyPair().private, { mode: 0o600 })
    const link = join(visitor.keys, 'link')
    await symlink(outside, link)
    const address = { host: '127.0.0.1', port: 9, user: 'kim' }
    const refusals: [string, string][] = [
      [outside, 'SERVICE_SSH_KEY_DIRS'],
      [`${visitor.keys}/../outside`, '".."'],
      [visitor.keys, 'only'],
      ['/etc/shadow', 'SERVICE_SSH_KEY_DIRS'],
      ['id_ed25519', 'begin with "/"'],
      [`${visitor.keys}/a\0b`, 'control characters'],
      [`${visitor.keys}/a\nb`, 'control characters'],
      [link, 'link to a file outside'],
      [join(visitor.keys, 'absent'), 'it does not exist'],
      [`/${'x'.repeat(5_000)}`, '4096 characters'],
    ]
    for (const [keyPath, words] of refusals)
      await expect(open(visitor, { ...address, keyPath }), keyPath).rejects.toThrow(words)
  })

  test('with a passphrase, of the public half, or invalid is rejected, and its content is not disclosed', async () => {
    await using visitor = await createVisitor()
    const pair = makeKeyPair()
    const address = { host: '127.0.0.1', port: 9, user: 'kim' }
    const files: [string, string, string][] = [
      ['locked', makeKeyPair({ passphrase: 'secret' }).private, 'has a passphrase'],
      ['id.pub', pair.public, 'is a public key'],
      ['junk', 'password=hunter2', 'is not a private key'],
      ['large', 'x'.repeat(70_000), 'larger than'],
    ]
    for (const [name, contents, words] of files) {
      const keyPath = await visitor.keep(name, contents)
      const refusal = await open(visitor, { ...address, keyPath }).catch((error: unknown) => error)
      expect(refusal).toMatchObject({ reason: 'key' })
      expect(String(refusal)).toContain(words)
      expect(String(refusal)).not.toContain(contents.slice(0, 12))
    }
  })
})
