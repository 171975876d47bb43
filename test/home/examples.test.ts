import { execFile } from 'node:child_process'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chatLimits } from '@trellis/kit/language-model'
import { modulePath } from '@trellis/test/support/module-path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { entries } from '../../deploy/images/entries.ts'
import { attempt } from '../support/run-program.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { whereIs } from '../support/where-is.ts'

const run = promisify(execFile)
const examples = new URL('../../deploy/home/', import.meta.url)
const read = (name: string) => readFile(new URL(name, examples), 'utf8')

/** Names of all settings of the single process. */
const settings = async (): Promise<Set<string>> => {
  const program = await modulePath('services/all-in-one/src/main.ts')
  const { stdout } = await run(process.execPath, [program, '--print-config'], { env: { PATH: process.env.PATH } })
  return new Set([...stdout.matchAll(/^([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name ?? ''))
}
const withoutFile = (name: string) => name.replace(/_FILE$/, '')

test('the container of the compose file runs a program of the image, with settings that exist', async () => {
  const { services, secrets } = parse(await read('compose.yaml'))
  const { command, environment, ports, build } = services.trellis
  expect(Object.keys(entries).map((name) => `/app/${name}.js`)).toContain(command[0])
  expect(await readFile(new URL(`${build.context}/${build.dockerfile}`, examples), 'utf8')).toContain('COPY app /app')
  const known = await settings()
  expect(Object.keys(environment).filter((name) => !known.has(withoutFile(name)))).toEqual([])
  // Others reach it through a proxy only.
  expect(ports).toEqual([`127.0.0.1:${environment.PORT}:${environment.PORT}`])
  expect(`/run/secrets/${Object.keys(secrets)[0]}`).toBe(environment.SERVICE_API_KEY_FILE)
})

test('the unit has settings that exist', async () => {
  const names = [...(await read('trellis.service')).matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) =>
    [...line.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name ?? ''),
  )
  expect(names).toContain('TRELLIS_DATA_DIR')
  const known = await settings()
  expect(names.filter((name) => !known.has(name))).toEqual([])
})

test('nginx waits for an answer as long as a language model may take', async () => {
  const [, minutes] = /proxy_read_timeout (\d+)m;/.exec(await read('nginx.conf')) ?? []
  expect(Number(minutes) * 60_000).toBeGreaterThan(2 * chatLimits.totalMilliseconds)
})

const analyze = 'systemd-analyze'
const missing = whereIs(analyze) === undefined ? ` (skipped: ${analyze} is not installed)` : ''
test.skipIf(missing !== '')(`systemd accepts the unit${missing}`, async () => {
  await using folder = await temporaryDirectory()
  const unit = join(folder.path, 'trellis.service')
  await copyFile(new URL('trellis.service', examples), unit)
  const { code, output } = await attempt(analyze, ['verify', '--man=no', unit])
  // It goes on without a setting that it does not know, or cannot read.
  expect({ code, about: output.split('\n').filter((line) => line.includes('trellis.service')) }).toEqual({
    code: 0,
    about: [],
  })
})
