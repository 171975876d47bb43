import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore, type StoreLocation } from '@trellis/kit/store'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { drawnBackend } from '@trellis/test/support/exploration'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logsSchema } from '../schemas.ts'
import type { SettingDefaults } from './resolve.ts'
import { createSealingKeys, readSettingsKeys } from './sealing-keys.ts'
import { createSettings } from './settings.ts'
import { listSettings, type SettingTables } from './store.ts'

const key = 'k'.repeat(40)
const otherKey = 'o'.repeat(40)

type Opening = { configured?: readonly string[]; file?: string; defaults?: SettingDefaults }

/** The settings of one replica. */
const openSettingsAt = async (location: StoreLocation, { configured = [key], file, defaults = {} }: Opening = {}) => {
  const store = await openStore<SettingTables>({ ...location, ...logsSchema })
  const settings = createSettings({
    db: store.db,
    keys: createSealingKeys({ configured, file }),
    defaults,
    now: () => Date.UTC(2026, 2, 1),
  })
  const set = (changes: Record<string, unknown>) => settings.update(Object.keys(changes), changes)
  return { ...settings, set, db: store.db, [Symbol.asyncDispose]: () => store.close() }
}

describe.each(drawnBackend(databases, 'logs/settings/settings'))('settings on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('as rows', () => {
    let database: RunningDatabase
    beforeAll(async () => {
      database = await start()
    })
    afterAll(() => database?.[Symbol.asyncDispose]())
    const openDatabase = () => database.place(logsSchema)

    test('has the defaults of the spec until something is set', async () => {
      await using placed = await openDatabase()
      await using settings = await openSettingsAt(placed.location)
      expect(await settings.read()).toEqual({
        llm_base_url: '',
        llm_model: '',
        llm_api_key: '',
        tech_level: 'sysadmin',
        dns_filter_url: '',
        dns_filter_version: '6',
        dns_filter_api_key: '',
        dns_filter_certificate: '',
        router_source_ids: [],
        device_names: '{}',
        media_monitor_token: '',
        notion_url: 'https://api.notion.com',
        notion_token: '',
        notion_database_id: '',
        jira_url: '',
        jira_email: '',
        jira_token: '',
        jira_project: '',
        jira_issue_type: 'Bug',
      })
    })

    test('a change on one replica is read by the other', async () => {
      await using placed = await openDatabase()
      await using one = await openSettingsAt(placed.location)
      await using other = await openSettingsAt(placed.location)
      await one.set({ tech_level: 'executive', router_source_ids: ['a', 'b', 'a'], media_monitor_token: 'hush' })
      expect(await other.read()).toMatchObject({
        tech_level: 'executive',
        router_source_ids: ['a', 'b'],
        media_monitor_token: 'hush',
      })
      await other.set({ tech_level: null })
      expect((await one.read()).tech_level).toBe('sysadmin')
    })

    test('a secret is shown as *** if set; writing *** keeps it, and writing an empty text clears it', async () => {
      await using placed = await openDatabase()
      await using settings = await openSettingsAt(placed.location)
      const shown = async () => (await settings.show()).jira_token
      expect(await shown()).toBe('')
      await settings.set({ jira_url: 'https://jira.example', jira_token: 'hunter2' })
      expect(await shown()).toBe('***')
      await settings.set({ jira_token: '***', jira_project: 'OPS' })
      expect(await settings.read()).toMatchObject({ jira_token: 'hunter2', jira_project: 'OPS' })
      await settings.set({ jira_token: '' })
      expect(await shown()).toBe('')
      expect((await settings.read()).jira_token).toBe('')
    })

    test('secrets are encrypted at rest', async () => {
      await using placed = await openDatabase()
      await using settings = await openSettingsAt(placed.location)
      await settings.set({ media_monitor_token: 'hunter2-secret' })
      const rows = JSON.stringify(await listSettings(settings.db))
      expect(rows).toContain('media_monitor_token')
      expect(rows).not.toContain('hunter2')
      expect(rows).not.toContain(Buffer.from('hunter2-secret').toString('base64url'))
    })

    test('an update with an invalid value changes nothing', async () => {
      await using placed = await openDatabase()
      await using settings = await openSettingsAt(placed.location)
      await expect(settings.set({ tech_level: 'homelab', jira_url: 'nowhere' })).rejects.toMatchObject({
        kind: 'invalid',
      })
      expect((await settings.read()).tech_level).toBe('sysadmin')
    })

    test('a secret is only used for the server that it was set for', async () => {
      await using placed = await openDatabase()
      await using settings = await openSettingsAt(placed.location)
      await settings.set({ dns_filter_api_key: 'hunter2' })
      await settings.set({ dns_filter_url: 'http://pi.hole' })
      await expect(settings.set({ dns_filter_url: 'http://elsewhere.example' })).rejects.toThrow(
        'dns_filter_api_key was set for http://pi.hole and is sent to no other server',
      )
      await settings.set({ dns_filter_url: 'http://pi.hole/admin', dns_filter_api_key: '***' })
      expect((await settings.read()).dns_filter_api_key).toBe('hunter2')
      // Nor by first clearing the address.
      await settings.set({ dns_filter_url: '' })
      expect(await settings.read()).toMatchObject({ dns_filter_url: '', dns_filter_api_key: '' })
      await expect(settings.set({ dns_filter_url: 'http://elsewhere.example' })).rejects.toMatchObject({
        kind: 'invalid',
      })
      await settings.set({ dns_filter_url: 'http://elsewhere.example', dns_filter_api_key: 'another' })
      expect((await settings.read()).dns_filter_api_key).toBe('another')
      await settings.set({ dns_filter_url: 'http://third.example', dns_filter_api_key: '' })
      expect((await settings.show()).dns_filter_api_key).toBe('')
    })

    test("the environment's model applies until settings replace it, and its key is sent to its address only", async () => {
      await using placed = await openDatabase()
      const defaults = { llm_base_url: 'http://model.example/v1', llm_model: 'small', llm_api_key: 'of-environment' }
      await using settings = await openSettingsAt(placed.location, { defaults })
      expect(await settings.read()).toMatchObject(defaults)
      expect((await settings.show()).llm_api_key).toBe('***')
      await settings.set({ llm_base_url: 'http://model.example/v2', llm_model: 'large' })
      expect(await settings.read()).toMatchObject({ llm_model: 'large', llm_api_key: 'of-environment' })
      await settings.set({ llm_base_url: 'http://other.example/v1' })
      expect((await settings.read()).llm_api_key).toBe('')
      await settings.set({ llm_base_url: null, llm_api_key: 'of-settings' })
      expect(await settings.read()).toMatchObject({
        llm_base_url: 'http://model.example/v1',
        llm_api_key: 'of-settings',
      })
      // Started with another address, the stored key is not sent there.
      await using moved = await openSettingsAt(placed.location, {
        defaults: { ...defaults, llm_base_url: 'http://moved.example' },
      })
      expect((await moved.read()).llm_api_key).toBe('')
      await settings.set({ llm_base_url: '' })
      expect(await settings.read()).toMatchObject({ llm_base_url: '', llm_api_key: '' })
    })

    test('keys are rotated by a list: the newest encrypts, and older ones decrypt until all is re-encrypted', async () => {
      await using placed = await openDatabase()
      await using before = await openSettingsAt(placed.location)
      await before.set({ media_monitor_token: 'hush', jira_project: 'OPS' })
      await using during = await openSettingsAt(placed.location, { configured: [otherKey, key] })
      expect((await during.read()).media_monitor_token).toBe('hush')
      await during.rotate()
      await using after = await openSettingsAt(placed.location, { configured: [otherKey] })
      expect(await after.read()).toMatchObject({ media_monitor_token: 'hush', jira_project: 'OPS' })
    })

    test('a wrong key is reported when the secret is used, and nowhere else', async () => {
      await using placed = await openDatabase()
      await using before = await openSettingsAt(placed.location)
      await before.set({ media_monitor_token: 'hush', jira_project: 'OPS' })
      await using wrong = await openSettingsAt(placed.location, { configured: [otherKey] })
      const values = await wrong.read()
      expect(values.jira_project).toBe('OPS')
      expect(() => values.media_monitor_token).toThrow(
        'The setting media_monitor_token was encrypted with a key that this server does not have.',
      )
      expect((await wrong.show()).media_monitor_token).toBe('***')
      await wrong.set({ media_monitor_token: 'again' })
      expect((await wrong.read()).media_monitor_token).toBe('again')
    })
  })
})

describe('without a configured key', () => {
  test('one is generated into a file of mode 600, and a new process reads with it', async () => {
    await using directory = await temporaryDirectory()
    const location = { dataDirectory: directory.path }
    const file = join(directory.path, 'settings-key')
    {
      await using settings = await openSettingsAt(location, { configured: [], file })
      await settings.set({ media_monitor_token: 'hush' })
    }
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file)).toHaveLength(32)
    await using again = await openSettingsAt(location, { configured: [], file })
    expect((await again.read()).media_monitor_token).toBe('hush')
  })

  test('a lost or broken key file is reported when the secret is used, and restoring it is enough', async () => {
    await using directory = await temporaryDirectory()
    const location = { dataDirectory: directory.path }
    const file = join(directory.path, 'settings-key')
    {
      await using settings = await openSettingsAt(location, { configured: [], file })
      await settings.set({ media_monitor_token: 'hush' })
    }
    const good = await readFile(file)
    await chmod(file, 0o600)
    await writeFile(file, 'short')
    await using broken = await openSettingsAt(location, { configured: [], file })
    await expect(broken.set({ jira_token: 'x' })).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('must hold 32 bytes'),
    })
    const values = await broken.read()
    expect(() => values.media_monitor_token).toThrow('encrypted with a key')
    await writeFile(file, good)
    expect((await broken.read()).media_monitor_token).toBe('hush')
    await rm(file)
    await using lost = await openSettingsAt(location, { configured: [], file })
    const without = await lost.read()
    expect(() => without.media_monitor_token).toThrow('encrypted with a key')
  })

  test('without a shared key replicas store no secrets, but all other settings', async () => {
    await using directory = await temporaryDirectory()
    await using settings = await openSettingsAt({ dataDirectory: directory.path }, { configured: [] })
    await expect(settings.set({ jira_token: 'x' })).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('SERVICE_SETTINGS_KEY'),
    })
    await settings.set({ jira_project: 'OPS', jira_token: '' })
    expect((await settings.read()).jira_project).toBe('OPS')
  })
})

test('a guessable key is refused at startup', () => {
  expect(readSettingsKeys(`${key}, ${otherKey}`)).toEqual([key, otherKey])
  expect(() => readSettingsKeys(`${key},short`)).toThrow('at least 32 characters')
})
