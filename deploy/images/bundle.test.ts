import { execFile } from 'node:child_process'
import { glob, readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort, startNatsServer } from '@trellis/distributed/servers'
import { postgresMissing, startTestPostgres } from '@trellis/test/support/postgres'
import { natsCommand, natsMissing } from '@trellis/test/support/programs'
import { migrateService, startService } from '@trellis/test/support/service-process'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { startTrellis } from '@trellis/test/support/trellis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { billOfMaterials } from './bill-of-materials.ts'
import { writeContents } from './contents.ts'
import { entries, root } from './entries.ts'

const run = promisify(execFile)
const folderOfRepository = fileURLToPath(root)

/** Processes with --print-config. The others are one-off programs. */
const configurable = Object.keys(entries).filter(
  (name) => !['create-secrets', 'await-servers', 'follow-search'].includes(name),
)
const requiredSettings = {
  NATS_URL: '127.0.0.1:4222',
  RPC_SECRET: 'secret',
  LISTINGS_ADDRESS: '127.0.0.1:9000',
  POD_NAMESPACE: 'default',
  POD_NAME: 'pod',
  POD_UID: 'e3b9a7c4-4bbf-4a0e-8a35-0d7c8c5b6a01',
  BRANCH_SLUG: 'graz',
  BRANCH_KEY: 'key',
}

let folder: string
let directory: Awaited<ReturnType<typeof temporaryDirectory>>
beforeAll(async () => {
  directory = await temporaryDirectory()
  folder = join(directory.path, 'app')
  await writeContents(folder)
})
afterAll(() => directory[Symbol.asyncDispose]())

test.each(configurable)('%s prints its configuration', async (name) => {
  const { stdout } = await run(process.execPath, [join(folder, `${name}.js`), '--print-config'], {
    cwd: directory.path,
    env: { ...requiredSettings, TRELLIS_WORKERS: join(directory.path, 'workers.json') },
  })
  expect(stdout).toMatch(/^# every process\n.*^METRICS_PORT=9090/ms)
})

test('every user can read all files of an image, including the web app', async () => {
  const paths = ['', ...(await readdir(folder, { recursive: true }))]
  expect(paths).toContain('web/index.html')
  const unreadable: string[] = []
  for (const path of paths) {
    const found = await stat(join(folder, path))
    const needed = found.isDirectory() ? 0o005 : 0o004
    if ((found.mode & needed) !== needed) unreadable.push(path)
  }
  expect(unreadable).toEqual([])
})

test('the bundle refers to no source file', async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.js'))
  for (const name of files) expect(await readFile(join(folder, name), 'utf8')).not.toMatch(/new URL\([^)]*\.ts['"]/)
})

test('the operator and the chunks that it imports are in ASCII, which takes half the memory of other text', async () => {
  const sources = new Map<string, string>()
  const read = async (name: string) => {
    if (sources.has(name)) return
    const source = await readFile(join(folder, name), 'utf8')
    sources.set(name, source)
    for (const [, imported = ''] of source.matchAll(/^import .*"\.\/(chunk-.*\.js)";$/gm)) await read(imported)
  }
  await read('operator.js')
  expect(sources.size).toBeGreaterThan(1)
  const beyond = [...sources].filter(([, source]) => /[^\0-\x7f]/.test(source)).map(([name]) => name)
  expect(beyond).toEqual([])
})

test('the bill of materials lists every package in the bundle, with its version and digest, and no tools', async () => {
  const maps = (await readdir(folder)).filter((name) => name.endsWith('.js.map'))
  const sources = await Promise.all(
    maps.map(async (name) => (JSON.parse(await readFile(join(folder, name), 'utf8')) as { sources: string[] }).sources),
  )
  const folders = new Set(
    sources.flat().flatMap((source) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(resolve(folder, source)) ?? []),
  )
  const copied = await Array.fromAsync(glob('node_modules/{*,@*/*}/package.json', { cwd: folder }))
  const manifests = [
    ...[...folders].map((each) => join(each, 'package.json')),
    ...copied.map((each) => join(folder, each)),
  ]
  const bundled = await Promise.all(
    manifests.map(async (file) => {
      const { name, version } = JSON.parse(await readFile(file, 'utf8')) as { name: string; version: string }
      return name.startsWith('@trellis/') ? [] : [`pkg:npm/${name.replace('@', '%40')}@${version}`]
    }),
  )
  const document = await billOfMaterials()
  const listed = new Set(document.components.map(({ purl }) => purl))
  expect(folders.size).toBeGreaterThan(50)
  expect(copied.length).toBeGreaterThan(5)
  expect(bundled.flat().filter((purl) => !listed.has(purl))).toEqual([])
  expect(document.components.filter(({ hashes = [] }) => hashes.length === 0)).toEqual([])
  expect(document.components.map(({ name }) => name)).not.toContain('vitest')
  expect(await billOfMaterials()).toEqual(document)
})

test('one program of the bundle runs everything: the app, the log service and workers for audio', async () => {
  await using trellis = await startTrellis({}, { form: 'embedded', program: join(folder, 'all-in-one.js') })
  expect((await fetch(`${trellis.origin}/home`)).status).toBe(200)
  const send = async (path: string, name: string, content: string | Uint8Array<ArrayBuffer>) => {
    const form = new FormData()
    form.append('file', new Blob([content]), name)
    return (await fetch(trellis.origin + path, { method: 'POST', body: form })).json()
  }
  const logged = await send('/logs/api/ingest/upload?wait=true', 'app.log', '2026-03-01T09:00:00Z ERROR disk full\n')
  expect(logged).toMatchObject({ status: 'done', counts: { entries: 1 } })
  const tune = await readFile(join(folderOfRepository, 'docs/examples/tune.ogg'))
  expect(await send('/music/api/chains', 'tune.ogg', new Uint8Array(tune))).toMatchObject({
    name: 'tune',
    nodes: [{ status: 'ready' }],
  })
})

const missing = natsMissing ?? postgresMissing
describe.skipIf(missing !== undefined)(`the bundle on real servers${missing ? ` (skipped: ${missing})` : ''}`, () => {
  test('the log service parses an upload in worker threads, behind the edge', async () => {
    await using opened = new AsyncDisposableStack()
    const nats = opened.use(await startNatsServer({ command: natsCommand }))
    const postgres = opened.use(await startTestPostgres())
    const [logs, edge] = [await freePort(), await freePort()]
    const environment = {
      PATH: process.env.PATH ?? '',
      NATS_URL: nats.address,
      DATABASE_URL: await postgres.createDatabase(),
      RPC_ADDRESS: `127.0.0.1:${logs}`,
      LOGS_ADDRESS: `127.0.0.1:${logs}`,
      PORT: String(edge),
      METRICS_PORT: '0',
      LOG_LEVEL: 'warn',
      TRELLIS_DATA_DIR: join(directory.path, 'data'),
    }
    const moduleOf = (entry: string) => relative(folderOfRepository, join(folder, `${entry}.js`))
    await migrateService(moduleOf('logs'), environment)
    opened.use(await startService(moduleOf('logs'), environment))
    opened.use(await startService(moduleOf('edge'), environment))

    const form = new FormData()
    form.append('file', new Blob(['2026-03-01T09:00:00Z ERROR disk full\nsecond\n']), 'app.log')
    const response = await fetch(`http://127.0.0.1:${edge}/logs/api/ingest/upload?wait=true`, {
      method: 'POST',
      body: form,
    })
    expect(await response.json()).toMatchObject({ status: 'done', counts: { lines: 2 } })
    const docs = await fetch(`http://127.0.0.1:${edge}/docs/`)
    expect({ status: docs.status, text: await docs.text() }).toMatchObject({
      status: 200,
      text: expect.stringContaining('swagger-ui'),
    })
  })
})
