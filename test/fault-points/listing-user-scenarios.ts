import { openCloud, signedUser } from '../support/cloud.ts'
import type { FaultyInstallation } from './installation.ts'
import { type Answer, eventually, isOk, patchJson, postJson, type Scenario, send, untilAccepted } from './scenario.ts'

type User = { headers: Record<string, string> }

/** Each run has a user of its own, whose stores are empty. */
const newUser = async (_installation: FaultyInstallation, key: string): Promise<User> => ({
  headers: await signedUser('paid', key),
})

const api = ({ origin }: FaultyInstallation) => `${origin}/listings/api`

/** A kind of data of a user: how to save it, and how often it is stored. */
type Kept = {
  what: string
  save: (base: string, user: User) => Promise<Answer>
  count: (base: string, user: User) => Promise<number>
}

const listed = async (url: string, { headers }: User, list: string): Promise<unknown[]> => {
  const answer = await send(url, { headers })
  const items = answer.json[list]
  if (!isOk(answer) || !Array.isArray(items)) throw new Error(`${url} is answered ${answer.status}.`)
  return items
}

const kept: readonly Kept[] = [
  {
    what: 'a saved search',
    save: (base, { headers }) => postJson(`${base}/saved-searches`, { name: 'Cameras', query: 'camera' }, headers),
    count: async (base, user) => (await listed(`${base}/saved-searches`, user, 'saved_searches')).length,
  },
  {
    what: 'a blocked seller',
    save: (base, { headers }) =>
      postJson(`${base}/blocklist`, { platform_seller_id: 'seller', username: 's' }, headers),
    count: async (base, user) => (await listed(`${base}/blocklist`, user, 'entries')).length,
  },
  {
    what: 'a reported seller',
    save: (base, { headers }) => postJson(`${base}/reported`, { sellers: [{ platform_seller_id: 'seller' }] }, headers),
    count: async (base, user) => (await listed(`${base}/reported`, user, 'reported')).length,
  },
]

/** What a user saves: acknowledged data is stored exactly once, other data at most once, and saving again succeeds. */
export const savedData: Scenario<User & { acknowledged: Set<string> }> = {
  name: 'saved-data',
  surroundings: openCloud,
  prepare: async (installation, key) => ({ ...(await newUser(installation, key)), acknowledged: new Set() }),
  operate: async (installation, state) => {
    for (const { what, save } of kept) {
      const answer = await save(api(installation), state).catch(() => undefined)
      if (answer !== undefined && isOk(answer)) state.acknowledged.add(what)
    }
    return state.acknowledged.size === kept.length
  },
  check: async (installation, state) => {
    const wrong: string[] = []
    for (const { what, save, count } of kept) {
      const isAcknowledged = state.acknowledged.has(what)
      wrong.push(
        ...(await eventually(async () => {
          const found = await count(api(installation), state)
          if (found > 1 || (isAcknowledged && found === 0))
            return [`${what}, ${isAcknowledged ? '' : 'not '}acknowledged, is stored ${found} times`]
          return []
        })),
        ...(await untilAccepted(`${what}, saved again,`, () => save(api(installation), state))),
      )
    }
    return wrong
  },
}

type Listing = { platform_listing_id: string; buying_format: string }
type Alert = { platform_listing_id: string; kind: string }

/** After a crash, a run is taken over when the claim of the replica that died has run out. */
const takeOverLimit = 180_000

/** Fixed-price listings that alerted without any fault. */
const expected = new Set<string>()

// A restarted installation may have another port, so addresses are not kept.
const switchMonitor = (installation: FaultyInstallation, { headers }: User, saved: string, isOn: boolean) =>
  patchJson(
    `${api(installation)}/saved-searches/${saved}/monitor`,
    { monitor_enabled: isOn, min_trust_score: 0 },
    headers,
  )

type SavedSearch = {
  id: number
  next_check_at: string | null
  last_checked_at: string | null
  last_error: string | null
}

/** What the user sees of a monitor. */
const shownMonitor = async (installation: FaultyInstallation, user: User): Promise<string> =>
  JSON.stringify(await listed(`${api(installation)}/saved-searches`, user, 'saved_searches'))

/** Milliseconds, longer than a monitor takes to start and to be repeated. */
const startLimit = 10 * 60_000

/** What a user sees after an error of this machine. The demo marketplace is a part of the listings service, and unreachable after its end. */
const ownError =
  /^The search failed because of a problem of this installation|^The marketplace failed: 127\.0\.0\.1:\d+ is unreachable/

/**
 * Whether a user would not wait: the run of a monitor has failed by an error of this machine, which its user sees and which repeats it in minutes, or a
 * wrong clock scheduled it or its search, so that it starts late, timed out, or saw the marketplace of an hour ago. Throws while the service does not answer.
 */
const needsUser = async (installation: FaultyInstallation, user: User & { saved: string }) => {
  const searches = (await listed(`${api(installation)}/saved-searches`, user, 'saved_searches')) as SavedSearch[]
  const found = searches.find(({ id }) => String(id) === user.saved)
  const { last_checked_at: last, next_check_at: next, last_error: error } = found ?? {}
  if (ownError.test(error ?? '')) return true
  if (last) return Math.abs(Date.now() - Date.parse(last)) > startLimit
  return Date.parse(next ?? '') > Date.now() + startLimit
}

/** A monitor that is switched on: each listing alerts exactly once, whatever happens to its run. */
export const monitor: Scenario<User & { saved: string }> = {
  name: 'monitor',
  surroundings: openCloud,
  prepare: async (installation, key) => {
    const user = await newUser(installation, key)
    const saved = await postJson(
      `${api(installation)}/saved-searches`,
      { name: 'Cameras', query: 'camera' },
      user.headers,
    )
    return { ...user, saved: String(saved.json.id) }
  },
  operate: async (installation, { headers, saved }) => {
    const answer = await switchMonitor(installation, { headers }, saved, true)
    if (!isOk(answer)) return false
    // The fault is to meet the run, too.
    await eventually(async () => {
      const { json } = await send(`${api(installation)}/alerts`, { headers })
      return Number(json.unread_count) > 0 ? [] : ['no alerts yet']
    }, 5_000)
    return true
  },
  check: async (installation, state, acknowledged) => {
    const { saved } = state
    const switchTo = (isOn: boolean) => () => switchMonitor(installation, state, saved, isOn)
    // The clock is right again, but the monitor was perhaps scheduled by a wrong one: like its user, switch it off and on.
    await installation.control.reset()
    let needsSwitch = !acknowledged
    const wrong = await eventually(async () => {
      needsSwitch ||= await needsUser(installation, state)
      return []
    })
    if (needsSwitch) {
      wrong.push(...(await untilAccepted('the monitor, switched off,', switchTo(false))))
      wrong.push(...(await untilAccepted('the monitor, switched on again,', switchTo(true))))
    }
    // A second run may find that a price has fallen, which alerts again.
    const matches = async () =>
      ((await listed(`${api(installation)}/alerts?limit=200`, state, 'alerts')) as Alert[]).filter(
        ({ kind }) => kind === 'new_match',
      )
    // The marketplace may be paused after a fault.
    let found: Listing[] = []
    wrong.push(
      ...(await eventually(async () => {
        found = (await listed(`${api(installation)}/search?q=camera`, state, 'listings')) as Listing[]
        return []
      }, takeOverLimit)),
    )
    // The price and the end of an auction decide whether it alerts, and both change.
    const onSale = new Set(
      found.filter((one) => one.buying_format === 'fixed_price').map((one) => one.platform_listing_id),
    )
    wrong.push(
      ...(await eventually(async () => {
        const ids = (await matches()).map(({ platform_listing_id: id }) => id)
        if (ids.length === 0) return [`a monitor makes no alerts: ${await shownMonitor(installation, state)}`]
        if (expected.size === 0) for (const id of ids) if (onSale.has(id)) expected.add(id)
        const missing = [...expected].filter((id) => onSale.has(id) && !ids.includes(id))
        const repeated = ids.filter((id, index) => ids.indexOf(id) !== index)
        return [
          ...(missing.length > 0 ? [`no alert was made to ${missing}`] : []),
          ...(repeated.length > 0 ? [`alerts were made twice to ${repeated}`] : []),
        ]
      }, takeOverLimit)),
      ...(await untilAccepted('the monitor, switched off,', switchTo(false))),
    )
    return wrong
  },
}
