import { addressOf, kindOf, type SettingName, type SettingsValues, settingNames } from './declared.ts'
import type { SettingRow } from './store.ts'

/** Values from the environment, which replace a setting's own default. */
export type SettingDefaults = Partial<SettingsValues>

/** An effective secret: encrypted in its row, or plain text from the environment. */
export type EffectiveSecret = { kind: 'none' } | { kind: 'sealed'; sealed: string } | { kind: 'plain'; value: string }

export type Resolved = {
  /** All settings that are not secret. */
  values: ReadonlyMap<SettingName, string | readonly string[]>
  secrets: ReadonlyMap<SettingName, EffectiveSecret>
}

/** The scheme, host and port of an address; empty if it is invalid. */
export const originOf = (address: unknown): string => (typeof address === 'string' && URL.parse(address)?.origin) || ''

export const defaultOf = (name: SettingName, defaults: SettingDefaults): SettingsValues[SettingName] =>
  defaults[name] ?? kindOf(name).fallback

const readText = (name: SettingName, text: string): string | readonly string[] =>
  Array.isArray(kindOf(name).fallback) ? JSON.parse(text) : text

/** A setting's value as the text of its row. */
export const toText = (value: SettingsValues[SettingName]): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/**
 * The effective settings from rows and defaults. A secret is only used for the server that it was set for: one of a row by the origin it is
 * bound to, one of the environment while the environment's address is in force.
 */
export const resolveSettings = (rows: readonly SettingRow[], defaults: SettingDefaults): Resolved => {
  const byName = new Map(rows.map((row) => [row.name, row]))
  const values = new Map<SettingName, string | readonly string[]>()
  for (const name of settingNames) {
    if (kindOf(name).isSecret) continue
    const row = byName.get(name)
    values.set(name, row ? readText(name, row.value) : defaultOf(name, defaults))
  }
  const effectiveSecret = (name: SettingName): EffectiveSecret => {
    const address = addressOf(name)
    const origin = address && originOf(values.get(address))
    const row = byName.get(name)
    if (row) {
      const isElsewhere = origin !== undefined && row.bound_to !== '' && row.bound_to !== origin
      return row.value === '' || isElsewhere ? { kind: 'none' } : { kind: 'sealed', sealed: row.value }
    }
    const value = toText(defaultOf(name, defaults))
    const isElsewhere = address !== undefined && originOf(defaultOf(address, defaults)) !== origin
    return value === '' || isElsewhere ? { kind: 'none' } : { kind: 'plain', value }
  }
  const secrets = settingNames
    .filter((name) => kindOf(name).isSecret)
    .map((name) => [name, effectiveSecret(name)] as const)
  return { values, secrets: new Map(secrets) }
}
