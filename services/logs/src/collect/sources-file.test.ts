import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unitSourceId } from './source-entry.ts'
import { createSourcesFile } from './sources-file.ts'

const withFile = async (text?: string) => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-sources-'))
  const path = join(directory, 'sources.yaml')
  if (text !== undefined) await writeFile(path, text)
  return {
    directory,
    path,
    sources: createSourcesFile({ path, lockDirectory: join(directory, 'lock') }),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}

const document = `# What this house collects.
sources:
  - id: attic-syslog   # the old machine
    path: /var/log/syslog
    timezone: Europe/Berlin
  - id: apps
    path: /srv/logs
    include: '*.log'
    exclude: [debug.log]
    recursive: false
    tenant_id: home
    retention_days: 30
    multiline: until_header
  - {id: journal, glean_type: journald, units: [ssh.service]}
  - {id: containers, glean_type: podman, enabled: false}
  - id: cellar
    transport: ssh
    glean_type: syslog
    host: cellar.lan
    user: logs
    key_path: /keys/cellar
    remote_path: /var/log/messages
  - {id: roof, transport: ssh, glean_type: docker, ssh_target: t-1, containers: [web]}
`

test('a source is configured in a sources file with transport local or ssh', async () => {
  await using file = await withFile(document)
  const { entries, problems, isReadable } = await file.sources.read()
  expect({ problems, isReadable }).toEqual({ problems: [], isReadable: true })
  expect(entries).toMatchObject([
    { id: 'attic-syslog', transport: 'local', gleanType: 'file', path: '/var/log/syslog', recursive: true },
    {
      id: 'apps',
      include: ['*.log'],
      exclude: ['debug.log'],
      recursive: false,
      tenantId: 'home',
      retentionDays: 30,
      multiline: 'untilHeader',
    },
    { id: 'journal', transport: 'local', gleanType: 'journald', units: ['ssh.service'] },
    { id: 'containers', gleanType: 'podman', enabled: false },
    {
      id: 'cellar',
      transport: 'ssh',
      gleanType: 'syslog',
      reach: { kind: 'address', host: 'cellar.lan', port: 22, user: 'logs', keyPath: '/keys/cellar' },
      path: '/var/log/messages',
    },
    { id: 'roof', gleanType: 'docker', reach: { kind: 'target', targetId: 't-1' }, containers: ['web'] },
  ])
})

test('SSH sources have glean types journald, syslog, plaintext, docker, and no others', async () => {
  const types = ['journald', 'syslog', 'plaintext', 'docker', 'file', 'podman']
  const rows = types.map((type) => `  - {id: ${type}, transport: ssh, glean_type: ${type}, ssh_target: t, path: /x}`)
  await using file = await withFile(`sources:\n${rows.join('\n')}\n`)
  const { entries, problems } = await file.sources.read()
  expect(entries.map(({ gleanType }) => gleanType)).toEqual(['journald', 'syslog', 'plaintext', 'docker'])
  expect(problems).toEqual([
    'sources.yaml, line 6: sources[4].glean_type must be journald, syslog, plaintext or docker.',
    'sources.yaml, line 7: sources[5].glean_type must be journald, syslog, plaintext or docker.',
  ])
})

test.each([
  ['sources: [{id: a}]', 'line 1: sources[0].path is missing: files need a path, other sources a glean_type'],
  ['sources: [{id: a, transport: ftp}]', 'line 1: sources[0].transport must be local or ssh'],
  ['sources: [{id: a, path: /x, format: nginks}]', 'is "nginks" (similar: nginx-error'],
  ['sources:\n  - id: a\n    path: var/log', 'line 3: sources[0].path must be an absolute path'],
  ['sources:\n  - id: a\n    pth: /var/log\n    path: /x', 'line 3: sources[0].pth is not known; there are id, '],
  ['sources:\n  - path: /x', 'line 2: sources[0].id is missing'],
  ['- just text', 'line 1: sources[0] must be a mapping'],
  [
    'sources:\n  - {id: a, path: /x}\n  - {id: a, path: /y}',
    'line 3: sources[1].id is "a", which an earlier source has',
  ],
  ['sources:\n  - {id: a, path: /x, timezone: Nowhere/Land}', 'sources[0].timezone must be a time zone'],
  ['sources:\n  - {id: a, path: /x, format: nope}', 'sources[0].format must be a known format'],
  ['sources:\n  - {id: a, path: /x, retention_days: 0}', 'sources[0].retention_days must be a whole number'],
  ['sources:\n  - {id: " ", path: /x}', 'sources[0].id must not be blank'],
  ['sources:\n  - {id: [a], path: /x}', 'sources[0].id must be text'],
  ['sources:\n  - {id: a/b, path: /x}', 'sources[0].id must not have a "/"'],
  ['sources:\n  - {id: a, transport: ssh, glean_type: syslog, ssh_target: t}', 'sources[0].remote_path is missing'],
  ['sources:\n  - {id: a, transport: ssh, glean_type: docker, host: h}', 'sources[0].user is missing'],
  ['sources: 7', 'it must be a list of sources'],
])('a mistake in %j is reported with its line', async (text, problem) => {
  await using file = await withFile(text)
  expect((await file.sources.read()).problems.join(' ')).toContain(problem)
})

test('a file that is not YAML is reported with its line, and not as a file without sources', async () => {
  await using file = await withFile('sources:\n  - id: a\n   path: [')
  const { isReadable, problems } = await file.sources.read()
  expect(isReadable).toBe(false)
  expect(problems[0]).toMatch(/^sources\.yaml: line \d+: /)
  await expect(file.sources.append([{ id: 'b', path: '/b' }])).rejects.toMatchObject({ kind: 'conflict' })
})

test('a file with exponentially expanding aliases is rejected', async () => {
  const levels = Array.from({ length: 12 }, (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level}, `.repeat(9)}]`)
  await using file = await withFile(`l0: &l0 [x]\n${levels.join('\n')}\nsources: *l12\n`)
  const { isReadable, problems } = await file.sources.read()
  expect({ isReadable, problems }).toMatchObject({ isReadable: false, problems: [expect.stringContaining('aliases')] })
})

test('selected sources are appended to the sources file, and its comments are preserved', async () => {
  await using file = await withFile(document)
  const added = await file.sources.append([{ id: 'new', path: '/new.log' }])
  expect(added).toMatchObject([{ id: 'new', gleanType: 'file' }])
  const text = await readFile(file.path, 'utf8')
  expect(text).toContain('# What this house collects.')
  expect(text).toContain('# the old machine')
  expect((await file.sources.read()).entries.map(({ id }) => id).at(-1)).toBe('new')
})

test.each([undefined, '', '# nothing yet\n', 'sources: []\n', 'sources:\n', '[]\n'])(
  'sources are appended to %j',
  async (text) => {
    await using file = await withFile(text)
    await file.sources.append([{ id: 'one', path: '/one.log' }])
    await file.sources.append([{ id: 'two', path: '/two.log' }])
    const { entries, problems } = await file.sources.read()
    expect({ ids: entries.map(({ id }) => id), problems }).toEqual({ ids: ['one', 'two'], problems: [] })
    if (text?.startsWith('#')) expect(await readFile(file.path, 'utf8')).toContain('# nothing yet')
  },
)

test('an existing id is rejected, and no source of the same request is written', async () => {
  await using file = await withFile(document)
  const both = [
    { id: 'fresh', path: '/fresh' },
    { id: 'apps', path: '/x' },
  ]
  await expect(file.sources.append(both)).rejects.toMatchObject({ kind: 'conflict' })
  await expect(file.sources.append([{ id: 'x', path: 'relative' }])).rejects.toMatchObject({ kind: 'invalid' })
  expect(await readFile(file.path, 'utf8')).toBe(document)
})

test('concurrent appends all succeed, and leave no temporary files', async () => {
  await using file = await withFile(document)
  const others = [0, 1].map(() => createSourcesFile({ path: file.path, lockDirectory: join(file.directory, 'lock') }))
  await Promise.all(
    Array.from({ length: 12 }, (_, index) => others[index % 2]?.append([{ id: `n${index}`, path: `/n${index}` }])),
  )
  expect((await file.sources.read()).entries).toHaveLength(6 + 12)
  expect((await readdir(file.directory)).toSorted()).toEqual(['lock', 'sources.yaml'])
})

test('units of a source are grouped under its host', async () => {
  await using file = await withFile(
    'sources:\n  - {id: apps, path: /srv, host: attic}\n  - {id: "local:attic", path: /srv}\n',
  )
  const { entries } = await file.sources.read()
  const [plain, named] = entries
  expect(plain && unitSourceId(plain, 'web/access.log')).toBe('apps:attic:web/access.log')
  expect(named && unitSourceId(named, 'web/access.log')).toBe('local:attic:web/access.log')
  expect(plain && unitSourceId(plain, 'odd\nname.log')).toBe('apps:attic:odd?name.log')
  const long = plain ? unitSourceId(plain, 'x'.repeat(400)) : ''
  expect(long).toHaveLength(253)
  expect(plain && unitSourceId(plain, `${'x'.repeat(400)}y`)).not.toBe(long)
})

test('the example of the documentation has no mistake, and every kind of source', async () => {
  const text = await readFile(new URL('../../../../docs/examples/sources.yaml', import.meta.url), 'utf8')
  await using file = await withFile(text)
  const { entries, problems } = await file.sources.read()
  expect(problems).toEqual([])
  const kinds = entries.map(({ transport, gleanType }) => `${transport} ${gleanType}`)
  expect(kinds).toEqual(['local file', 'local file', 'local journald', 'local docker', 'ssh syslog', 'ssh journald'])
})
