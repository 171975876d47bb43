import { invalidField, serviceError } from '@trellis/kit/errors'
import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { mask, nextRows, readChanges } from './change.ts'
import { isSettingName, kindOf, type SettingName, type SettingsValues } from './declared.ts'
import { type EffectiveSecret, resolveSettings, type SettingDefaults } from './resolve.ts'
import { keyIdOf, type SealingKey, seal, unseal } from './seal.ts'
import type { SealingKeys } from './sealing-keys.ts'
import { deleteSetting, listSettings, type SettingTables, saveSetting } from './store.ts'

export type Settings = {
  /**
   * The effective settings at this moment, whichever replica changed them: each call reads the rows, which takes a fraction of a millisecond.
   * A secret that no key decrypts throws `unavailable` when it is read, and only then.
   */
  read: () => Promise<SettingsValues>
  /** The same for display: a secret is `***` or empty. */
  show: () => Promise<SettingsValues>
  /** Changes the named settings: all, or none if it throws. Null or undefined restores the default. */
  update: (names: readonly string[], input: Readonly<Record<string, unknown>>) => Promise<void>
  /** Re-encrypts secrets of older keys with the first key. */
  rotate: () => Promise<void>
}

export type SettingsOptions = {
  db: Kysely<SettingTables>
  keys: SealingKeys
  /** Values from the environment. */
  defaults: SettingDefaults
  now: () => number
}

const undecryptable = (name: SettingName, cause?: unknown) =>
  serviceError(
    'unavailable',
    `The setting ${name} was encrypted with a key that this server does not have. Add that key to SERVICE_SETTINGS_KEY (or restore the file settings-key), or set ${name} again.`,
    { cause },
  )

/** A property with the secret, or one that throws when it is read. */
const secretProperty = async (
  name: SettingName,
  secret: EffectiveSecret,
  keys: SealingKeys,
): Promise<PropertyDescriptor> => {
  const asIs = (value: string) => ({ value, enumerable: true })
  const broken = (cause?: unknown) => ({
    enumerable: true,
    get: () => {
      throw undecryptable(name, cause)
    },
  })
  if (secret.kind === 'none') return asIs('')
  if (secret.kind === 'plain') return asIs(secret.value)
  try {
    const plain = unseal(name, secret.sealed, await keys())
    return plain === undefined ? broken() : asIs(plain)
  } catch (cause) {
    return broken(cause)
  }
}

const known = (names: readonly string[]): SettingName[] =>
  names.map((name) => {
    if (!isSettingName(name)) throw invalidField(['body', name], `There is no setting "${name}".`)
    return name
  })

const needsKey = (changes: ReturnType<typeof readChanges>): boolean =>
  [...changes].some(([name, value]) => kindOf(name).isSecret && value !== undefined && value !== '')

/** Settings as rows that replicas share. */
export const createSettings = ({ db, keys, defaults, now }: SettingsOptions): Settings => ({
  read: async () => {
    const { values, secrets } = resolveSettings(await listSettings(db), defaults)
    const all = Object.fromEntries(values)
    for (const [name, secret] of secrets) Object.defineProperty(all, name, await secretProperty(name, secret, keys))
    // Every declared setting is in one of the two maps.
    return Object.freeze(all) as SettingsValues
  },
  show: async () => {
    const { values, secrets } = resolveSettings(await listSettings(db), defaults)
    const masked = [...secrets].map(([name, secret]) => [name, secret.kind === 'none' ? '' : mask] as const)
    return Object.freeze(Object.fromEntries([...values, ...masked])) as SettingsValues
  },
  update: async (names, input) => {
    const changes = readChanges(input, known(names))
    const [key] = needsKey(changes) ? await keys() : []
    const sealed = (name: SettingName, plain: string) => {
      if (!key) throw new TypeError('A secret needs a key.')
      return seal(name, plain, key)
    }
    const changedAt = new Date(now()).toISOString()
    await transact(db, async (transaction) => {
      const { save, remove } = nextRows({
        rows: await listSettings(transaction),
        changes,
        defaults,
        sealed,
        changedAt,
      })
      for (const name of remove) await deleteSetting(transaction, name)
      for (const row of save) await saveSetting(transaction, row)
    })
  },
  rotate: async () => {
    const all = await keys()
    await transact(db, async (transaction) => {
      for (const row of await listSettings(transaction)) {
        const resealedValue = resealed(row, all)
        if (resealedValue !== undefined) await saveSetting(transaction, { ...row, value: resealedValue })
      }
    })
  },
})

const resealed = (
  { name, value }: { name: string; value: string },
  keys: readonly [SealingKey, ...SealingKey[]],
): string | undefined => {
  const isOfFirst = keyIdOf(value) === keys[0].id
  if (!isSettingName(name) || !kindOf(name).isSecret || value === '' || isOfFirst) return undefined
  const plain = unseal(name, value, keys)
  return plain === undefined ? undefined : seal(name, plain, keys[0])
}
