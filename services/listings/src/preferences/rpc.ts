import { invalidField, serviceError } from '@trellis/kit/errors'
import type { Caller, Handlers } from '@trellis/kit/rpc'
import type { Preferences, PreferencesServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/preferences.ts'
import type { Dependencies } from '../dependencies.ts'
import { hasStore, requireSession } from '../session/access.ts'
import {
  isPreferencePath,
  type PreferencePath,
  type PreferenceValue,
  type PreferenceValues,
  preferencePaths,
} from './paths.ts'
import { readPreferences, writePreference } from './store.ts'

const presentPreferences = (values: PreferenceValues): Preferences => {
  const boolean = (path: PreferencePath): boolean | undefined => {
    const value = values.get(path)
    return typeof value === 'boolean' ? value : undefined
  }
  const text = (path: PreferencePath): string | undefined => {
    const value = values.get(path)
    return typeof value === 'string' ? value : undefined
  }
  /** A branch of the tree, or null if none of its preferences is set. */
  const branch = <Value extends object>(value: Value): Value | null =>
    Object.values(value).some((item) => item !== undefined && item !== null) ? value : null
  return {
    affiliate: branch({
      optOut: boolean('affiliate.opt_out'),
      byokIds: branch({ marketplace: text('affiliate.byok_ids.marketplace') }),
    }),
    community: branch({ blocklistShare: boolean('community.blocklist_share') }),
    display: branch({ currency: text('display.currency'), theme: text('display.theme') }),
    search: branch({ defaults: text('search.defaults') }),
  }
}

/** Parses the value of a preference; null clears it. Throws 422. */
const readValue = (path: PreferencePath, json: string): PreferenceValue | null => {
  const value: unknown = json === '' ? undefined : JSON.parse(json)
  if (value === null) return null
  const problem =
    typeof value === 'boolean' || typeof value === 'string'
      ? preferencePaths[path](value)
      : 'must be a boolean, a string or null'
  if (problem !== undefined) throw invalidField(['body', 'value'], `The value of ${path} ${problem}.`)
  return value as PreferenceValue
}

/** A campaign of one's own needs the premium tier, also to clear it: the specification names the path, not the value. */
const requireCampaignTier = ({ tier }: Caller, path: string): void => {
  if (path.startsWith('affiliate.byok_ids.') && tier !== 'premium' && tier !== 'ultra')
    throw serviceError('forbidden', `A campaign of your own needs the premium tier; yours is ${tier}.`)
}

export const preferencesRpc = ({
  db,
  now,
}: Pick<Dependencies, 'db' | 'now'>): Handlers<typeof PreferencesServiceDefinition> => ({
  getPreferences: async (_request, { caller }) =>
    presentPreferences(hasStore(caller) ? await readPreferences(db, caller.userId) : new Map()),
  setPreference: async ({ path, value: json }, { caller }) => {
    const userId = requireSession(caller, 'set preferences')
    requireCampaignTier(caller, path)
    if (!isPreferencePath(path))
      throw invalidField(
        ['body', 'path'],
        `There is no preference "${path}". There are: ${Object.keys(preferencePaths).join(', ')}.`,
      )
    return presentPreferences(await writePreference(db, userId, { path, value: readValue(path, json), now: now() }))
  },
})
