/**
 * Checks a model's answer against its evidence. The model cites evidence by number, as `[3]`, `[1, 4]` or `[2-5]`; a number without evidence is
 * removed from the answer, together with the words that join it to others. Quotations are looked up in the evidence.
 */
export type CitationFilter = {
  /** Returns the part of the text so far that is final: a citation may be split between pieces. */
  push: (text: string) => string
  /** Returns the text that was held back, at the end of the answer. */
  end: () => string
  /** Numbers that were cited and exist, ascending. */
  cited: () => number[]
  /** Numbers that were cited and do not exist, ascending. */
  invented: () => number[]
}

/** The text in the brackets of a citation. */
const inside = String.raw`\s*(?:-\d{1,30}|#?\d{1,30}(?:\s*[-–,;]\s*#?\d{1,30})*)\s*`
/** The text between adjacent citations. */
const joint = ',? (?:and|or|&) |,? ?'
const row = String.raw` ?\[${inside}\](?:(?:${joint})\[${inside}\])*`
const citations = new RegExp(row, 'g')
const citation = new RegExp(String.raw`(?<joint>${joint})\[(?<list>${inside})\]`, 'g')
/** The end of a text that may become a citation, or continue one. */
const begun = String.raw` ?\[[\s#\d,;–-]*`
const unfinished = new RegExp(String.raw`(?:${row}(?:,? ?(?:(?:an?|and|or?|&) ?)?)(?:\[[\s#\d,;–-]*)?|${begun}| )$`)
const longestCitation = 160

/** The numbers of `1, 4-6`. Of a reversed range, or one longer than `max`, only the two ends. */
const numbersIn = (list: string, max: number): number[] =>
  list.split(/[,;]/).flatMap((part) => {
    if (/^\s*-/.test(part)) return [Number(part)]
    const [from = Number.NaN, to = from] = part.split(/[-–]/).map((end) => Number(end.replace('#', '').trim()))
    if (to <= from || to - from > max) return [...new Set([from, to])]
    return Array.from({ length: to - from + 1 }, (_, index) => from + index)
  })

/** `evidence` is the number of pieces of evidence, numbered from 1. */
export const createCitationFilter = (evidence: number): CitationFilter => {
  const cited = new Set<number>()
  const invented = new Set<number>()
  let held = ''
  let last = ''
  const checked = (text: string): string =>
    text.replaceAll(citations, (whole, offset: number) => {
      let shown = ''
      for (const { index, groups } of whole.matchAll(citation)) {
        const { joint: before = '', list = '' } = groups ?? {}
        const numbers = numbersIn(list, evidence)
        const known = numbers.filter((number) => number >= 1 && number <= evidence)
        // Right after a word, it is a program with its process id, as in sshd[4242].
        const isProcess = known.length === 0 && index === 0 && before === '' && /\w/.test(text[offset - 1] ?? last)
        if (!isProcess) for (const number of numbers) (known.includes(number) ? cited : invented).add(number)
        if (known.length === 0 && !isProcess) continue
        // The words that join the first remaining citation to a removed one are removed, too.
        const join = shown === '' ? (whole.startsWith(' ') ? ' ' : '') : before
        shown += `${join}[${isProcess || known.length === numbers.length ? list : known.join(', ')}]`
      }
      return shown
    })
  const check = (text: string): string => {
    const shown = checked(text)
    last = text.at(-1) ?? last
    return shown
  }
  const ascending = (numbers: Set<number>) => [...numbers].toSorted((a, b) => a - b)
  return {
    push: (text) => {
      held += text
      const open = unfinished.exec(held)
      const cut = open && held.length - open.index <= longestCitation ? open.index : held.length
      const certain = held.slice(0, cut)
      held = held.slice(cut)
      return check(certain)
    },
    end: () => {
      const rest = check(held)
      held = ''
      return rest
    },
    cited: () => ascending(cited),
    invented: () => ascending(invented),
  }
}

/** Shorter quotations are names and words, not lines of a log. */
const shortestQuotation = 12
const quotation = /"([^"\n]{12,400})"|“([^”\n]{12,400})”|`([^`\n]{12,400})`/g

const plain = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ').trim()

/**
 * The quotations in a text that are in none of the texts that were shown. Case and spacing are ignored; the parts around an ellipsis are looked up
 * separately.
 */
export const unfoundQuotations = (text: string, shown: readonly string[]): string[] => {
  const texts = shown.map(plain)
  const isThere = (part: string) => texts.some((known) => known.includes(part))
  return [...text.matchAll(quotation)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .filter((quoted) => {
      const parts = plain(quoted)
        .split(/\s*(?:\.\.\.|…)\s*/)
        .map((part) => part.replace(/[.,;:]$/, ''))
        .filter((part) => part !== '')
      return parts.join('').length >= shortestQuotation && !parts.every(isThere)
    })
}
