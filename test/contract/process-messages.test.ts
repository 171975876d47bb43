import { execFile } from 'node:child_process'
import { reservePort, startNatsServer } from '@trellis/distributed/servers'
import { describe, expect, test } from 'vitest'
import { asStarted } from '../support/as-started.ts'
import { modulePath } from '../support/module-path.ts'
import { natsCommand, natsMissing } from '../support/programs.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** Runs one of our processes that fails to start; returns its output and exit code. */
const starting = async (module: string, environment: Record<string, string>, words: string[] = []) => {
  const main = await modulePath(`services/${module}`)
  return new Promise<{ code: number | null; output: string }>((resolve) => {
    const env = { ...asStarted, PATH: process.env.PATH, METRICS_PORT: '0', LOG_LEVEL: 'silent', ...environment }
    const child = execFile(process.execPath, [main, ...words], { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: `${stdout}${stderr}` }),
    )
  })
}

const nowhere = 'postgresql://trellis:secret@127.0.0.1:1/trellis'

describe('a process that cannot start prints the reason in one line without secrets', () => {
  test.each([
    ['a service without NATS', 'logs/src/main.ts', { DATABASE_URL: nowhere }, [], /^NATS_URL must be set/],
    [
      'a service without a database, before it waits for NATS',
      'music/src/main.ts',
      { NATS_URL: '127.0.0.1:1' },
      [],
      /^DATABASE_URL must be set/,
    ],
    [
      'a password in NATS_URL',
      'logs/src/main.ts',
      { NATS_URL: 'nats://me:secret@127.0.0.1:1', DATABASE_URL: nowhere },
      [],
      /^NATS_URL holds a user or a password/,
    ],
    [
      'half of S3',
      'logs/src/main.ts',
      { NATS_URL: '127.0.0.1:1', DATABASE_URL: nowhere, S3_ENDPOINT: 'http://127.0.0.1:1' },
      [],
      /^S3_ACCESS_KEY_ID and/,
    ],
    [
      'a NATS server that is not there',
      'listings/src/main.ts',
      { NATS_URL: '127.0.0.1:1', DATABASE_URL: nowhere },
      [],
      /^No NATS server answered at 127\.0\.0\.1:1/,
    ],
    [
      'a migration without its database',
      'logs/src/main.ts',
      { NATS_URL: '127.0.0.1:1', DATABASE_URL: nowhere },
      ['migrate'],
      /^The database cannot be reached/,
    ],
    [
      'an unknown command',
      'logs/src/main.ts',
      { NATS_URL: '127.0.0.1:1', DATABASE_URL: nowhere },
      ['upgrade'],
      /^"upgrade" is not a command/,
    ],
    [
      'an edge without services',
      'edge/src/main.ts',
      {},
      [],
      /^LISTINGS_ADDRESS, LOGS_ADDRESS or MUSIC_ADDRESS must be set/,
    ],
    [
      'an edge with a wrong address',
      'edge/src/main.ts',
      { LOGS_ADDRESS: 'foo' },
      [],
      /^"foo" is not an address of a service/,
    ],
  ] as const)('%s', async (_name, module, environment, words, sentence) => {
    const { code, output } = await starting(module, environment, [...words])
    expect(output).toMatch(sentence)
    expect(output.trim().split('\n')).toHaveLength(1)
    expect(output).not.toContain('secret')
    expect(code).toBe(1)
  })

  test.skipIf(natsMissing)(`an RPC address in use${natsMissing ? ` (${natsMissing})` : ''}`, async () => {
    await using directory = await temporaryDirectory()
    await using nats = await startNatsServer({ command: natsCommand })
    await using taken = await reservePort()
    const { code, output } = await starting('distributed/src/workloads/main.ts', {
      NATS_URL: nats.address,
      RPC_ADDRESS: `127.0.0.1:${taken.port}`,
      TRELLIS_DATA_DIR: directory.path,
    })
    expect(output).toBe(
      `127.0.0.1:${taken.port} is in use. Stop the process that uses it, or set RPC_ADDRESS to another.\n`,
    )
    expect(code).toBe(1)
  })
})
