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
  test('is let in by its key, and no password is ever offered', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    await using connection = await open(visitor, visitor.addressOf(server))
    expect(String(await outputOf(connection.run, ['echo', 'hello'], { signal: never, maxBytes: 100 }))).toBe('hello\n')
    expect(server.log()).toContain('Accepted publickey')
    expect(server.log()).not.toContain('password')
    expect(server.log()).not.toContain('keyboard-interactive')
  })

  test('with a key that the host does not know is refused with a sentence, still without a password', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor()
    await expect(open(visitor, visitor.addressOf(server))).rejects.toThrow('authorized_keys')
    expect(server.log()).not.toContain('password')
  })

  test('hands programs their arguments as they are, whatever is in them', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    await using connection = await open(visitor, visitor.addressOf(server))
    const words = ["it's; echo injected", '$(id)', '`id`', '-n', 'a\nb', '', '*', '\\', '"', "'", 'ü & | > <']
    const output = await outputOf(connection.run, ['printf', '<%s>', ...words], { signal: never, maxBytes: 1000 })
    expect(String(output)).toBe(words.map((word) => `<${word}>`).join(''))
  })

  test('says with which code and which words a program failed, and that one is not there', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    await using connection = await open(visitor, visitor.addressOf(server))
    const limits = { signal: never, maxBytes: 1000 }
    await expect(outputOf(connection.run, ['ls', '/not/there'], limits)).rejects.toThrow(/ended with \d: .*not\/there/)
    await expect(outputOf(connection.run, ['no-such-program'], limits)).rejects.toThrow(CommandFailed)
    await expect(outputOf(connection.run, ['seq', '100000'], limits)).rejects.toThrow('says more than 1000 bytes')
  })

  test('ends a program on the far side with its signal', async () => {
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

  test('remembers the key of a new host, and refuses a changed one with a sentence that says how to accept it', async () => {
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

  test('believes known_hosts before what it has seen itself', async () => {
    const hostKey = makeKeyPair()
    await using server = await startSshd({ hostKey })
    await using visitor = await createVisitor(server)
    const place = `[127.0.0.1]:${server.port}`
    await writeFile(visitor.knownHosts, `${place} ${makeKeyPair().public}\n`)
    await expect(open(visitor, visitor.addressOf(server))).rejects.toThrow('known_hosts has another')
    await writeFile(visitor.knownHosts, `@revoked ${place} ${hostKey.public}\n`)
    await expect(open(visitor, visitor.addressOf(server))).rejects.toThrow('revoked')
    await writeFile(visitor.knownHosts, `${place} ${hostKey.public}\n`)
    await using connection = await open(visitor, visitor.addressOf(server))
    expect(connection.isOpen).toBe(true)
  })

  test('warns of a key that others can read', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    const pair = makeKeyPair()
    await server.authorize(pair.public)
    const keyPath = await visitor.keep('open_key', pair.private, 0o644)
    await using connection = await open(visitor, { ...visitor.addressOf(server), keyPath })
    expect(connection.warnings).toEqual([expect.stringContaining('open to its group and to everybody (mode 644)')])
    await using quiet = await open(visitor, visitor.addressOf(server))
    expect(quiet.warnings).toEqual([])
  })

  test('gives what it needs room for back: very many commands one after the other and at once', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    await using connection = await open(visitor, visitor.addressOf(server))
    const one = (index: number) => outputOf(connection.run, ['echo', `${index}`], { signal: never, maxBytes: 100 })
    const said = await Promise.all(Array.from({ length: 40 }, (_, index) => one(index)))
    expect(said.map(Number)).toEqual(Array.from({ length: 40 }, (_, index) => index))
  })

  test('that is cut fails whatever is under way, and whatever comes after', async () => {
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
    await expect(read()).rejects.toThrow('broken off')
    expect(connection.isOpen).toBe(false)
    await expect(connection.run(['echo'], never)).rejects.toThrow('broken off')
    await expect(connection.openFiles()).rejects.toThrow('broken off')
  })

  test('notices by the missing signs of life that nobody is there any more', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    await using way = await openSeverable(`127.0.0.1:${server.port}`)
    const address = { ...visitor.addressOf(server), port: Number(way.address.split(':')[1]) }
    const limits = { keepaliveMilliseconds: 50, keepalivesMissed: 2 }
    await using connection = await open(visitor, address, { limits })
    way.mute()
    await expect(outputOf(connection.run, ['echo'], { signal: never, maxBytes: 10 })).rejects.toThrow('broken off')
  })

  test('is one for all who need the same host, another after it broke, and none after the end', async () => {
    await using server = await startSshd()
    await using visitor = await createVisitor(server)
    await using way = await openSeverable(`127.0.0.1:${server.port}`)
    const address = { ...visitor.addressOf(server), port: Number(way.address.split(':')[1]) }
    const connections = createSshConnections({ hostKeys: visitor.hostKeys, keyFolders: [visitor.keys] })
    const [one, two] = await Promise.all([connections.borrow(address, never), connections.borrow(address, never)])
    expect(one.connection).toBe(two.connection)
    way.cut()
    await expect(one.connection.run(['echo'], never)).rejects.toThrow('broken off')
    await expect(connections.borrow(address, never)).rejects.toThrow(SshFailure)
    way.mend()
    const three = await connections.borrow(address, never)
    expect(three.connection.isOpen).toBe(true)
    await connections[Symbol.asyncDispose]()
    expect(three.connection.isOpen).toBe(false)
    await expect(connections.borrow(address, never)).rejects.toThrow('ending')
  })

  test('is closed when nobody has needed it for a while', async () => {
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

  test('to where nothing listens, nobody answers, or nothing may be reached says so', async () => {
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

describe('the key of a connection by SSH', () => {
  test('is read from the folders for keys alone, whatever its path or its links say', async () => {
    await using visitor = await createVisitor()
    const outside = join(visitor.keys, '..', 'outside')
    await writeFile(outside, makeKeyPair().private, { mode: 0o600 })
    const link = join(visitor.keys, 'link')
    await symlink(outside, link)
    const address = { host: '127.0.0.1', port: 9, user: 'kim' }
    const refusals: [string, string][] = [
      [outside, 'SERVICE_SSH_KEY_DIRS'],
      [`${visitor.keys}/../outside`, '".."'],
      [visitor.keys, 'alone'],
      ['/etc/shadow', 'SERVICE_SSH_KEY_DIRS'],
      ['id_ed25519', 'begin with "/"'],
      [`${visitor.keys}/a\0b`, 'control characters'],
      [`${visitor.keys}/a\nb`, 'control characters'],
      [link, 'link to a place outside'],
      [join(visitor.keys, 'absent'), 'it is not there'],
      [`/${'x'.repeat(5_000)}`, '4096 characters'],
    ]
    for (const [keyPath, words] of refusals)
      await expect(open(visitor, { ...address, keyPath }), keyPath).rejects.toThrow(words)
  })

  test('with a passphrase, of the public half, or that is none is refused, and nothing of it is told', async () => {
    await using visitor = await createVisitor()
    const pair = makeKeyPair()
    const address = { host: '127.0.0.1', port: 9, user: 'kim' }
    const files: [string, string, string][] = [
      ['locked', makeKeyPair({ passphrase: 'secret' }).private, 'has a passphrase'],
      ['id.pub', pair.public, 'is a public key'],
      ['junk', 'password=hunter2', 'is no private key'],
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
