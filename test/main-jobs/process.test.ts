import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { asStarted } from '../support/as-started.ts'
import { modulePath } from '../support/module-path.ts'
import { startTrellis } from '../support/trellis.ts'

const main = await modulePath('services/all-in-one/src/main.ts')

/** Runs the program to its end. */
const run = async (environment: Record<string, string>, ...args: string[]) => {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...asStarted, PATH: process.env.PATH, METRICS_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (text) => (stdout += text))
  child.stderr.on('data', (text) => (stderr += text))
  const [code] = await once(child, 'close')
  return { code: code as number, stdout, stderr }
}

describe('the process', () => {
  test('SIGTERM ends open streams and exits with 0', async () => {
    await using trellis = await startTrellis()
    const stream = await fetch(`${trellis.origin}/logs/api/tail`)
    const text = stream.text()
    expect(await trellis.stop('SIGTERM')).toBe(0)
    expect(await text).toMatch(/retry: \d+/)
  })

  test('a second instance on the same data directory exits with a sentence', async () => {
    await using trellis = await startTrellis()
    const { code, stderr } = await run({ PORT: '0', TRELLIS_DATA_DIR: trellis.dataDirectory })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^The data directory .* is in use by another Trellis\..*\n$/)
  })

  test('a port in use is reported in a sentence', async () => {
    await using trellis = await startTrellis()
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const { code, stderr } = await run({ PORT: String(port), TRELLIS_DATA_DIR: `${trellis.dataDirectory}/other` })
    taken.close()
    expect([code, stderr]).toEqual([
      1,
      `Port ${port} is in use. Stop the process that uses it, or set PORT to another.\n`,
    ])
  })

  test.each([
    ['PORT', 'http'],
    ['CLOUD_MODE', 'perhaps'],
    ['MUSIC_MAX_SECONDS', '-3'],
    ['SERVICE_MAX_UPLOAD_MB', 'big'],
    ['MARKETPLACE_ENV', 'test'],
  ])('a wrong %s stops the start with one line that names it', async (variable, value) => {
    const { code, stdout, stderr } = await run({ [variable]: value })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(new RegExp(`^${variable} must be [^\\n]*, but is "${value}"\\.\\n$`))
  })

  test('all invalid settings are reported at once', async () => {
    const { code, stderr } = await run({
      PORT: 'x',
      MUSIC_MAX_SECONDS: '-3',
      TRUSTED_PROXIES: 'nginx',
      CORS_ORIGINS: '*',
    })
    expect(code).toBe(1)
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(['PORT', 'TRUSTED_PROXIES', 'CORS_ORIGINS', 'MUSIC_MAX_SECONDS'])
  })

  test('conflicting settings are reported together with invalid ones', async () => {
    const { code, stderr } = await run({
      PORT: 'x',
      CLOUD_MODE: '1',
      DATABASE_URL: 'mysql://x',
      MARKETPLACE_RENDER: 'always',
    })
    expect(code).toBe(1)
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(['PORT', 'GATEWAY_JWT_SECRET', 'DATABASE_URL', 'MARKETPLACE_RENDER'])
  })

  test.each([
    ['/proc/trellis/data', /^The data directory \/proc\/trellis\/data \S.* Set TRELLIS_DATA_DIR to/],
    [main, /^The data directory \S+ is a file\. Set TRELLIS_DATA_DIR to/],
  ])('the data directory %s is refused with one sentence', async (directory, sentence) => {
    const { code, stderr } = await run({ PORT: '0', TRELLIS_DATA_DIR: directory })
    expect(code).toBe(1)
    expect(stderr).toMatch(sentence)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test('a wrong DATABASE_URL stops the start with one line that does not show it', async () => {
    const { code, stdout, stderr } = await run({ DATABASE_URL: 'mysql://me:secret@database' })
    expect([code, stdout, stderr]).toEqual([1, '', 'DATABASE_URL must start with postgresql://, but does not.\n'])
  })

  test('--print-config shows the effective settings without secrets', async () => {
    const { code, stdout } = await run(
      { PORT: '9999', SERVICE_API_KEY: 'open-sesame', LLM_API_KEY: 'simsala-sesame' },
      '--print-config',
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(/^PORT=9999 /m)
    expect(stdout).toMatch(/^SERVICE_API_KEY=\*\*\* /m)
    expect(stdout).not.toContain('sesame')
  })

  test('metrics are served on a separate port in the Prometheus format', async () => {
    const probe = createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const { port } = probe.address() as AddressInfo
    probe.close()
    await once(probe, 'close')
    await using trellis = await startTrellis({ METRICS_PORT: String(port) })
    await fetch(`${trellis.origin}/listings/api/health`)
    const entries = [{ text: 'one' }, { text: 'two' }].map((entry) => ({ ...entry, source_id: 'app' }))
    const body = JSON.stringify({ entries: [...entries, { text: '', source_id: 'app' }] })
    const headers = { 'content-type': 'application/json' }
    expect(await fetch(`${trellis.origin}/logs/api/glean/batch`, { method: 'POST', headers, body })).toMatchObject({
      status: 200,
    })
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    expect(text).toMatch(
      /^trellis_http_request_duration_seconds_count\{method="GET",route="\/listings\/api\/health",status="200"\} 1$/m,
    )
    expect(text).toMatch(/^trellis_logs_entries_total\{result="stored"\} 2$/m)
    expect(text).toMatch(/^trellis_logs_entries_total\{result="rejected"\} 1$/m)
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m)
    expect((await fetch(`${trellis.origin}/metrics`)).status).toBe(404)
    const page = await readFile(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8')
    const listed = [...page.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
    const exposed = [...text.matchAll(/^# TYPE (trellis_\w+) /gm)].map(([, name]) => name)
    expect(listed.toSorted()).toEqual(exposed.toSorted())
  })

  test('health and readiness are served at the root and under every mount, and / leads to the home page', async () => {
    await using trellis = await startTrellis({ SERVICE_API_KEY: 'key' })
    for (const path of [
      '/health',
      '/ready',
      '/listings/health',
      '/listings/api/health',
      '/logs/health',
      '/music/health',
    ]) {
      expect((await fetch(`${trellis.origin}${path}`)).status, path).toBe(200)
    }
    const start = await fetch(`${trellis.origin}/`, { redirect: 'manual' })
    expect([start.status, start.headers.get('location')]).toEqual([302, '/home'])
    for (const [mount, version] of [
      ['listings', '0.1.0'],
      ['logs', '0.7.0'],
      ['music', '0.1.0'],
    ]) {
      const document = (await (await fetch(`${trellis.origin}/${mount}/openapi.json`)).json()) as {
        info: { version: string }
      }
      expect(document.info.version).toBe(version)
    }
  })
})
