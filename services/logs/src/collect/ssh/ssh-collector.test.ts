import { appendFile, chmod, copyFile, mkdir, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { journalMissing, writeJournal } from '@trellis/test/support/journal'
import { openSeverable } from '@trellis/test/support/severable'
import { type SshServerOptions, sshdMissing, startSshd } from '@trellis/test/support/sshd'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import ssh from 'ssh2'
import { describe, expect, test } from 'vitest'
import { readEntry, withCollector } from '../records/collect-for-tests.ts'
import { createSshConnections } from './connections.ts'
import type { SshLimits } from './handshake.ts'
import { createVisitor } from './host-keys-for-tests.ts'
import { createSftpFiles } from './remote-files.ts'
import { createSshCollector } from './ssh-collector.ts'
import { openSshServer } from './ssh-server-for-tests.ts'

const named = sshdMissing === undefined ? '' : ` [skipped: ${sshdMissing}]`
const line = (number: number) =>
  `2026-03-01T09:15:${String(Math.floor(number / 1_000) % 60).padStart(2, '0')}.${String(number % 1_000).padStart(3, '0')}Z INFO number ${number}\n`
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => line(from + index)).join('')

const setUp = async (options: SshServerOptions = {}, limits: Partial<SshLimits> = {}) => {
  await using opened = new AsyncDisposableStack()
  // The time that appears to have passed since files were written.
  let ahead = 3_600_000
  const server = opened.use(await startSshd(options))
  const visitor = opened.use(await createVisitor(server))
  const way = opened.use(await openSeverable(`127.0.0.1:${server.port}`))
  const connections = opened.use(
    createSshConnections({ hostKeys: visitor.hostKeys, keyFolders: [visitor.keys], limits }),
  )
  const address = { ...visitor.addressOf(server), port: Number(way.address.split(':')[1]) }
  const addressOf = async (id: string) => (id === 'nas' ? address : undefined)
  const dependencies = opened.use(
    await withCollector(
      createSshCollector({ connections, addressOf, maxExpandedBytes: 2 ** 26, now: () => Date.now() + ahead }),
    ),
  )
  const logs = join(dependencies.directory, 'logs')
  await mkdir(logs)
  const source = (more: Record<string, unknown>) =>
    readEntry({ id: 'nas', host: 'nas', transport: 'ssh', glean_type: 'plaintext', ssh_target: 'nas', ...more })
  const stack = opened.move()
  const numbers = async () =>
    (await dependencies.entries()).map(({ text }) => Number(/number (\d+)/.exec(text)?.[1])).toSorted((a, b) => a - b)
  return {
    ...dependencies,
    server,
    way,
    logs,
    source,
    numbers,
    setAhead: (milliseconds: number) => {
      ahead = milliseconds
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
const never = new AbortController().signal
const counted = (to: number) => Array.from({ length: to }, (_, index) => index)

describe.skipIf(sshdMissing !== undefined)(`logs of a remote host${named}`, () => {
  test.each([
    ['by SFTP', true],
    ['by programs of the remote host, if SFTP is disabled', false],
  ])('are read %s, and continued at the byte where reading ended', async (_, sftp) => {
    await using dependencies = await setUp({ sftp })
    const path = join(dependencies.logs, 'it\'s a "log" $(id);.log')
    await writeFile(path, lines(0, 3_000))
    const source = dependencies.source({ remote_path: path })
    expect(await dependencies.glean(source)).toMatchObject({ lines: 3_000, entries: 3_000, problems: [] })
    expect(await dependencies.glean(source)).toMatchObject({ lines: 0 })
    dependencies.setAhead(0)
    await appendFile(path, lines(3_000, 3_005) + line(3_005).slice(0, 20))
    expect(await dependencies.glean(source)).toMatchObject({ duplicates: 0 })
    dependencies.setAhead(3_600_000)
    await appendFile(path, line(3_005).slice(20))
    expect(await dependencies.glean(source)).toMatchObject({ duplicates: 0 })
    expect(await dependencies.numbers()).toEqual(counted(3_006))
    expect(await dependencies.glean(source, { force: true })).toMatchObject({ entries: 0, duplicates: 3_006 })
  })

  test('are read again and again over one connection to a host without SFTP', async () => {
    await using dependencies = await setUp({ sftp: false })
    const path = join(dependencies.logs, 'app.log')
    const source = dependencies.source({ remote_path: path })
    await writeFile(path, '')
    // More often than sshd allows sessions on a connection.
    for (const number of counted(12)) {
      await appendFile(path, line(number))
      expect(await dependencies.glean(source)).toMatchObject({ entries: 1, problems: [] })
    }
    expect(dependencies.server.log().match(/Accepted publickey/g)).toHaveLength(1)
  })

  test('that match a pattern have sources of their own, grouped under their host', async () => {
    await using dependencies = await setUp()
    await mkdir(join(dependencies.logs, 'deep'))
    await writeFile(join(dependencies.logs, 'a.log'), line(0))
    await writeFile(join(dependencies.logs, 'deep', 'b.log'), line(1))
    await writeFile(join(dependencies.logs, 'other.txt'), line(2))
    await writeFile(join(dependencies.logs, 'a.log.1'), line(3))
    const result = await dependencies.glean(dependencies.source({ remote_path: `${dependencies.logs}/**/*.log*` }))
    expect(result).toMatchObject({ entries: 2, problems: [] })
    expect((await dependencies.entries()).map(({ origin }) => origin.sourceId)).toEqual([
      'nas:nas:a.log',
      'nas:nas:deep/b.log',
    ])
  })

  test.each([
    ['renamed', true],
    ['copied and truncated', false],
  ])('that were %s are read to their end, and the new file from its start', async (_, isRenamed) => {
    await using dependencies = await setUp()
    const path = join(dependencies.logs, 'app.log')
    const source = dependencies.source({ remote_path: path })
    await writeFile(path, lines(0, 100))
    await dependencies.glean(source)
    await appendFile(path, lines(100, 150))
    if (isRenamed) await rename(path, `${path}.1`)
    else {
      await copyFile(path, `${path}.1`)
      await truncate(path, 0)
    }
    await appendFile(path, lines(150, 160))
    expect(await dependencies.glean(source)).toMatchObject({ entries: 60, duplicates: 0, problems: [] })
    expect(await dependencies.numbers()).toEqual(counted(160))
  })

  test.each([
    ['by SFTP', true],
    ['by programs', false],
  ])('that were rotated twice and compressed since the last read are read completely, %s', async (_, sftp) => {
    await using dependencies = await setUp({ sftp })
    const path = join(dependencies.logs, 'app.log')
    const source = dependencies.source({ remote_path: path })
    const at = (file: string, second: number) => utimes(file, second, second)
    await writeFile(`${path}.9`, lines(900, 910))
    await at(`${path}.9`, 1_772_350_000)
    await writeFile(path, lines(0, 100))
    await at(path, 1_772_360_000)
    expect(await dependencies.glean(source)).toMatchObject({ entries: 100, problems: [] })
    await writeFile(`${path}.3.gz`, gzipSync(lines(0, 110)))
    await at(`${path}.3.gz`, 1_772_360_100)
    await writeFile(`${path}.2`, lines(110, 120))
    await at(`${path}.2`, 1_772_360_200)
    await writeFile(`${path}.1`, lines(120, 130))
    await at(`${path}.1`, 1_772_360_300)
    await writeFile(path, lines(130, 140))
    expect(await dependencies.glean(source)).toMatchObject({ entries: 40, duplicates: 0, problems: [] })
    expect(await dependencies.numbers()).toEqual(counted(140))
    expect(await dependencies.glean(source)).toMatchObject({ lines: 0 })
  })

  test('whose lines have no times are complete after a rotation, including equal lines', async () => {
    await using dependencies = await setUp()
    const path = join(dependencies.logs, 'app.log')
    const source = dependencies.source({ remote_path: path })
    await writeFile(path, 'tick\ntock\n')
    await dependencies.glean(source)
    await rename(path, `${path}.1`)
    await writeFile(path, 'tick\ntock\n')
    expect(await dependencies.glean(source)).toMatchObject({ entries: 2, duplicates: 0 })
    expect(await dependencies.glean(source)).toMatchObject({ lines: 0 })
    await appendFile(path, 'tick\n')
    expect(await dependencies.glean(source)).toMatchObject({ entries: 1, duplicates: 0 })
  })

  test('that were truncated and have grown past the last position are read from their start', async () => {
    await using dependencies = await setUp()
    const path = join(dependencies.logs, 'app.log')
    const source = dependencies.source({ remote_path: path })
    const header = `# ${'h'.repeat(2_000)}\n`
    await writeFile(path, header + lines(0, 10))
    await dependencies.glean(source)
    await writeFile(path, header + lines(10, 30))
    expect(await dependencies.glean(source)).toMatchObject({ problems: [expect.stringContaining('another file')] })
    expect((await dependencies.numbers()).filter((number) => number >= 0)).toEqual(counted(30))
  })

  test('may be UTF-16 or have carriage returns as line ends; binary files are skipped', async () => {
    await using dependencies = await setUp()
    const source = dependencies.source({ remote_path: dependencies.logs })
    await writeFile(
      join(dependencies.logs, 'wide.log'),
      Buffer.from(`\ufeff${lines(0, 3).replaceAll('\n', '\r\n')}`, 'utf16le'),
    )
    await writeFile(join(dependencies.logs, 'returns.log'), lines(3, 6).replaceAll('\n', '\r'))
    await writeFile(
      join(dependencies.logs, 'wtmp'),
      Buffer.from(Array.from({ length: 4_000 }, (_, at) => (at * 7919) % 256)),
    )
    expect(await dependencies.glean(source)).toMatchObject({ entries: 6, problems: [] })
    const binary = dependencies.source({ id: 'wtmp', remote_path: join(dependencies.logs, 'wtmp') })
    expect(await dependencies.glean(binary)).toMatchObject({ problems: [expect.stringContaining('is not text')] })
    expect(await dependencies.numbers()).toEqual(counted(6))
  })

  test('that were written a moment ago, or are compressed, are read the first time', async () => {
    await using dependencies = await setUp()
    dependencies.setAhead(0)
    await writeFile(join(dependencies.logs, 'now.log'), lines(0, 3))
    const packed = join(dependencies.logs, 'old.log.gz')
    await writeFile(packed, gzipSync(lines(3, 6)))
    const source = dependencies.source({ remote_path: join(dependencies.logs, 'now.log') })
    expect(await dependencies.glean(source)).toMatchObject({ entries: 3, problems: [] })
    expect(await dependencies.glean(dependencies.source({ id: 'old', remote_path: packed }))).toMatchObject({
      entries: 3,
    })
  })

  test('may have characters of patterns in their names', async () => {
    await using dependencies = await setUp()
    const path = join(dependencies.logs, 'a*{b,c}[d].log')
    await writeFile(path, line(0))
    await dependencies.glean(dependencies.source({ remote_path: path }))
    expect((await dependencies.entries()).map(({ origin }) => origin.sourceId)).toEqual(['nas'])
  })

  test('that were replaced are reported', async () => {
    await using dependencies = await setUp()
    const path = join(dependencies.logs, 'app.log')
    await writeFile(path, lines(0, 100))
    await dependencies.glean(dependencies.source({ remote_path: path }))
    await writeFile(path, lines(100, 105))
    const { problems, entries } = await dependencies.glean(dependencies.source({ remote_path: path }))
    expect(problems).toEqual([expect.stringContaining('has been replaced by another file')])
    expect(entries).toBe(5)
  })

  test.each([
    ['by SFTP', true],
    ['by programs', false],
  ])('are neither lost nor duplicated after the connection was cut in the middle of a file, %s', async (_, sftp) => {
    await using dependencies = await setUp({ sftp })
    const path = join(dependencies.logs, 'app.log')
    await writeFile(path, lines(0, 60_000))
    const source = dependencies.source({ remote_path: path })
    const reading = dependencies.glean(source)
    await expect.poll(async () => (await dependencies.entries()).length, { interval: 5 }).toBeGreaterThan(0)
    dependencies.way.cut()
    await reading.catch(() => undefined)
    dependencies.way.mend()
    const rest = await dependencies.glean(source)
    expect(rest.problems).toEqual([])
    expect(await dependencies.numbers()).toEqual(counted(60_000))
  })

  test.each([
    ['by SFTP', true],
    ['by programs', false],
  ])('are neither lost nor duplicated after the host stopped in the middle of a file, %s', async (_, sftp) => {
    await using dependencies = await setUp({ sftp }, { answerMilliseconds: 1_000, silenceMilliseconds: 1_000 })
    const path = join(dependencies.logs, 'app.log')
    await writeFile(path, lines(0, 60_000))
    const source = dependencies.source({ remote_path: path })
    const reading = dependencies.glean(source)
    await expect.poll(async () => (await dependencies.entries()).length, { interval: 5 }).toBeGreaterThan(0)
    dependencies.way.mute()
    await reading.catch(() => undefined)
    dependencies.way.mend()
    await expect
      .poll(() => dependencies.glean(source).catch(({ message }: Error) => message), { timeout: 60_000 })
      .toMatchObject({ problems: [] })
    expect(await dependencies.numbers()).toEqual(counted(60_000))
  })

  test.each([
    ['that starts SFTP and sends nothing', { sftp: false, settings: ['Subsystem sftp /bin/sleep 1000'] }],
    ['whose programs hang', { sftp: false, settings: ['ForceCommand sleep 1000'] }],
  ])('of a host %s fail after the timeout', async (_, options) => {
    await using hanging = await setUp(options, { answerMilliseconds: 300, silenceMilliseconds: 300 })
    const path = join(hanging.logs, 'app.log')
    await writeFile(path, lines(0, 3))
    await expect(hanging.glean(hanging.source({ remote_path: path }))).rejects.toThrow(
      /^127\.0\.0\.1 accepted the connection, but has not responded for 1 s\.$/,
    )
    expect(await hanging.entries()).toEqual([])
    expect(hanging.server.log()).toContain('Accepted publickey')
  })

  test.each([
    ['that starts SFTP and sends nothing', { sftp: false, settings: ['Subsystem sftp /bin/sleep 1000'] }],
    ['whose programs hang', { sftp: false, settings: ['ForceCommand sleep 1000'] }],
  ])('of a host %s are waited for only until the run is stopped', async (_, options) => {
    await using hanging = await setUp(options, { answerMilliseconds: 3_600_000, silenceMilliseconds: 3_600_000 })
    const stopping = new AbortController()
    const collected = hanging.glean(hanging.source({ remote_path: '/x' }), { signal: stopping.signal })
    await expect.poll(hanging.server.log).toContain('Accepted publickey')
    stopping.abort(new Error('The service is ending.'))
    await expect(collected).rejects.toThrow('The service is ending.')
  })

  test('in a folder that takes longer to list than the limit for one response are all read', async () => {
    await using server = await openSshServer((accept) =>
      accept().on('sftp', (open) => {
        const sftp = open()
        let page = 0
        sftp.on('OPENDIR', (id) => sftp.handle(id, Buffer.from('folder')))
        const answer = (id: number) => {
          page += 1
          if (page > 10) return sftp.status(id, ssh.utils.sftp.STATUS_CODE.EOF)
          const attrs = { mode: 0o100_644, size: 0, uid: 0, gid: 0, atime: 0, mtime: 0 }
          sftp.name(id, [{ filename: `${page}.log`, longname: '', attrs }])
        }
        sftp.on('READDIR', (id) => void setTimeout(answer, 60, id))
        sftp.on('CLOSE', (id) => sftp.status(id, ssh.utils.sftp.STATUS_CODE.OK))
      }),
    )
    await using visitor = await createVisitor()
    await using connections = createSshConnections({
      hostKeys: visitor.hostKeys,
      keyFolders: [visitor.keys],
      limits: { answerMilliseconds: 400 },
    })
    using borrowed = await connections.borrow(visitor.addressOf({ ...server, user: 'kim' }), never)
    const { connection } = borrowed
    await using files = createSftpFiles(await connection.openFiles(never), connection.answered)
    const names = (await files.list('/var/log', never)).map(({ name }) => name)
    expect(names).toEqual(Array.from({ length: 10 }, (_, index) => `${index + 1}.log`))
  })

  test.each([
    ['by SFTP', true],
    ['by programs', false],
  ])('that links also reach are read once, and a folder that contains itself, %s', async (_, sftp) => {
    await using dependencies = await setUp({ sftp })
    const elsewhere = join(dependencies.directory, 'elsewhere')
    await mkdir(elsewhere)
    await mkdir(join(dependencies.logs, 'deep'))
    await writeFile(join(dependencies.logs, 'app.log'), line(0))
    await writeFile(join(dependencies.logs, 'deep', 'b.log'), line(1))
    await writeFile(join(elsewhere, 'c.log'), line(2))
    await symlink('app.log', join(dependencies.logs, 'current.log'))
    await symlink(dependencies.logs, join(dependencies.logs, 'deep', 'loop'))
    await symlink('deep', join(dependencies.logs, 'a link to deep'))
    await symlink('.', join(dependencies.logs, 'self'))
    await symlink(join(elsewhere, 'c.log'), join(dependencies.logs, 'one.log'))
    await symlink(join(elsewhere, 'c.log'), join(dependencies.logs, 'other.log'))
    await symlink('/nowhere', join(dependencies.logs, 'gone.log'))
    const result = await dependencies.glean(dependencies.source({ remote_path: `${dependencies.logs}/**/*.log` }))
    expect(result).toMatchObject({ entries: 3, problems: [] })
    const sources = (await dependencies.entries()).map(({ origin }) => origin.sourceId)
    expect(sources.toSorted()).toEqual(['nas:nas:app.log', 'nas:nas:deep/b.log', 'nas:nas:one.log'])
  })

  test('are continued when a host that hung responds again', async () => {
    await using programs = await temporaryDirectory()
    await using dependencies = await setUp(
      { sftp: false, programs: [programs.path] },
      { answerMilliseconds: 5_000, silenceMilliseconds: 300 },
    )
    const path = join(dependencies.logs, 'app.log')
    await writeFile(path, lines(0, 3))
    const hanging = join(programs.path, 'find')
    await writeFile(hanging, '#!/bin/sh\nexec sleep 1000\n')
    await chmod(hanging, 0o755)
    const source = dependencies.source({ remote_path: path })
    await expect(dependencies.glean(source)).rejects.toThrow('has not responded')
    await rm(hanging)
    expect(await dependencies.glean(source)).toMatchObject({ entries: 3, duplicates: 0, problems: [] })
  })

  test('are read while a program floods its error output', async () => {
    await using programs = await temporaryDirectory()
    await using dependencies = await setUp({ sftp: false, programs: [programs.path] })
    const path = join(dependencies.logs, 'app.log')
    await writeFile(path, lines(0, 3))
    const flooding = join(programs.path, 'tail')
    await writeFile(
      flooding,
      '#!/bin/sh\nhead -c 64000000 /dev/zero | tr "\\0" x >&2\nPATH=/usr/bin:/bin exec tail "$@"\n',
    )
    await chmod(flooding, 0o755)
    expect(await dependencies.glean(dependencies.source({ remote_path: path }))).toMatchObject({
      entries: 3,
      problems: [],
    })
  })

  test('that do not exist are a problem; a host that is unreachable or unknown is a failure', async () => {
    await using dependencies = await setUp()
    const { problems } = await dependencies.glean(
      dependencies.source({ remote_path: join(dependencies.logs, 'absent.log') }),
    )
    expect(problems).toEqual([expect.stringContaining('absent.log does not exist')])
    const device = await dependencies.glean(dependencies.source({ remote_path: '/dev/null' }))
    expect(device.problems).toEqual([expect.stringContaining('or is a pipe, a socket or a device')])
    await expect(dependencies.glean(dependencies.source({ remote_path: '/x', ssh_target: 'other' }))).rejects.toThrow(
      '"other"',
    )
    dependencies.way.cut()
    await expect(dependencies.glean(dependencies.source({ remote_path: '/x' }))).rejects.toThrow(/closed|lost|reached/)
  })

  test.skipIf(journalMissing !== undefined)('are read from its journal, with its journalctl', async () => {
    await using dependencies = await setUp()
    const entry = (number: number) =>
      `__REALTIME_TIMESTAMP=${1_717_495_200_000_000 + number}\n__MONOTONIC_TIMESTAMP=${number}\n` +
      `_BOOT_ID=0123456789abcdef0123456789abcdef\n_SYSTEMD_UNIT=app.service\nMESSAGE=number ${number}\n\n`
    writeJournal(dependencies.logs, entry(1) + entry(2))
    const source = dependencies.source({ glean_type: 'journald', path: dependencies.logs })
    expect(await dependencies.glean(source)).toMatchObject({ entries: 2, problems: [] })
    writeJournal(dependencies.logs, entry(3))
    expect(await dependencies.glean(source)).toMatchObject({ entries: 1, duplicates: 0, problems: [] })
    expect((await dependencies.entries()).map(({ origin }) => origin.sourceId)).toEqual(Array(3).fill('nas:nas:app'))
  })

  // The program `docker` of the remote host is a script that responds as Docker's does.
  test('are read from its containers, with its docker program', async () => {
    await using programs = await temporaryDirectory()
    await using dependencies = await setUp({ programs: [programs.path] })
    const script = `#!/bin/sh
if [ "$1" = ps ]; then echo "${'ab'.repeat(32)} web"; exit; fi
echo "2026-03-01T09:15:02.000000001Z number 0"
echo "2026-03-01T09:15:02.000000001Z number 1" >&2
echo "2026-03-01T09:15:03.5Z number 2"
`
    await writeFile(join(programs.path, 'docker'), script)
    await chmod(join(programs.path, 'docker'), 0o755)
    const source = dependencies.source({ glean_type: 'docker' })
    expect(await dependencies.glean(source)).toMatchObject({ entries: 3, problems: [] })
    expect(await dependencies.glean(source)).toMatchObject({ lines: 0, duplicates: 0 })
    expect((await dependencies.entries())[2]).toMatchObject({ origin: { sourceId: 'nas:nas:web' }, text: 'number 2' })
  })
})
