import { invalidField } from '@trellis/kit/errors'
import { addressOf, kindOf, type SettingName, type SettingsValues, settingNames } from './declared.ts'
import { originOf, resolveSettings, type SettingDefaults, toText } from './resolve.ts'
import type { SettingRow } from './store.ts'

/** Represents a secret that is set. Writing it back leaves the secret unchanged. */
export const mask = '***'

/** The new value of each changed setting; undefined restores the default. */
export type Changes = ReadonlyMap<SettingName, SettingsValues[SettingName] | undefined>

/** Checks the input. Throws for invalid values; a masked secret is unchanged. */
export const readChanges = (input: Readonly<Record<string, unknown>>, names: readonly SettingName[]): Changes => {
  const changes = new Map<SettingName, SettingsValues[SettingName] | undefined>()
  for (const name of names) {
    const kind = kindOf(name)
    const value = input[name]
    if (value === undefined || value === null) changes.set(name, undefined)
    else if (!(kind.isSecret && value === mask)) changes.set(name, kind.check(value, name))
  }
  return changes
}

export type NextRows = { save: SettingRow[]; remove: SettingName[] }

type ChangeInput = {
  rows: readonly SettingRow[]
  changes: Changes
  defaults: SettingDefaults
  sealed: (name: SettingName, plain: string) => string
  changedAt: string
}

const boundElsewhere = (secretName: string, boundTo: string, addressName: string) =>
  invalidField(
    ['body', addressName],
    `${secretName} was set for ${boundTo} and is sent to no other server: set it again together with the new ${addressName}, or "" to clear it.`,
  )

/**
 * The rows after a change. Throws `invalid` if an address moves to another server while the secret for the old one would stay in force: changing
 * an address must not disclose a secret to the new server.
 */
export const nextRows = ({ rows, changes, defaults, sealed, changedAt }: ChangeInput): NextRows => {
  const next = new Map(rows.map((row) => [row.name, row]))
  const touched = new Set<string>()
  for (const [name, value] of changes) {
    if (value === undefined) {
      next.delete(name)
      continue
    }
    const text = toText(value)
    const isSealed = kindOf(name).isSecret && text !== ''
    next.set(name, { name, value: isSealed ? sealed(name, text) : text, bound_to: '', changed_at: changedAt })
    touched.add(name)
  }
  const { values } = resolveSettings([...next.values()], defaults)
  for (const name of settingNames) {
    const address = addressOf(name)
    const row = next.get(name)
    const origin = address && originOf(values.get(address))
    if (!row || row.value === '' || !address || !origin || row.bound_to === origin) continue
    if (row.bound_to !== '') throw boundElsewhere(name, row.bound_to, address)
    next.set(name, { ...row, bound_to: origin })
    touched.add(name)
  }
  return {
    save: [...next.values()].filter((row) => touched.has(row.name)),
    remove: [...changes].filter(([, value]) => value === undefined).map(([name]) => name),
  }
}
