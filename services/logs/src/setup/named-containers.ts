/** Words around the name of a container, or in its place where all are meant. */
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
/** Where a name stands: behind `container`, where no sentence goes on; before it; and as an argument of the engine's own command. */
const places: readonly RegExp[] = [
  new RegExp(
    String.raw`\bcontainers?\s*:?\s+(?:(?:logs?|output|of|from|for|named|called|the)\s+)*(${listed})${end}`,
    'i',
  ),
  new RegExp(String.raw`(?<![\w.-])(${listed})\s+containers?\b`, 'i'),
  new RegExp(String.raw`\b(?:docker|podman)\s+logs\s+(${name})${end}`, 'i'),
]

/** Quotes around words; the apostrophe within one stays. */
const quotes = /["`]|(?<!\w)'|'(?!\w)/g

/** The containers that a text names; none where it means all of them. */
export const namedContainers = (text: string): string[] => {
  const plain = text.replaceAll(quotes, '')
  for (const place of places) {
    const said = place.exec(plain)?.[1]?.split(/\s*,\s*|\s+and\s+|\s*&\s*/i) ?? []
    const names = said.filter((one) => !noNames.has(one.toLowerCase()))
    if (names.length > 0 && names.length === said.length) return names
  }
  return []
}
