/** The kind of the value that a placeholder replaces. */
export type MaskedKind = (typeof numberedKinds)[number] | (typeof secretKinds)[number]

/** Numbered, so that a reader can follow one host or person through masked texts. */
export const numberedKinds = ['ip4', 'ip6', 'mac', 'email', 'user', 'host'] as const
/** Not numbered, which would disclose that two secrets are equal. */
export const secretKinds = ['password', 'token', 'private-key', 'credentials', 'card'] as const

/** The placeholders of the values of one bundle or one prompt. Sharing them between two would disclose common values. */
export type Placeholders = {
  /** `[ip4-1]`, the same for the same value; `[password]` for a secret. */
  of: (kind: MaskedKind, value: string) => string
  /** The placeholder of a value, if it has one. */
  known: (kind: MaskedKind, value: string) => string | undefined
  /** The placeholder of a word that is a known user, host or IPv4 address; users are omitted if `mayBePerson` is false. */
  named: (word: string, mayBePerson: boolean) => string | undefined
  /** Excludes a program's name from the repeated names of users, since a client may try to sign in as `sshd`. */
  excludeProgram: (program: string) => void
  /** Values by placeholder, without secrets. */
  originals: () => ReadonlyMap<string, string>
}

/** Bounds memory for hostile input: beyond it, new values share a placeholder without a number. */
const maxValues = 100_000

const isNumbered = (kind: MaskedKind): boolean => (numberedKinds as readonly string[]).includes(kind)

export const createPlaceholders = (): Placeholders => {
  const known = new Map<string, string>()
  const originals = new Map<string, string>()
  const counts = new Map<MaskedKind, number>()
  const programs = new Set<string>()
  return {
    of: (kind, value) => {
      if (!isNumbered(kind)) return `[${kind}]`
      const name = `${kind}\0${value}`
      const before = known.get(name)
      if (before !== undefined) return before
      if (known.size >= maxValues) return `[${kind}]`
      const number = (counts.get(kind) ?? 0) + 1
      counts.set(kind, number)
      const placeholder = `[${kind}-${number}]`
      known.set(name, placeholder)
      originals.set(placeholder, value)
      return placeholder
    },
    known: (kind, value) => known.get(`${kind}\0${value}`),
    named: (word, mayBePerson) =>
      (mayBePerson && !programs.has(word) ? known.get(`user\0${word}`) : undefined) ??
      known.get(`host\0${word.toLowerCase()}`) ??
      known.get(`ip4\0${word}`),
    excludeProgram: (program) => {
      if (programs.size < maxValues) programs.add(program)
    },
    originals: () => originals,
  }
}

/** Replaces numbered placeholders by their values, as in the response of a model to a masked prompt. */
export const restoreText = (text: string, placeholders: Placeholders): string => {
  const originals = placeholders.originals()
  return text.replaceAll(/\[[a-z0-9]{2,5}-\d{1,6}\]/g, (placeholder) => originals.get(placeholder) ?? placeholder)
}

/** Whether a text is a placeholder, optionally in brackets and followed by a port or a prefix length. */
export const isPlaceholder = (text: string): boolean => /^\W?\[[a-z0-9-]{2,18}\]\W?(?:[:/]\d{1,5})?$/.test(text)
