/** Words next to the name of a container, or instead of it if all containers are meant. */
const noNames: ReadonlySet<string> = new Set(
  (
    'docker podman container containers log logs output all every each any my our your his her their the a an this that these those of from for in on at by to with ' +
    'and or named called name is are running stopped new please read watch show collect which whose where inside into as it its ' +
    'keeps keep crashes crashed crashing fails failed failing dies died restarts restarted restarting runs works'
  ).split(' '),
)
const name = '[a-z0-9][a-z0-9_.-]*[a-z0-9]'
const listed = String.raw`${name}(?:(?:\s*,\s*|\s+and\s+|\s*&\s*)${name})*`
const end = String.raw`(?=\s*(?:[,.;:!?)]|$)|\s+(?:please|on|in|at|from|of|with|logs?|and|there|here)\b)`
/** The positions of a name: after `container`, unless the sentence continues; before it; and as an argument of the engine's own command. */
const namePatterns: readonly RegExp[] = [
  new RegExp(
    String.raw`\bcontainers?\s*:?\s+(?:(?:logs?|output|of|from|for|named|called|the)\s+)*(${listed})${end}`,
    'i',
  ),
  new RegExp(String.raw`(?<![\w.-])(${listed})\s+containers?\b`, 'i'),
  new RegExp(String.raw`\b(?:docker|podman)\s+logs\s+(${name})${end}`, 'i'),
]

/** Quotes around words; an apostrophe within a word is retained. */
const quotes = /["`]|(?<!\w)'|'(?!\w)/g

/** The containers that a text names; empty if it means all of them. */
export const namedContainers = (text: string): string[] => {
  const plain = text.replaceAll(quotes, '')
  for (const pattern of namePatterns) {
    const listedNames = pattern.exec(plain)?.[1]?.split(/\s*,\s*|\s+and\s+|\s*&\s*/i) ?? []
    const names = listedNames.filter((one) => !noNames.has(one.toLowerCase()))
    if (names.length > 0 && names.length === listedNames.length) return names
  }
  return []
}
