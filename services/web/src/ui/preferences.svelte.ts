import { oneOf } from '../url/codecs.ts'
import { urlState } from '../url/state.svelte.ts'

/** Choices of this device. Everything else that a page shows is in its URL. */
export type Preferences = {
  theme: 'system' | 'light' | 'dark'
  density: 'roomy' | 'compact'
  /** Whether single letters are shortcuts; those with Ctrl or Alt always are. */
  letterKeys: boolean
  zone: 'local' | 'utc'
}

const fallback: Preferences = { theme: 'system', density: 'roomy', letterKeys: true, zone: 'local' }
const storageKey = 'trellis.preferences'

const allowed: { [Name in keyof Preferences]: readonly Preferences[Name][] } = {
  theme: ['system', 'light', 'dark'],
  density: ['roomy', 'compact'],
  letterKeys: [true, false],
  zone: ['local', 'utc'],
}

const read = (): Preferences => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '{}')
    if (typeof stored !== 'object' || stored === null) return fallback
    const known = Object.entries(stored).filter(
      ([name, value]) =>
        Object.hasOwn(allowed, name) && (allowed[name as keyof Preferences] as unknown[]).includes(value),
    )
    return { ...fallback, ...Object.fromEntries(known) }
  } catch {
    return fallback
  }
}

let values = $state.raw(read())

/** A link may show times in the zone of who sent it. */
const linked = urlState({ tz: oneOf(['', 'local', 'utc'], '') }, { isOfPage: false })

const apply = (): void => {
  const { dataset } = document.documentElement
  if (values.theme === 'system') delete dataset.theme
  else dataset.theme = values.theme
  dataset.density = values.density
}
apply()

export const preferences = {
  get theme() {
    return values.theme
  },
  get density() {
    return values.density
  },
  get letterKeys() {
    return values.letterKeys
  },
  /** The zone in which times are shown: that of the address, if it names one. */
  get zone() {
    return linked.values.tz || values.zone
  },
  set: (change: Partial<Preferences>): void => {
    values = { ...values, ...change }
    apply()
    if (change.zone !== undefined && linked.values.tz !== '') linked.set({ tz: '' }, { replace: true })
    try {
      localStorage.setItem(storageKey, JSON.stringify(values))
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  },
}
