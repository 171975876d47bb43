import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { LogsConfig } from '../config.ts'
import type { SettingDefaults } from './resolve.ts'
import { createSealingKeys } from './sealing-keys.ts'
import { createSettings, type Settings } from './settings.ts'
import type { SettingTables } from './store.ts'

export type OpenSettingsOptions = {
  config: Pick<LogsConfig, 'settingsKeys' | 'llmBaseUrl' | 'llmModel' | 'llmApiKey'>
  db: Kysely<SettingTables>
  /** Where a generated key for secrets may be stored if none is configured; absent if replicas need the same key. */
  dataDirectory?: string
  now: () => number
}

const defaultsOf = ({ llmBaseUrl, llmModel, llmApiKey }: OpenSettingsOptions['config']): SettingDefaults => ({
  ...(llmBaseUrl !== undefined && { llm_base_url: llmBaseUrl }),
  llm_model: llmModel,
  llm_api_key: llmApiKey,
})

/** The settings of a service. With more than one key configured, secrets of older keys are re-encrypted, so that old keys can be removed later. */
export const openSettings = async ({ config, db, dataDirectory, now }: OpenSettingsOptions): Promise<Settings> => {
  const file = dataDirectory === undefined ? undefined : join(dataDirectory, 'settings-key')
  const keys = createSealingKeys({ configured: config.settingsKeys, file })
  const settings = createSettings({ db, keys, defaults: defaultsOf(config), now })
  if (config.settingsKeys.length > 1) await settings.rotate()
  return settings
}
