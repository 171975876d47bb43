import { loadKeyFile } from '@trellis/kit/credentials'
import { serviceError } from '@trellis/kit/errors'
import { type SealingKey, sealingKey } from './seal.ts'

/** Anything shorter could be guessed. */
const fewestCharacters = 32

/** Reads SERVICE_SETTINGS_KEY: keys parted by commas, the newest first. */
export const readSettingsKeys = (text: string): readonly string[] => {
  const keys = text
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')
  if (keys.some((key) => key.length < fewestCharacters))
    throw new Error(
      `must be keys of at least ${fewestCharacters} characters, commas between (openssl rand -hex 32 makes one)`,
    )
  return keys
}

export type SealingKeysOptions = {
  /** What is configured, the newest first. */
  configured: readonly string[]
  /** Where a key may be kept that was drawn here; undefined where replicas could not see it. */
  file: string | undefined
}

/** The keys for secrets, the first of which seals. */
export type SealingKeys = () => Promise<readonly [SealingKey, ...SealingKey[]]>

const noKey =
  'Secrets cannot be kept: set SERVICE_SETTINGS_KEY to the same key on every replica of the log service (openssl rand -hex 32 makes one).'

/**
 * Keys as configured, else one in a file that is drawn at the first call. Throws `unavailable` with what to do where neither can be had.
 */
export const createSealingKeys = ({ configured, file }: SealingKeysOptions): SealingKeys => {
  let loaded: ReturnType<SealingKeys> | undefined
  const load: SealingKeys = async () => {
    const [first, ...rest] = configured.map(sealingKey)
    if (first) return [first, ...rest]
    if (file === undefined) throw serviceError('unavailable', noKey)
    try {
      return [sealingKey(await loadKeyFile(file))]
    } catch (cause) {
      throw serviceError(
        'unavailable',
        `The key for secrets cannot be read: ${cause instanceof Error ? cause.message : cause}`,
        { cause },
      )
    }
  }
  return () => {
    // What failed is tried again: the file may be mended while the service runs.
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
}
