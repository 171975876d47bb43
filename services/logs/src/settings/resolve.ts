import { addressOf, kindOf, type SettingName, type SettingsValues, settingNames } from './declared.ts'
import type { SettingRow } from './store.ts'

/** What the process was started with, in place of a setting's own default. */
export type SettingDefaults = Partial<SettingsValues>

/** Where a secret is, if it holds: sealed in its row, or in the open from the environment. */
export type HeldSecret = { kind: 'none' } | { kind: 'sealed'; sealed: string } | { kind: 'plain'; value: string }

export type Resolved = {
  /** All that is no secret. */
  values: ReadonlyMap<SettingName, string | readonly string[]>
  secrets: ReadonlyMap<SettingName, HeldSecret>
}

/** The scheme, host and port of an address; nothing for what is none. */
export const originOf = (address: unknown): string => (typeof address === 'string' && URL.parse(address)?.origin) || ''

export const defaultOf = (name: SettingName, defaults: SettingDefaults): SettingsValues[SettingName] =>
  defaults[name] ?? kindOf(name).fallback

const readText = (name: SettingName, text: string): string | readonly string[] =>
  Array.isArray(kindOf(name).fallback) ? JSON.parse(text) : text

/** A setting's value as the text of its row. */
export const toText = (value: SettingsValues[SettingName]): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/**
 * What rows and defaults come to. A secret holds only for the server that it was given for: one of a row by the origin it is bound to, one of
 * the environment as long as the environment's address stands.
 */
export const resolveSettings = (rows: readonly SettingRow[], defaults: SettingDefaults): Resolved => {
  const byName = new Map(rows.map((row) => [row.name, row]))
  const values = new Map<SettingName, string | readonly string[]>()
  for (const name of settingNames) {
    if (kindOf(name).isSecret) continue
    const row = byName.get(name)
    values.set(name, row ? readText(name, row.value) : defaultOf(name, defaults))
  }
  const heldSecret = (name: SettingName): HeldSecret => {
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
  const secrets = settingNames.filter((name) => kindOf(name).isSecret).map((name) => [name, heldSecret(name)] as const)
  return { values, secrets: new Map(secrets) }
}
