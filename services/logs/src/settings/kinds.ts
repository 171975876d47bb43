import { invalidField, serviceError } from '@trellis/kit/errors'

/** How one setting is validated and stored. */
export type SettingKind<Value> = {
  fallback: Value
  /** The value to store. Throws `invalid` (422) or `malformed` (400) with a message that names the setting. */
  check: (input: unknown, name: string) => Value
  /** Stored encrypted, and never shown. */
  isSecret: boolean
  /** The setting with the address of the server that a secret is sent to. */
  sentTo?: string
}

const maxText = 2_000
const maxSecret = 4_000
const maxSources = 200
const maxSourceText = 500
const maxDevicesText = 65_536
const maxDevices = 1_000
const maxDeviceName = 200

const textOf = (input: unknown, name: string, max: number): string => {
  if (typeof input !== 'string') throw invalidField(['body', name], `${name} must be text.`)
  if (input.length > max) throw invalidField(['body', name], `${name} must have at most ${max} characters.`)
  if (input.includes('\0')) throw invalidField(['body', name], `${name} must not have a NUL character.`)
  return input.trim()
}

/** A text. If it has a fallback, an empty text means the fallback. */
export const text = (fallback = ''): SettingKind<string> => ({
  fallback,
  isSecret: false,
  check: (input, name) => textOf(input, name, maxText) || fallback,
})

/** Printable ASCII, which all servers read alike in a header. */
export const isHeaderSafe = (value: string): boolean => /^[ -~]*$/.test(value)

/** A secret that is sent unchanged in a header. */
export const headerSecret = (sentTo?: string): SettingKind<string> => {
  const kind = secret(sentTo)
  const check = (input: unknown, name: string) => {
    const value = kind.check(input, name)
    if (!isHeaderSafe(value))
      throw invalidField(['body', name], `${name} must have printable ASCII characters only: it is sent in a header.`)
    return value
  }
  return { ...kind, check }
}

/** A secret of one line, which may have any letters. */
export const secret = (sentTo?: string): SettingKind<string> => ({
  fallback: '',
  isSecret: true,
  ...(sentTo !== undefined && { sentTo }),
  check: (input, name) => {
    const value = textOf(input, name, maxSecret)
    if (/[\r\n]/.test(value)) throw invalidField(['body', name], `${name} must be one line.`)
    return value
  },
})

/** The address of a server, or empty, which means the fallback. Credentials in it are refused: everyone who may read settings sees it. */
export const address = (fallback = ''): SettingKind<string> => ({
  fallback,
  isSecret: false,
  check: (input, name) => {
    const value = textOf(input, name, maxText)
    if (value === '') return fallback
    const url = URL.parse(value)
    if (!url || !/^https?:$/.test(url.protocol))
      throw invalidField(['body', name], `${name} must be an address that starts with http:// or https://.`)
    if (url.username !== '' || url.password !== '')
      throw invalidField(
        ['body', name],
        `${name} must not have a user or a password in it: they have settings of their own.`,
      )
    if (url.search !== '' || url.hash !== '')
      throw invalidField(['body', name], `${name} must end with its path, without ? and #.`)
    return value.replace(/\/+$/, '')
  },
})

export const word = <const Word extends string>(fallback: Word, ...others: Word[]): SettingKind<Word> => {
  const words = [fallback, ...others]
  return {
    fallback,
    isSecret: false,
    check: (input, name) => {
      const found = words.find((known) => known === input)
      if (found === undefined) throw invalidField(['body', name], `${name} must be one of ${words.join(', ')}.`)
      return found
    },
  }
}

export const sourceList: SettingKind<string[]> = {
  fallback: [],
  isSecret: false,
  check: (input, name) => {
    if (!Array.isArray(input)) throw invalidField(['body', name], `${name} must be a list.`)
    if (input.length > maxSources)
      throw invalidField(['body', name], `${name} must have at most ${maxSources} entries.`)
    const values = input.map((item: unknown) => textOf(item, name, maxSourceText)).filter((item) => item !== '')
    return [...new Set(values)]
  },
}

const parsed = (value: string, name: string): unknown => {
  try {
    return JSON.parse(value)
  } catch (cause) {
    const example = '{"192.168.1.20": "TV"}'
    throw serviceError('malformed', `${name} is not valid JSON. It must be the text of an object such as ${example}.`, {
      cause,
    })
  }
}

/** The JSON text of an object from addresses to names. */
export const deviceNames: SettingKind<string> = {
  fallback: '{}',
  isSecret: false,
  check: (input, name) => {
    const value = textOf(input, name, maxDevicesText)
    if (value === '') return '{}'
    const object = parsed(value, name)
    if (typeof object !== 'object' || object === null || Array.isArray(object))
      throw invalidField(['body', name], `${name} must be a JSON object from addresses to names.`)
    const entries = Object.entries(object)
    if (entries.length > maxDevices)
      throw invalidField(['body', name], `${name} must name at most ${maxDevices} devices.`)
    for (const [device, label] of entries) {
      if (device.length <= maxDeviceName && typeof label === 'string' && label.length <= maxDeviceName) continue
      throw invalidField(
        ['body', name],
        `${name} must map "${device.slice(0, 60)}" to a name of at most ${maxDeviceName} characters.`,
      )
    }
    return value
  },
}

/** Which certificates of a server are accepted: those of a public authority (empty), one by its SHA-256 fingerprint, or any. */
export const certificate: SettingKind<string> = {
  fallback: '',
  isSecret: false,
  check: (input, name) => {
    const value = textOf(input, name, maxText)
    if (value === '' || value === 'any') return value
    const digits = value.replaceAll(':', '').toUpperCase()
    if (!/^[0-9A-F]{64}$/.test(digits))
      throw invalidField(
        ['body', name],
        `${name} must be empty, "any", or the SHA-256 fingerprint of a certificate (64 hexadecimal digits).`,
      )
    return (digits.match(/../g) ?? []).join(':')
  },
}
