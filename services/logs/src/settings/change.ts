import { invalidField } from '@trellis/kit/errors'
import { addressOf, kindOf, type SettingName, type SettingsValues, settingNames } from './declared.ts'
import { originOf, resolveSettings, type SettingDefaults, toText } from './resolve.ts'
import type { SettingRow } from './store.ts'

/** What stands for a secret that is set, and keeps it where it is written. */
export const mask = '***'

/** A value for each setting that changes; undefined goes back to its default. */
export type Changes = ReadonlyMap<SettingName, SettingsValues[SettingName] | undefined>

/** Checks what was given. Throws for what is not allowed; a secret that is to be kept is no change. */
export const readChanges = (given: Readonly<Record<string, unknown>>, names: readonly SettingName[]): Changes => {
  const changes = new Map<SettingName, SettingsValues[SettingName] | undefined>()
  for (const name of names) {
    const kind = kindOf(name)
    const value = given[name]
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

const movedAway = (secretName: string, boundTo: string, addressName: string) =>
  invalidField(
    ['body', addressName],
    `${secretName} was given for ${boundTo} and is sent nowhere else: give it again together with the new ${addressName}, or "" to clear it.`,
  )

/**
 * The rows after a change. Throws `invalid` where an address moves to another server and the secret that was given for the old one is to be
 * kept: whoever may change an address must not learn a secret by it.
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
    if (row.bound_to !== '') throw movedAway(name, row.bound_to, address)
    next.set(name, { ...row, bound_to: origin })
    touched.add(name)
  }
  return {
    save: [...next.values()].filter((row) => touched.has(row.name)),
    remove: [...changes].filter(([, value]) => value === undefined).map(([name]) => name),
  }
}
