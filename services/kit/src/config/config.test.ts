import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  ConfigError,
  describeConfig,
  emptyCounts,
  readConfig,
  readConfigs,
  reserved,
  secret,
  setting,
} from './config.ts'
import * as read from './readers.ts'

const schema = {
  port: setting('PORT', read.port, 8080, 'Where to listen.'),
  mode: setting('MODE', read.oneOf('a', 'b'), 'a', 'How.'),
  strict: setting('STRICT', read.flag, false, 'Whether.'),
  threshold: setting('THRESHOLD', read.number(0, 1), 0.5, 'How much.'),
  names: setting('NAMES', read.list, [], 'Who.'),
  site: setting('SITE', read.optional(read.url), undefined, 'Where.'),
  key: secret('KEY', read.text, '', 'What opens it.'),
}

describe('reading the configuration', () => {
  test('unset or empty variables take their defaults, and the result is frozen', () => {
    const config = readConfig(schema, { PORT: '', STRICT: 'yes', NAMES: ' a, ,b ' })
    expect(config).toEqual({
      port: 8080,
      mode: 'a',
      strict: true,
      threshold: 0.5,
      names: ['a', 'b'],
      site: undefined,
      key: '',
    })
    expect(Object.isFrozen(config)).toBe(true)
  })

  test('an empty variable whose emptiness counts is read as an empty text', () => {
    const gpus = { gpus: emptyCounts(setting('GPUS', read.optional(read.text), undefined, 'Which.')) }
    expect([{}, { GPUS: '' }, { GPUS: '1' }].map((environment) => readConfig(gpus, environment).gpus)).toEqual([
      undefined,
      '',
      '1',
    ])
  })

  test.each([
    [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535, but is "70000".'],
    [{ PORT: '80a' }, 'PORT must be a whole number from 0 to 65535, but is "80a".'],
    [{ MODE: 'c' }, 'MODE must be one of a, b, but is "c".'],
    [{ STRICT: 'perhaps' }, 'STRICT must be 1 or 0 (or true, false, yes, no, on, off), but is "perhaps".'],
    [{ THRESHOLD: '2' }, 'THRESHOLD must be a number from 0 to 1, but is "2".'],
    [{ SITE: 'ftp://x' }, 'SITE must be an address that starts with http:// or https://, but is "ftp://x".'],
    [{ KEY_FILE: '/nowhere/key' }, 'KEY_FILE names /nowhere/key, which cannot be read.'],
  ])('a wrong value is reported in one line: %j', (environment, sentence) => {
    expect(() => readConfig(schema, environment)).toThrow(sentence)
  })

  test('wrong values of all schemas are reported together, each once', () => {
    const other = { port: schema.port, limit: setting('LIMIT', read.integer(1), 1, 'How many.') }
    const wrong = () => readConfigs({ schema, other }, { PORT: 'x', MODE: 'c', LIMIT: '0' })
    expect(wrong).toThrow(
      new ConfigError(
        [
          'PORT must be a whole number from 0 to 65535, but is "x".',
          'MODE must be one of a, b, but is "c".',
          'LIMIT must be a whole number of at least 1, but is "0".',
        ].join('\n'),
      ),
    )
    expect(readConfigs({ schema, other }, { LIMIT: '3' })).toMatchObject({
      schema: { port: 8080 },
      other: { limit: 3 },
    })
  })

  test('failed derivations are reported as well, unless they depend on a wrong value', () => {
    const check = (environment: Record<string, string>) =>
      readConfigs({ schema }, environment, ({ schema: values }) => ({
        door: () => {
          if (values.mode === 'b' && values.key === '') throw new ConfigError('KEY must be set when MODE is b.')
          return values.key
        },
        even: () => {
          if (values.port % 2 === 1) throw new ConfigError('PORT must be even.')
        },
      }))
    expect(() => check({ STRICT: 'perhaps', MODE: 'b', PORT: '81' })).toThrow(
      new ConfigError(
        [
          'STRICT must be 1 or 0 (or true, false, yes, no, on, off), but is "perhaps".',
          'KEY must be set when MODE is b.',
          'PORT must be even.',
        ].join('\n'),
      ),
    )
    expect(() => check({ PORT: 'x', MODE: 'b' })).toThrow(
      new ConfigError(
        ['PORT must be a whole number from 0 to 65535, but is "x".', 'KEY must be set when MODE is b.'].join('\n'),
      ),
    )
    expect(check({ MODE: 'b', KEY: 'k' })).toMatchObject({ schema: { mode: 'b' }, door: 'k' })
  })

  test('origins are normalized as browsers send them, and wildcards are rejected', () => {
    expect(read.origins('https://Trellis.example:443/, http://localhost:3000')).toEqual([
      'https://trellis.example',
      'http://localhost:3000',
    ])
    for (const wrong of ['*', 'null', 'trellis.example', 'https://a.example/path', 'file:///x'])
      expect(() => read.origins(wrong), wrong).toThrow('must list origins')
  })

  test('a secret may be read from a file, and is never displayed', () => {
    const directory = mkdtempSync(join(tmpdir(), 'trellis-config-'))
    writeFileSync(join(directory, 'key'), 'open sesame\n')
    const config = readConfig(schema, { KEY_FILE: join(directory, 'key') })
    rmSync(directory, { recursive: true })
    expect(config.key).toBe('open sesame')
    const rows = describeConfig(schema, config)
    expect(rows.find(({ variable }) => variable === 'KEY')).toMatchObject({ value: '***', isDefault: false })
    expect(JSON.stringify(rows)).not.toContain('sesame')
  })

  test('a reserved setting is validated, and described as not in use', () => {
    const coming = { ...schema, interval: reserved(setting('INTERVAL', read.integer(1), 900, 'How often.')) }
    expect(() => readConfig(coming, { INTERVAL: '0' })).toThrow('INTERVAL must be a whole number of at least 1')
    const row = describeConfig(coming, readConfig(coming, { INTERVAL: '5' })).find(
      ({ variable }) => variable === 'INTERVAL',
    )
    expect(row).toMatchObject({ isReserved: true, isDefault: false, description: 'Not in use yet. How often.' })
  })
})
