import { loadKeyFile } from '@trellis/kit/credentials'
import { serviceError } from '@trellis/kit/errors'
import { type SealingKey, sealingKey } from './seal.ts'

/** Shorter keys could be guessed. */
const minCharacters = 32

/** Reads SERVICE_SETTINGS_KEY: keys separated by commas, newest first. */
export const readSettingsKeys = (text: string): readonly string[] => {
  const keys = text
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')
  if (keys.some((key) => key.length < minCharacters))
    throw new Error(
      `must be keys of at least ${minCharacters} characters, separated by commas (create one with openssl rand -hex 32)`,
    )
  return keys
}

export type SealingKeysOptions = {
  /** The configured keys, newest first. */
  configured: readonly string[]
  /** Where a generated key may be stored; undefined if replicas could not read it. */
  file: string | undefined
}

/** The keys for secrets; the first one encrypts. */
export type SealingKeys = () => Promise<readonly [SealingKey, ...SealingKey[]]>

const noKey =
  'Secrets cannot be stored: set SERVICE_SETTINGS_KEY to the same key on every replica of the log service (create one with openssl rand -hex 32).'

/**
 * The configured keys, else one in a file that the first call generates. Throws `unavailable` with a remedy if there is neither.
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
    // A failure is not cached: the file may be repaired while the service runs.
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
}
