/** What a placeholder stands for. */
export type MaskedKind = (typeof numberedKinds)[number] | (typeof secretKinds)[number]

/** Numbered, so that a reader can follow one machine or person through what was masked. */
export const numberedKinds = ['ip4', 'ip6', 'mac', 'email', 'user', 'host'] as const
/** Not numbered: that two secrets are equal is nobody's business. */
export const secretKinds = ['password', 'token', 'private-key', 'credentials', 'card'] as const

/** The names that values have in one bundle or one prompt. Not to be used for two of them: they would tell what is in both. */
export type Placeholders = {
  /** `[ip4-1]`, the same for the same value; `[password]` for a secret. */
  of: (kind: MaskedKind, value: string) => string
  /** What a value was called, if it was met before. */
  known: (kind: MaskedKind, value: string) => string | undefined
  /** What a word is called that was met as a user, a host or an address of IPv4; where no person can be meant, not what a user is. */
  named: (word: string, mayBePerson: boolean) => string | undefined
  /** From now on a program's name is not taken for that of a user, but where a user is named: somebody may try to sign in as `sshd`. */
  spare: (program: string) => void
  /** Values by placeholder; no secrets. */
  originals: () => ReadonlyMap<string, string>
}

/** Past so many different values new ones share a placeholder without a number: what is masked may be hostile, and memory is not. */
const maxRemembered = 100_000

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
      if (known.size >= maxRemembered) return `[${kind}]`
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
    spare: (program) => {
      if (programs.size < maxRemembered) programs.add(program)
    },
    originals: () => originals,
  }
}

/** Puts back what numbered placeholders stand for, as in the answer of a model that was asked with masked text. */
export const restoreText = (text: string, placeholders: Placeholders): string => {
  const originals = placeholders.originals()
  return text.replaceAll(/\[[a-z0-9]{2,5}-\d{1,6}\]/g, (placeholder) => originals.get(placeholder) ?? placeholder)
}

/** Whether a text is a placeholder and nothing else, but for brackets around it and a port or a prefix behind. */
export const isPlaceholder = (text: string): boolean => /^\W?\[[a-z0-9-]{2,18}\]\W?(?:[:/]\d{1,5})?$/.test(text)
