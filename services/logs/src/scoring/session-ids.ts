/** Patterns of ids that link the lines of one session; each with a sample text. */
export const sessionPatterns: readonly { name: string; pattern: RegExp; sample: string; ids: readonly string[] }[] = [
  {
    name: 'a name with a number of many digits: blocks, jobs, tasks',
    pattern: /\b[A-Za-z]{2,32}_-?\d{6,}(?:_\w{1,32}){0,4}/g,
    sample: 'Receiving block blk_-1608999687919862906 for attempt_1445144423722_0020_m_000001_0',
    ids: ['blk_-1608999687919862906', 'attempt_1445144423722_0020_m_000001_0'],
  },
  {
    name: 'a UUID',
    pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
    sample: 'instance 54fadb41-26d6-4d1f-9d5a-3a1d5bd6a1a1 started',
    ids: ['54fadb41-26d6-4d1f-9d5a-3a1d5bd6a1a1'],
  },
  {
    name: 'a named id',
    pattern:
      /\b(?:request|req|trace|session|correlation|transaction|job|order|conn(?:ection)?)[_-]?id["']?\s?[:=]\s?["']?[\w.-]{4,64}/gi,
    sample: 'msg="order stored" request_id=8f3ac1',
    ids: ['request_id=8f3ac1'],
  },
  {
    name: 'a process',
    pattern: /(?<=\s)[\w./()-]{2,64}\[\d{2,10}\](?=:)/g,
    sample: 'Mar  1 22:14:15 attic sshd[4242]: session closed',
    ids: ['sshd[4242]'],
  },
]

/** A line with more ids is not specific to any of them. */
const maxIds = 4
const lookedAt = 2_048

/** The distinct session ids in a text. */
export const sessionIdsOf = (text: string): readonly string[] => {
  const beginning = text.slice(0, lookedAt)
  const ids = new Set<string>()
  for (const { pattern } of sessionPatterns) for (const [id] of beginning.matchAll(pattern)) ids.add(id)
  return ids.size > maxIds ? [] : [...ids]
}
