/** Takes what a model says to itself out of what it says: everything between `<think>`, `<thinking>` or `<reasoning>` and its end. */
export type ThinkingFilter = {
  /** The part of the text so far that is certainly for others; tags may be cut anywhere. */
  push: (text: string) => string
  /** What was held back, once nothing more comes. A block that never ends hides all after it. */
  end: () => string
}

const opening = /<(think|thinking|reasoning)>/i
const longestTag = '</reasoning>'.length

export const createThinkingFilter = (): ThinkingFilter => {
  let held = ''
  let inside: string | undefined

  const take = (isLast: boolean): string => {
    let shown = ''
    for (;;) {
      if (inside !== undefined) {
        const end = held.toLowerCase().indexOf(`</${inside}>`)
        if (end < 0) {
          held = isLast ? '' : held.slice(-longestTag)
          return shown
        }
        held = held.slice(end + inside.length + 3)
        inside = undefined
        continue
      }
      const start = opening.exec(held)
      if (!start) {
        // What may yet become a tag waits for the next piece.
        const mayStart = held.lastIndexOf('<')
        const cut = !isLast && mayStart >= 0 && held.length - mayStart < longestTag ? mayStart : held.length
        shown += held.slice(0, cut)
        held = held.slice(cut)
        return shown
      }
      shown += held.slice(0, start.index)
      held = held.slice(start.index + start[0].length)
      inside = start[1]?.toLowerCase() ?? ''
    }
  }
  return {
    push: (text) => {
      held += text
      return take(false)
    },
    end: () => take(true),
  }
}

export const withoutThinking = (text: string): string => {
  const filter = createThinkingFilter()
  return (filter.push(text) + filter.end()).trim()
}
