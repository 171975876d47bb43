import { maxTextBytes } from '../../formats/clean.ts'
import type { Chunks } from './peeked.ts'

/** The beginning of Windows events in XML, as the Event Viewer, wevtutil and Get-WinEvent write them. */
const eventsBegin =
  /^(?:\xef\xbb\xbf)?\s{0,9}(?:<\?xml[^>]{0,100}\?>\s{0,9})?(?:<Events>\s{0,9})?<Event xmlns=["']http:\/\/schemas\.microsoft\.com\/win\/2004\/08\/events\/event["']/
/** An upper bound on the length of that beginning. */
const beginningBytes = 512

const opening = '<Event '
const closing = '</Event>'
/** What surrounds the events of an export and states nothing. */
const surroundings = /^\xef\xbb\xbf|<\?xml[^>]{0,100}\?>|<\/?Events>/g

/** The position up to which a text has no part of a tag whose rest may follow. */
const endBefore = (tag: string, text: string): number => Math.max(0, text.length - tag.length + 1)

/** Complete lines; a line that is longer than the text of an entry is divided. */
const endOfLines = (text: string): number =>
  text.length > maxTextBytes ? endBefore(opening, text) : text.lastIndexOf('\n') + 1

/** The lines between events, without blank ones. */
const between = (text: string): string => {
  const rest = text.replaceAll(surroundings, '').replaceAll(/^\s*?\n/gm, '')
  if (rest.trim() === '') return ''
  return rest.endsWith('\n') ? rest : `${rest}\n`
}

/** Divides text into events. It is read as Latin-1, so that tags are found whatever bytes are between them. */
const createDivider = () => {
  let pending = ''
  let isInEvent = false
  /** Takes what precedes the next `tag`; if there is none yet, what certainly does. */
  const takeUntil = (tag: string): { text: string; isFound: boolean } => {
    const found = pending.indexOf(tag)
    const certain = () => (isInEvent ? endBefore(tag, pending) : endOfLines(pending))
    const end = found < 0 ? certain() : found
    const text = pending.slice(0, end)
    pending = pending.slice(end)
    return { text, isFound: found >= 0 }
  }
  const push = (chunk: string): string => {
    pending += chunk
    let output = ''
    for (;;) {
      const { text, isFound } = takeUntil(isInEvent ? closing : opening)
      output += isInEvent ? text.replaceAll(/[\r\n]/g, ' ') : between(text)
      if (!isFound) return output
      if (isInEvent) {
        output += `${closing}\n`
        pending = pending.slice(closing.length)
      }
      isInEvent = !isInEvent
    }
  }
  return { push, end: (): string => (isInEvent ? `${pending}\n` : between(pending)) }
}

/**
 * Writes each Windows event in XML on a line of its own: exports have all events on one line, and other programs indent them. Line ends within an
 * event become spaces. Other content is unchanged. The first chunk has the beginning. If the source fails, what was received comes before the error.
 */
export async function* withEventsOnLines(content: Chunks): AsyncGenerator<Uint8Array> {
  let divider: ReturnType<typeof createDivider> | undefined
  let isFirst = true
  try {
    for await (const chunk of content) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      if (isFirst && eventsBegin.test(bytes.toString('latin1', 0, beginningBytes))) divider = createDivider()
      isFirst = false
      yield divider ? Buffer.from(divider.push(bytes.toString('latin1')), 'latin1') : chunk
    }
  } catch (error) {
    if (divider) yield Buffer.from(divider.end(), 'latin1')
    throw error
  }
  if (divider) yield Buffer.from(divider.end(), 'latin1')
}
